"""Lengths as bars: each with its number, marked ones hollow."""

from attnviz.figures.heads.length_bars import length_bars
from attnviz.figures.palette import DARK, LIGHT


def test_a_bar_is_as_long_as_its_value_and_says_it() -> None:
    figure = length_bars([0.5, 2.0, 0.0], ["one", "<b>", "three"], hollow=[False] * 3, palette=LIGHT)
    (bars,) = figure.data
    assert list(bars.x) == [0.5, 2.0, 0.0]
    assert list(bars.text) == ["0.50", "2.00", "0.00"]
    assert figure.layout.yaxis.ticktext == ("one", "&lt;b&gt;", "three")
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.xaxis.range[1] > 2


def test_a_hollow_bar_is_an_outline() -> None:
    figure = length_bars([1.0, 1.0], ["one", "two"], hollow=[True, False], palette=DARK)
    (bars,) = figure.data
    assert bars.marker.color == ("rgba(0,0,0,0)", DARK.muted)
    assert bars.marker.line.color == DARK.muted


def test_bars_of_nothing_can_be_drawn() -> None:
    low, high = length_bars([0.0], ["one"], hollow=[False], palette=LIGHT).layout.xaxis.range
    assert low < high
