"""Curves carry their names, keep their numbers, and stand on axes that say what they are."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.curves import LARGE, Axis, Curve, Level, Panel, apart, curve_chart, rgba
from attnviz.figures.palette import DARK, LIGHT, PALETTES

X = Axis("steps", 1, 4096, log=True, ticks=(1, 64, 4096), texts=("1", "64", "4096"))
Y = Axis("loss", 0.0, 2.0, ticks=(0, 1, 2), texts=("0", "1", "2"))
WIDTHS = np.array([1.0, 8.0, 512.0])
FALLING = np.array([1.5, 1.0, 0.25])
CURVE = Curve(WIDTHS, FALLING, "falling", at=1)


def chart(*panels: Panel, **how: Any) -> go.Figure:
    options: dict[str, Any] = {"palette": LIGHT, "height": 300} | how
    return curve_chart(panels, **options)


def named(figure: go.Figure) -> dict[str, Any]:
    return {note.text: note for note in figure.layout.annotations}


def line_of(figure: go.Figure, name: str) -> Any:
    (found,) = [t for t in figure.data if t.hovertemplate and t.hovertemplate.startswith(name)]
    return found


def test_a_curve_is_drawn_as_it_was_given() -> None:
    line = line_of(chart(Panel((CURVE,), X, Y)), "falling")
    assert (list(line.x), list(line.y), line.mode) == (list(WIDTHS), list(FALLING), "lines")


def test_the_name_of_a_curve_stands_at_its_point_also_on_a_logarithmic_axis() -> None:
    note = named(chart(Panel((CURVE,), X, Y)))["falling"]
    assert (note.x, note.y) == (math.log10(8.0), 1.0)
    linear = Axis("n", 0, 600)
    assert named(chart(Panel((CURVE,), linear, Y)))["falling"].x == 8.0


def test_a_name_at_a_point_off_the_axis_stands_at_the_edge_of_the_picture() -> None:
    below = Curve(WIDTHS, np.array([1.0, -5.0, -9.0]), "sinking", at=2)
    assert named(chart(Panel((below,), X, Y)))["sinking"].y == Y.low


@pytest.mark.parametrize(("side", "anchors"), [
    ("top left", ("right", "bottom")), ("bottom right", ("left", "top")), ("middle center", ("center", "middle")),
])  # fmt: skip
def test_a_name_is_anchored_on_the_other_side_of_where_it_stands(side: str, anchors: tuple[str, str]) -> None:
    note = named(chart(Panel((Curve(WIDTHS, FALLING, "c", side=side),), X, Y)))["c"]
    assert (note.xanchor, note.yanchor) == anchors


@pytest.mark.parametrize("palette", PALETTES.values())
def test_a_quiet_curve_and_its_name_are_muted(palette: Any) -> None:
    quiet = Curve(WIDTHS, FALLING, "quiet", quiet=True, dash="dash")
    figure = chart(Panel((CURVE, quiet), X, Y), palette=palette)
    line = line_of(figure, "quiet")
    assert (line.line.color, line.line.dash) == (palette.muted, "dash")
    assert named(figure)["quiet"].font.color == palette.muted
    assert named(figure)["falling"].font.color == palette.ink


def test_a_band_goes_along_its_upper_edge_and_back_along_its_lower_inside_the_axis() -> None:
    banded = Curve(WIDTHS, FALLING, band=(FALLING - 1.0, FALLING + 1.0))
    band = chart(Panel((banded,), X, Y)).data[0]
    assert band.fill == "toself"
    assert list(band.x) == [1, 8, 512, 512, 8, 1]
    assert list(band.y) == [2.0, 2.0, 1.25, 0.0, 0.0, 0.5]


def test_bands_lie_under_all_lines() -> None:
    banded = Curve(WIDTHS, FALLING, band=(FALLING, FALLING))
    fills = [trace.fill for trace in chart(Panel((CURVE, banded, banded), X, Y)).data]
    assert fills == ["toself", "toself", None, None, None]


def test_points_have_error_bars_of_their_own_length() -> None:
    dots = Curve(WIDTHS, FALLING, hover="dots", line=False, points=True, hollow=True, errors=[0.1, 0.2, 0.3])
    line = line_of(chart(Panel((dots,), X, Y)), "dots")
    assert line.mode == "markers"
    assert list(line.error_y.array) == [0.1, 0.2, 0.3]
    assert line.marker.color == LIGHT.surface


def test_a_level_and_a_place_cross_the_whole_panel() -> None:
    across, up = chart(Panel((), X, Y, levels=(Level(1.0, "one"),), place=64)).data[::-1]
    assert (list(across.x), list(across.y)) == ([1, 4096], [1.0, 1.0])
    assert (list(up.x), list(up.y)) == ([64, 64], [0.0, 2.0])
    assert named(chart(Panel((), X, Y, levels=(Level(1.0, "one"),))))["one"].y == 1.0


def test_axes_have_the_ticks_they_were_given_and_logarithmic_bounds() -> None:
    layout = chart(Panel((CURVE,), X, Y)).layout
    assert (layout.xaxis.type, layout.yaxis.type) == ("log", "linear")
    assert list(layout.xaxis.range) == [0.0, math.log10(4096)]
    assert list(layout.yaxis.range) == [0.0, 2.0]
    assert list(layout.xaxis.ticktext) == ["1", "64", "4096"]
    assert {"loss", "steps"} <= named(chart(Panel((CURVE,), X, Y))).keys()


def test_panels_stand_side_by_side_and_share_their_y_axis_s_labels() -> None:
    panels = [Panel((CURVE,), X, Y, title, "aside") for title in ("one", "two", "three")]
    layout = chart(*panels, shared=True).layout
    domains = [layout[f"xaxis{k}"].domain for k in ("", "2", "3")]
    assert domains[0][0] == 0 and domains[2][1] == 1
    assert all(left[1] < right[0] for left, right in pairwise(domains))
    assert [layout[f"yaxis{k}"].showticklabels for k in ("", "2", "3")] == [True, False, False]
    titles = [note.text for note in layout.annotations if "<b>" in note.text]
    assert ["loss" in title for title in titles] == [True, False, False]
    assert all("aside" in title for title in titles)


def test_names_beside_the_ends_take_room_and_do_not_touch() -> None:
    curves = tuple(Curve(WIDTHS, FALLING + 0.001 * k, f"curve {k}") for k in range(3))
    figure = chart(Panel(curves, X, Y, ends=True))
    plot = 300 - figure.layout.margin.t - figure.layout.margin.b
    heights = sorted(named(figure)[f"curve {k}"].y * plot for k in range(3))
    assert min(np.diff(heights)) >= 14
    assert figure.layout.margin.r > chart(Panel(curves, X, Y)).layout.margin.r


def test_large_type_is_larger_everywhere() -> None:
    panel = Panel((CURVE,), X, Y, "title", levels=(Level(1.0, "one"),))
    small, large = chart(panel), chart(panel, type_=LARGE)
    assert large.layout.xaxis.tickfont.size > small.layout.xaxis.tickfont.size
    pairs = zip(small.layout.annotations, large.layout.annotations, strict=True)
    assert all(big.font.size > little.font.size for little, big in pairs)


def test_a_colour_can_be_thinned() -> None:
    assert rgba("#1A2330", 0.5) == "rgba(26,35,48,0.5)"
    assert rgba(DARK.ink, 1.0) == "rgba(228,233,240,1.0)"


HEIGHTS = st.lists(st.floats(0, 200), min_size=1, max_size=8)


@given(HEIGHTS)
def test_heights_moved_apart_keep_their_distance_and_their_order(heights: list[float]) -> None:
    moved = apart(heights, 18, 0, 200)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    gaps = np.diff([moved[i] for i in order])
    assert (gaps >= 18 - 1e-9).all()
    assert min(moved) >= -1e-9 and max(moved) <= 200 + 1e-9  # 8 names of 18 fit


@given(st.lists(st.integers(0, 10), min_size=1, max_size=6, unique=True))
def test_heights_that_are_far_apart_stay_where_they_are(places: list[int]) -> None:
    heights = [20.0 * place for place in places]
    assert apart(heights, 18, 0, 200) == heights
