"""Planes of heads: points where they are, a line from query to key as thick as its weight."""

import numpy as np
import pytest

from attnviz.figures.heads.subspaces import MOST_LINES, THICKEST, Panel, all_lines, subspace_panels
from attnviz.figures.labels import token_labels
from attnviz.figures.palette import LIGHT, PALETTES

QUERIES = token_labels(["a", "b", "<i>"], "query", "looks")
KEYS = token_labels(["x", "y", "$z$", "w"], "key", "is looked at")


def panel(seed: int, n: int = 3, m: int = 4, masked: bool = False) -> Panel:
    rng = np.random.default_rng(seed)
    weights = rng.random((n, m))
    if masked:
        weights[:, 1] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    return Panel(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), rng.normal(size=2), weights, "head", "82%")


def lines(figure: object) -> list[object]:
    return [shape for shape in figure.layout.shapes if shape.type == "line"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("theme", PALETTES)
def test_a_line_runs_from_its_query_to_its_key_as_thick_as_its_weight(theme: str) -> None:
    one = panel(0)
    figure = subspace_panels([one], queries=QUERIES, keys=KEYS, focus=1, head=0, palette=PALETTES[theme])
    found = {
        ((line.x0, line.y0), (line.x1, line.y1)): (line.line.width, line.line.color)  # type: ignore[attr-defined]
        for line in lines(figure)
    }
    assert len(found) == 3 * 4
    for i in range(3):
        for j in range(4):
            width, colour = found[tuple(one.query[i]), tuple(one.key[j])]
            assert width == pytest.approx(THICKEST * one.weights[i, j], rel=1e-12)
            assert colour == (PALETTES[theme].query if i == 1 else PALETTES[theme].muted)


def test_no_line_stands_for_a_weight_of_0() -> None:
    figure = subspace_panels(
        [panel(1, masked=True)], queries=QUERIES, keys=KEYS, focus=0, head=0, palette=LIGHT
    )
    assert len(lines(figure)) == 3 * 3


def test_many_tokens_leave_only_the_thickest_lines_of_the_query_in_focus() -> None:
    n, m, heads = 40, 50, 12
    assert not all_lines(heads, n, m)
    panels = [panel(seed, n, m) for seed in range(heads)]
    labels = (
        token_labels([f"t{i}" for i in range(n)], "query"),
        token_labels([f"s{i}" for i in range(m)], "key"),
    )
    figure = subspace_panels(panels, queries=labels[0], keys=labels[1], focus=7, head=2, palette=LIGHT)
    assert len(lines(figure)) == heads * (MOST_LINES // heads)
    first = [line for line in lines(figure) if line.xref == "x"]  # type: ignore[attr-defined]
    widths = sorted((line.line.width for line in first), reverse=True)  # type: ignore[attr-defined]
    expected = np.sort(panels[0].weights[7])[::-1][: len(first)] * THICKEST
    np.testing.assert_allclose(widths, expected, rtol=1e-12)


def test_points_stand_where_they_are_with_their_whole_tokens_on_hover() -> None:
    one = panel(2)
    figure = subspace_panels([one], queries=QUERIES, keys=KEYS, focus=0, head=0, palette=LIGHT)
    _, keys, queries = figure.data
    np.testing.assert_array_equal(np.stack([queries.x, queries.y], axis=1), one.query)
    np.testing.assert_array_equal(np.stack([keys.x, keys.y], axis=1), one.key)
    assert queries.customdata[2] == "&lt;i&gt;₂"
    assert "$z$" not in keys.customdata[2]


def test_both_axes_of_a_panel_have_one_scale_so_that_angles_are_true() -> None:
    panels = [panel(seed) for seed in range(6)]
    figure = subspace_panels(panels, queries=QUERIES, keys=KEYS, focus=0, head=1, palette=LIGHT)
    for k in ("", *range(2, 7)):
        assert figure.layout[f"xaxis{k}"].scaleanchor == f"y{k}"


def test_points_that_all_coincide_can_be_drawn() -> None:
    zero = Panel(np.zeros((3, 2)), np.zeros((4, 2)), np.zeros(2), np.zeros((3, 4)), "head", "")
    figure = subspace_panels([zero], queries=QUERIES, keys=KEYS, focus=0, head=0, palette=LIGHT)
    low, high = figure.layout.xaxis.range
    assert low < high
