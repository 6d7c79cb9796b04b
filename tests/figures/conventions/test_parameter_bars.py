"""Bars of parameters: each part as its share, in its colour, its number legible and its count on hover."""

import pytest

from attnviz.figures.conventions.parameter_bars import LEAST_SHARE, Bar, parameter_bars
from attnviz.figures.palette import PALETTES
from tests.figures.contrast import contrast, rgb

NAMES = {"query": "Q", "value": "V", "rest": "all <b>else</b>", "more": "more"}
ROLES = {"query": "query", "value": "value"}
BARS = [
    Bar("one & two", "100", {"query": 20, "value": 30, "rest": 50}),
    Bar("three", "8", {"query": 2, "more": 6}),
]


@pytest.mark.parametrize("theme", PALETTES)
def test_parts_are_shares_of_their_bar(theme: str) -> None:
    figure = parameter_bars(BARS, names=NAMES, roles=ROLES, palette=PALETTES[theme])
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [list(bar.x) for bar in bars] == [[0.2, 0.25], [0.3, 0], [0.5, 0], [0, 0.75]]
    assert [bar.text[0] for bar in bars] == ["20%", "30%", "50%", ""]
    assert bars[0].marker.color == PALETTES[theme].query and bars[1].marker.color == PALETTES[theme].value
    assert bars[2].marker.color == bars[3].marker.color == PALETTES[theme].muted
    assert bars[2].marker.opacity > bars[3].marker.opacity


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("role", ["query", "key", "value", "output"])
def test_the_number_in_a_part_is_legible(theme: str, role: str) -> None:
    palette = PALETTES[theme]
    figure = parameter_bars([Bar("a", "", {"x": 1})], names={"x": "x"}, roles={"x": role}, palette=palette)
    assert contrast(rgb(figure.data[0].textfont.color), rgb(palette.role(role))) >= 4.5


def test_names_are_shown_literally_with_their_counts() -> None:
    figure = parameter_bars(BARS, names=NAMES, roles=ROLES, palette=PALETTES["light"])
    assert figure.data[2].customdata[0] == "one &amp; two<br>all &lt;b&gt;else&lt;/b&gt;: 50"
    texts = [text for trace in figure.data if trace.type == "scatter" for text in trace.text]
    assert texts == ["<b>one &amp; two</b>", "<b>three</b>", "100", "8"]


def test_a_part_that_is_too_narrow_has_no_number() -> None:
    bar = Bar("a", "", {"query": 999, "value": int(1000 * LEAST_SHARE) - 1})
    figure = parameter_bars([bar], names=NAMES, roles=ROLES, palette=PALETTES["light"])
    assert [trace.text[0] for trace in figure.data if trace.type == "bar"] == ["95%", "", "", ""]
