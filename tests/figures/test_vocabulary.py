"""What is sent to our renderer: only words that it knows, and the numbers as they are."""

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.figures.base import Figure
from attnviz.figures.labels import token_labels
from attnviz.figures.maps import attention_map
from attnviz.figures.palette import LIGHT
from attnviz.figures.vocabulary import AXIS, NOTE, PARTS, SHAPE, TRACES, payload

MASKED = np.where(np.tri(3, 4, dtype=bool), np.random.default_rng(8).normal(size=(3, 4)), np.nan)


def drawn() -> Figure:
    return attention_map(
        MASKED,
        rows=token_labels(["a", "<b>", "$c$"], "query", "looks"),
        columns=token_labels(["d", "e", "f", "g"], "key", "is looked at"),
        palette=LIGHT,
        limit=3.0,
        weights=False,
        focus=(1, 0),
    )


def decoded(sent: dict[str, str]) -> NDArray[Any]:
    flat = np.frombuffer(base64.b64decode(sent["bdata"]), f"<{sent['dtype']}")
    return flat.reshape([int(size) for size in sent["shape"].split(",")])


def test_numbers_travel_as_float32_bit_by_bit_hidden_cells_too() -> None:
    sent = payload(drawn())["data"][0]["z"]
    assert sent["dtype"] == "f4"
    np.testing.assert_array_equal(decoded(sent), MASKED.astype(np.float32))


@pytest.mark.parametrize("array", [np.arange(6, dtype=">f4").reshape(2, 3), np.arange(12)[::2].reshape(2, 3)])
def test_an_array_is_sent_row_by_row_whatever_its_order_in_memory(array: NDArray[Any]) -> None:
    for turned in (array, array.T):
        figure = drawn()
        figure["data"][0]["z"] = turned
        np.testing.assert_array_equal(decoded(payload(figure)["data"][0]["z"]), turned)


def test_all_that_is_sent_is_json_without_infinities() -> None:
    json.dumps(payload(drawn()), allow_nan=False)


def test_what_only_plotly_hears_is_not_sent() -> None:
    sent = payload(drawn())
    assert all(trace.keys() <= TRACES[trace["type"]] for trace in sent["data"])
    axes = [value for name, value in sent["layout"].items() if "axis" in name]
    assert axes
    assert all(axis.keys() <= AXIS for axis in axes)
    assert all(note.keys() <= NOTE for note in sent["layout"]["annotations"])
    assert all(shape.keys() <= SHAPE for shape in sent["layout"]["shapes"])
    assert "hovermode" not in sent["layout"]


def put(*path: object) -> Callable[[Figure, object], None]:
    def change(figure: Any, value: object) -> None:
        for step in path[:-1]:
            figure = figure[step]
        figure[path[-1]] = value

    return change


UNKNOWN: dict[str, tuple[Callable[[Figure, object], None], object]] = {
    "frames": (put("frames"), []),
    "surface": (put("data", 0, "type"), "surface"),
    "colorbar": (put("data", 0, "colorbar"), {}),
    "lines": (put("data", 1, "mode"), "lines"),
    "cross": (put("data", 1, "marker", "symbol"), "cross"),
    "weight": (put("data", 2, "textfont", "weight"), 700),
    "updatemenus": (put("layout", "updatemenus"), []),
    "tickprefix": (put("layout", "xaxis", "tickprefix"), "n"),
    "bottom": (put("layout", "xaxis", "side"), "bottom"),
    "circle": (put("layout", "shapes", 0, "type"), "circle"),
    "fillcolor": (put("layout", "shapes", 0, "fillcolor"), "red"),
    "dashdot": (put("layout", "shapes", 0, "line", "dash"), "dashdot"),
    "textangle": (put("layout", "annotations", 0, "textangle"), 45),
    "<img": (put("layout", "annotations", 0, "text"), "<img src=x>"),
    "<script>": (put("layout", "xaxis", "ticktext"), ["a", "<script>", "c", "d"]),
    "%{customdata}": (put("data", 0, "hovertemplate"), "%{customdata}"),
    "<i>": (put("data", 0, "hovertemplate"), "<i>%{z:.4f}</i>"),
}


@pytest.mark.parametrize("word", UNKNOWN)
def test_a_word_that_the_renderer_does_not_know_is_refused_by_its_name(word: str) -> None:
    change, value = UNKNOWN[word]
    figure = drawn()
    change(figure, value)
    with pytest.raises(ValueError, match=word.replace("{", r"\{")):
        payload(figure)


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_of_a_thing_are_checked_as_well(part: str) -> None:
    figure = drawn()
    where = {"marker": figure["data"][1], "textfont": figure["data"][2], "line": figure["layout"]["shapes"][0],
             "font": figure["layout"]["annotations"][0], "tickfont": figure["layout"]["xaxis"],
             "margin": figure["layout"]}[part]  # fmt: skip
    where[part] = where[part] | {"shadow": "auto"}
    with pytest.raises(ValueError, match="shadow"):
        payload(figure)
