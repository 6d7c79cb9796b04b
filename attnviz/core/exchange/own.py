"""Our own names, w_q ... b_o: what save writes and load reads."""

from ..arrays import Array
from ..parameters import PARAMETER_AXES
from .given import Given
from .layouts import Layout

# The axes as they are said to a reader.
AXES = {
    name: tuple("H" if axis == "num_heads" else axis for axis in axes)
    for name, axes in PARAMETER_AXES.items()
}


def as_they_are(given: Given) -> dict[str, Array]:
    """The arrays by role; whether they fit together the layer itself asks."""
    return dict(given.arrays)


OWN = Layout("attnviz", {role: role for role in AXES}, AXES, as_they_are, splits=False)
