"""Axes have their ticks, and a logarithm where it is asked for."""

import math

from attnviz.figures.curve_parts import Panel
from tests.figures.curve_charts import CURVE, X, Y, chart, named


def test_axes_have_the_ticks_they_were_given_and_logarithmic_bounds() -> None:
    layout = chart(Panel((CURVE,), X, Y)).layout
    assert (layout.xaxis.type, layout.yaxis.type) == ("log", "linear")
    assert list(layout.xaxis.range) == [0.0, math.log10(4096)]
    assert list(layout.yaxis.range) == [0.0, 2.0]
    assert list(layout.xaxis.ticktext) == ["1", "64", "4096"]
    assert {"loss", "steps"} <= named(chart(Panel((CURVE,), X, Y))).keys()
