"""Small maps: every head as given, on one scale, at most four a row, none over another."""

import re
from itertools import combinations
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.multiples import Small, head_maps, small_maps
from attnviz.figures.palette import LIGHT
from tests.figures.traces import heatmaps, in_plotly, texts

WEIGHTS = np.random.default_rng(4).dirichlet(np.ones(5), size=(16, 3))  # H = 16, n = 3, m = 5


def heads(count: int, **how: Any) -> go.Figure:
    given: dict[str, Any] = {"palette": LIGHT, "limit": 1.0, "weights": True, "head": 0, "line": 2}
    titles = [f"head {h + 1}" for h in range(count)]
    return in_plotly(head_maps)(WEIGHTS[:count], titles=titles, **(given | how))


def box(figure: go.Figure, trace: go.Heatmap) -> tuple[float, float, float, float]:
    """left, right, bottom, top of a map, as shares of the picture."""
    x, y = (figure.layout[f"{axis[0]}axis{axis[1:]}"].domain for axis in (trace.xaxis, trace.yaxis))
    return (*x, *y)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 12, 16])
def test_every_head_is_drawn_as_given_on_one_scale_the_first_row_at_the_top(count: int) -> None:
    figure = heads(count)
    assert len(heatmaps(figure)) == count
    for head, drawn in zip(WEIGHTS, heatmaps(figure), strict=False):
        np.testing.assert_array_equal(drawn.z, head.astype(np.float32))
        assert (drawn.z.dtype, drawn.zmin, drawn.zmax) == (np.float32, 0, 1)
        assert figure.layout[f"yaxis{drawn.yaxis[1:]}"].range == (2.5, -0.5)
        assert figure.layout[f"xaxis{drawn.xaxis[1:]}"].range == (-0.5, 4.5)


@pytest.mark.parametrize("count", [1, 2, 4, 5, 9, 16])
def test_maps_lie_in_reading_order_at_most_four_a_row_and_never_over_one_another(count: int) -> None:
    figure = heads(count)
    boxes = [box(figure, drawn) for drawn in heatmaps(figure)]
    assert all(0 <= left < right <= 1 and 0 <= bottom < top <= 1 for left, right, bottom, top in boxes)
    tops = [top for *_, top in boxes]
    assert all(tops.count(top) <= 4 for top in tops)
    assert sorted(boxes, key=lambda b: (-b[3], b[0])) == boxes
    for one, other in combinations(boxes, 2):
        apart = one[1] <= other[0] or other[1] <= one[0] or one[2] >= other[3] or other[2] >= one[3]
        assert apart


def test_the_focused_head_is_bold_and_every_map_has_its_title_over_it() -> None:
    figure = heads(6, head=4)
    notes = figure.layout.annotations
    assert [note.text for note in notes] == [
        "head 1",
        "head 2",
        "head 3",
        "head 4",
        "<b>head 5</b>",
        "head 6",
    ]
    for note, drawn in zip(notes, heatmaps(figure), strict=True):
        left, _, _, top = box(figure, drawn)
        assert (note.x, note.y) == (left, top)


@pytest.mark.parametrize("along_rows", [True, False])
def test_the_query_is_outlined_in_every_map_a_row_or_in_column_notation_a_column(along_rows: bool) -> None:
    figure = heads(3, line=1, along_rows=along_rows)
    shapes = figure.layout.shapes
    assert [shape.xref for shape in shapes] == ["x", "x2", "x3"]
    for shape in shapes:
        assert shape.line.color == LIGHT.query
        expected = (-0.5, 4.5, 0.5, 1.5) if along_rows else (0.5, 1.5, -0.5, 2.5)
        assert (shape.x0, shape.x1, shape.y0, shape.y1) == expected


def test_titles_are_escaped_and_a_subtitle_stands_behind() -> None:
    figure = in_plotly(small_maps)(
        [Small(WEIGHTS[0], "<i>Q</i>", 1.0, subtitle="3 × 5 & more", role="query")], palette=LIGHT, height=200
    )
    (note,) = figure.layout.annotations
    assert note.text.startswith("&lt;i&gt;Q&lt;/i&gt;  <span")
    assert "3 × 5 &amp; more" in note.text
    assert note.font.color == LIGHT.query_text


def test_each_small_map_has_its_own_scale_where_it_is_asked_for() -> None:
    figure = in_plotly(small_maps)(
        [Small(-3 * WEIGHTS[0], "x", 3.0), Small(WEIGHTS[1], "A", 1.0, weights=True)],
        palette=LIGHT,
        height=200,
    )
    assert [(drawn.zmin, drawn.zmax) for drawn in heatmaps(figure)] == [(-3, 3), (0, 1)]


def test_a_map_of_more_than_64_tokens_is_drawn_in_blocks_with_the_query_in_its_block() -> None:
    values = np.zeros((130, 70))
    values[129, 69] = 1.0
    figure = in_plotly(small_maps)(
        [Small(values, "A", 1.0, weights=True, row=129)], palette=LIGHT, height=200
    )
    (drawn,) = heatmaps(figure)
    assert drawn.z.shape == (44, 35)
    assert drawn.z[43, 34] == 1
    assert (figure.layout.shapes[0].y0, figure.layout.shapes[0].y1) == (42.5, 43.5)


def test_masked_cells_are_gaps_and_no_map_prints_numbers_or_names_the_tokens() -> None:
    values = np.where(np.tri(3, 5, dtype=bool), WEIGHTS[0], np.nan)
    figure = in_plotly(small_maps)([Small(values, "A", 1.0, weights=True)], palette=LIGHT, height=200)
    np.testing.assert_array_equal(np.isnan(heatmaps(figure)[0].z), np.isnan(values))
    assert not texts(figure)
    assert not any(figure.layout[name].showticklabels for name in ("xaxis", "yaxis"))


def test_twelve_heads_of_64_by_64_travel_in_300_kibibytes() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(64), size=(12, 64))
    figure = in_plotly(head_maps)(
        weights, titles=[str(h) for h in range(12)], palette=LIGHT, limit=1.0, weights=True, head=0, line=0
    )
    assert len(figure.to_json()) <= 300 * 1024
    assert re.search('"dtype":"f4"', figure.to_json())
