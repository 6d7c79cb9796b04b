"""Curves carry their names, keep their numbers, and stand on axes that say what they are."""

from itertools import pairwise
from typing import Any

import pytest

from attnviz.figures.curve_axes import LARGE
from attnviz.figures.curve_parts import Curve, Level, Panel
from attnviz.figures.curves import rgba
from attnviz.figures.palette import DARK, LIGHT, PALETTES
from tests.figures.curve_charts import CURVE, FALLING, WIDTHS, X, Y, chart, line_of, named


def test_a_curve_is_drawn_as_it_was_given() -> None:
    line = line_of(chart(Panel((CURVE,), X, Y)), "falling")
    assert (list(line.x), list(line.y), line.mode) == (list(WIDTHS), list(FALLING), "lines")


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


def test_large_type_is_larger_everywhere() -> None:
    panel = Panel((CURVE,), X, Y, "title", levels=(Level(1.0, "one"),))
    small, large = chart(panel), chart(panel, type_=LARGE)
    assert large.layout.xaxis.tickfont.size > small.layout.xaxis.tickfont.size
    pairs = zip(small.layout.annotations, large.layout.annotations, strict=True)
    assert all(big.font.size > little.font.size for little, big in pairs)


def test_a_colour_can_be_thinned() -> None:
    assert rgba("#1A2330", 0.5) == "rgba(26,35,48,0.5)"
    assert rgba(DARK.ink, 1.0) == "rgba(228,233,240,1.0)"
