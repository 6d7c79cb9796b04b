"""What a browser tells of a click is data from outside."""

from typing import Any

import pytest

from attnviz.ui.kit.pictures.maps import Click, click_of

TOLD: dict[str, Any] = {"row": 2, "column": 0, "axes": 1, "given": [0, "weights"]}


def test_a_click_is_its_place_and_what_was_given_with_the_picture() -> None:
    assert click_of(TOLD) == Click(2, 0, 1, (0, "weights"))


@pytest.mark.parametrize(
    "told",
    [
        None,
        "weights",
        [],
        {},
        {**TOLD, "row": -1},
        {**TOLD, "row": True},
        {**TOLD, "row": "2"},
        {**TOLD, "row": 2.0},
        {**TOLD, "column": 10**30},
        {**TOLD, "axes": None},
        {**TOLD, "given": None},
        {**TOLD, "given": "weights"},
        {**TOLD, "given": [[0]]},
        {**TOLD, "given": [{"a": 0}]},
        {**TOLD, "more": 1},
        {name: value for name, value in TOLD.items() if name != "given"},
    ],
)
def test_what_is_no_click_is_none(told: object) -> None:
    assert click_of(told) is None
