"""Subplots: their names are Plotly's, their spans fill the figure and never meet."""

import itertools

import plotly.graph_objects as go
import pytest

from attnviz.figures.grid import grid, lines_of, one_below_another, side_by_side, subplot

COUNTS = (1, 2, 3, 4, 5, 7, 16)
each_count = pytest.mark.parametrize("count", COUNTS)


@pytest.mark.parametrize("k", [0, 1, 2, 11])
def test_the_axes_of_a_subplot_are_those_that_plotly_makes(k: int) -> None:
    made = go.Figure().set_subplots(1, 12)
    assert f"xaxis{subplot(k)}" in made.layout
    assert made.layout[f"xaxis{subplot(k)}"].anchor == f"y{subplot(k)}"


@each_count
def test_spans_side_by_side_are_equal_and_fill_the_width(count: int) -> None:
    spans = side_by_side(count, 0.03)
    assert spans[0][0] == 0.0
    assert spans[-1][1] == pytest.approx(1.0)
    assert [high - low for low, high in spans] == pytest.approx([spans[0][1]] * count)
    assert [b[0] - a[1] for a, b in itertools.pairwise(spans)] == pytest.approx([0.03] * (count - 1))


@each_count
def test_spans_one_below_another_begin_at_the_top_and_end_at_the_bottom(count: int) -> None:
    spans = one_below_another(count, 0.05)
    assert spans[0][1] == 1.0
    assert spans[-1][0] == pytest.approx(0.0)
    assert [a[0] - b[1] for a, b in itertools.pairwise(spans)] == pytest.approx([0.05] * (count - 1))


@each_count
def test_places_of_a_grid_do_not_overlap_and_read_from_left_to_right(count: int) -> None:
    places = grid(count, gap=0.05, between=0.1)
    assert [place.suffix for place in places] == [subplot(k) for k in range(count)]
    assert len({place.y for place in places}) == lines_of(count)
    for one, other in itertools.pairwise(places):
        assert other.y[1] < one.y[0] or (other.y == one.y and one.x[1] < other.x[0])


def test_a_lonely_map_is_no_wider_than_its_share() -> None:
    assert grid(1, gap=0.05, between=0.1, least=3)[0].x == side_by_side(3, 0.05)[0]
