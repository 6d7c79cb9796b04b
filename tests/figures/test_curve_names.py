"""Names stand at their points, inside the picture, and none lies over another."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.curve_axes import Axis
from attnviz.figures.curve_names import apart
from attnviz.figures.curve_parts import Curve, Panel
from tests.figures.curve_charts import CURVE, FALLING, WIDTHS, X, Y, chart, named


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


def test_names_beside_the_ends_take_room_and_do_not_touch() -> None:
    curves = tuple(Curve(WIDTHS, FALLING + 0.001 * k, f"curve {k}") for k in range(3))
    figure = chart(Panel(curves, X, Y, ends=True))
    plot = 300 - figure.layout.margin.t - figure.layout.margin.b
    heights = sorted(named(figure)[f"curve {k}"].y * plot for k in range(3))
    assert min(np.diff(heights)) >= 14
    assert figure.layout.margin.r > chart(Panel(curves, X, Y)).layout.margin.r


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
