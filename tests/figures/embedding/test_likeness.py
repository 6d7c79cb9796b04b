"""The table of likeness as a picture."""

import numpy as np
import pytest

from attnviz.figures.embedding.likeness import MOST_NUMBERS, likeness_map
from attnviz.figures.labels import Labels, number
from attnviz.figures.palette import LIGHT
from tests.figures.traces import heatmaps, in_plotly, printed


def drawn(n: int) -> tuple[np.ndarray, object]:
    matrix = np.random.default_rng(n).normal(size=(n, n))
    names = tuple(f"<w{i}>" for i in range(n))
    figure = in_plotly(likeness_map)(matrix, labels=Labels(names, names), palette=LIGHT, limit=4.0, digits=1)
    return matrix, figure


@pytest.mark.parametrize("n", [2, 7, MOST_NUMBERS])
def test_every_pair_has_its_cell_and_its_number(n: int) -> None:
    matrix, figure = drawn(n)
    (shown,) = heatmaps(figure)  # type: ignore[arg-type]
    np.testing.assert_array_equal(shown.z, matrix.astype(np.float32))
    assert (shown.zmin, shown.zmax) == (-4.0, 4.0)
    expected = {(r, c): number(float(v), 1) for (r, c), v in np.ndenumerate(matrix)}
    assert printed(figure) == expected  # type: ignore[arg-type]


def test_many_words_are_colours_without_numbers() -> None:
    _, figure = drawn(MOST_NUMBERS + 1)
    assert printed(figure) == {}  # type: ignore[arg-type]


def test_the_words_stand_on_both_sides_escaped_the_first_at_the_top() -> None:
    _, figure = drawn(3)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):  # type: ignore[attr-defined]
        assert axis.ticktext == ("&lt;w0&gt;", "&lt;w1&gt;", "&lt;w2&gt;")
    assert figure.layout.yaxis.range == (2.5, -0.5)  # type: ignore[attr-defined]
