"""The grid of score functions: values as given, scales stated, query and key marked."""

import numpy as np
import pytest

from attnviz.figures.labels import number, token_labels
from attnviz.figures.palette import LIGHT
from attnviz.figures.scores.maps import MapLine, limit_of, score_maps
from tests.figures.traces import heatmaps, in_plotly, printed

RNG = np.random.default_rng(2)
TITLES = ("dot", "<additive>", "cosine")
QUERIES, KEYS = token_labels(["a", "b", "<c>"], "query"), token_labels(["d", "e", "f", "g"], "key")
SCORES = tuple(RNG.normal(size=(3, 4)) * scale for scale in (1, 20, 0.1))
WEIGHTS = tuple(RNG.dirichlet(np.ones(4), size=3) for _ in TITLES)
MARKS = ((1, 3), (1, 0), (1, 2))
LINES = [
    MapLine("scores", SCORES, QUERIES, KEYS, MARKS),
    MapLine("weights", WEIGHTS, QUERIES, KEYS, MARKS, weights=True),
]


def test_every_map_holds_its_values_line_by_line() -> None:
    shown = heatmaps(in_plotly(score_maps)(TITLES, LINES, palette=LIGHT, chosen=0))
    for trace, values in zip(shown, (*SCORES, *WEIGHTS), strict=True):
        np.testing.assert_array_equal(trace.z, values.astype(np.float32))


def test_scores_have_a_scale_each_and_weights_one_from_0_to_1() -> None:
    shown = heatmaps(in_plotly(score_maps)(TITLES, LINES, palette=LIGHT, chosen=0))
    for trace, values in zip(shown[:3], SCORES, strict=True):
        assert (trace.zmin, trace.zmax) == (-np.abs(values).max(), np.abs(values).max())
    assert {(trace.zmin, trace.zmax) for trace in shown[3:]} == {(0, 1)}


def test_the_bound_of_each_scale_is_written_above_its_map() -> None:
    notes = [a.text for a in in_plotly(score_maps)(TITLES, LINES, palette=LIGHT, chosen=0).layout.annotations]
    for values in SCORES:
        assert any(f"±{number(limit_of(values))}" in text for text in notes)


def test_the_chosen_function_is_bold_and_titles_are_escaped() -> None:
    notes = [a.text for a in in_plotly(score_maps)(TITLES, LINES, palette=LIGHT, chosen=1).layout.annotations]
    assert "<b>&lt;additive&gt;</b>" in notes and "dot" in notes


@pytest.mark.parametrize("upright", [False, True])
def test_the_query_is_outlined_along_its_line_and_the_key_in_its_cell(upright: bool) -> None:
    maps, marks = SCORES, MARKS
    if upright:
        maps, marks = tuple(m.T for m in maps), tuple((key, query) for query, key in marks)
    rows, columns = (KEYS, QUERIES) if upright else (QUERIES, KEYS)
    line = MapLine("scores", maps, rows, columns, marks, upright=upright)
    shapes = in_plotly(score_maps)(TITLES, [line], palette=LIGHT, chosen=0).layout.shapes
    for k, (row, column) in enumerate(marks):
        query, key = shapes[2 * k], shapes[2 * k + 1]
        assert (query.line.color, key.line.color) == (LIGHT.query, LIGHT.key)
        assert (key.y0, key.y1, key.x0, key.x1) == (row - 0.5, row + 0.5, column - 0.5, column + 0.5)
        along = (query.y0, query.y1) if upright else (query.x0, query.x1)
        assert along == (-0.5, 3.5)


def test_numbers_stand_in_few_cells_only() -> None:
    figure = in_plotly(score_maps)(TITLES, LINES, palette=LIGHT, chosen=0)
    assert printed(figure)[0, 0] == number(float(SCORES[0][0, 0]))
    many = MapLine("scores", (RNG.normal(size=(3, 9)),), QUERIES, token_labels("abcdefghi", "key"), ((0, 0),))
    assert printed(in_plotly(score_maps)(["dot"], [many], palette=LIGHT, chosen=0)) == {}


def test_a_long_sentence_is_drawn_in_blocks_with_the_mark_inside() -> None:
    tokens = [str(i) for i in range(200)]
    values = RNG.normal(size=(200, 130))
    line = MapLine(
        "scores", (values,), token_labels(tokens, "query"), token_labels(tokens[:130], "key"), ((199, 129),)
    )
    figure = in_plotly(score_maps)(["dot"], [line], palette=LIGHT, chosen=0)
    (shown,) = heatmaps(figure)
    assert max(shown.z.shape) <= 64
    cell = figure.layout.shapes[1]
    assert cell.y1 <= shown.z.shape[0] and cell.x1 <= shown.z.shape[1]


def test_scores_that_are_all_zero_have_a_scale() -> None:
    assert limit_of(np.zeros((2, 3))) == 1.0
    assert limit_of(np.full((2, 2), np.nan)) == 1.0
