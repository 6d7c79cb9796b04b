"""Strategies for settings: every value that a kind allows, its limits among them."""

from typing import Any

from hypothesis import strategies as st

from attnviz.lesson.kinds import Choice, Kind, Real, Switch, Text, Whole
from attnviz.lesson.settings import DEFAULTS, Settings, all_settings

# Characters that a URL can carry: all but lone surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)

# Texts that mean something to one setting or another.
GOOD = (
    "", "1,3", "seed,score", "query.3", "weights", "011.1", "kept~0123", "w_q~2x8x4~3~0.5", "-", "d_k=3&seed=7",
    "mask=causal",
)  # fmt: skip


def values_of(kind: Kind) -> st.SearchStrategy[Any]:
    """Values of a kind, its limits among them."""
    match kind:
        case Whole(low, high):
            return st.sampled_from((low, high)) | st.integers(low, high)
        case Real(low, high):
            return st.sampled_from((low, high)) | st.floats(low, high)
        case Choice():
            return st.sampled_from(kind.options)
        case Switch():
            return st.booleans()
        case Text():
            # What a text is read as is a value that is read as it stands.
            return (st.sampled_from(GOOD) | TEXTS).map(lambda text: kind.read(text, "")[0])
    raise TypeError(f"no values for {kind}")


SETTINGS: st.SearchStrategy[Settings] = st.builds(
    DEFAULTS.put, **{name: values_of(one.kind) for name, one in all_settings().items()}
)
