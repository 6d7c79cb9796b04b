"""What a reader types is read as they mean it or refused; cells go in and out, the mask along its own way."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.drawn import MOST_DRAWN
from attnviz.lesson.editing import edited_sheet, read_number, with_cells, with_mask, without_sheet
from attnviz.lesson.edits import LARGEST, NO_EDITS, Edits, sheet
from attnviz.lesson.lesson import Lesson, editable, make_lesson
from attnviz.lesson.settings import DEFAULTS, Settings

# n = 6 queries, m = 4 keys, and every size different from every other.
ODD = replace(
    DEFAULTS, sentence="the cat sat on the mat", source="a dog sleeps here", d_model=7, num_heads=3, d_k=2,
    d_v=5, bias=True, score="additive",
)  # fmt: skip
PLACES = {"x": 0, "x_source": 0, "keep": 0, "b_o": 0, "w_o": 0}  # arrays with one sheet for all heads


def lesson(settings: Settings, edits: Edits = NO_EDITS) -> Lesson:
    made = make_lesson(settings, edits)
    assert made is not None
    return made


PLAIN = lesson(ODD)
NUMBERS = [name for name in editable(PLAIN) if name != "keep"]


@given(st.floats(-LARGEST, LARGEST))
def test_any_number_is_read_back_from_how_it_is_written(value: float) -> None:
    assert read_number(repr(value)) == (value, "")


@pytest.mark.parametrize(
    ("text", "value"),
    [("2", 2.0), (" -0.5\t", -0.5), ("−0.5", -0.5), ("－０．５", -0.5), ("１２", 12.0), ("1e-3", 1e-3), ("1E3", 1000.0),
     ("+.5", 0.5), ("1000000", LARGEST)],
)  # fmt: skip
def test_a_number_is_read_as_it_is_meant(text: str, value: float) -> None:
    assert read_number(text) == (value, "")


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "",
        "-",
        "0,5",
        "1_000",
        "1 000",
        "nan",
        "NaN",
        "inf",
        "-∞",
        "½",
        "0x10",
        "1e",
        "=A1",
        "<b>1</b>",
        "①2",
    ],
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) == ((None, "number") if text != "①2" else (12.0, ""))


@pytest.mark.parametrize("text", ["1000000.1", "-1e7", "1e999", "9" * 400])
def test_a_number_beyond_the_limit_is_refused_as_too_large(text: str) -> None:
    assert read_number(text) == (None, "large")


@pytest.mark.parametrize("name", NUMBERS)
def test_cells_of_a_sheet_go_into_their_head_and_out_again(name: str) -> None:
    shape = sheet(name, editable(PLAIN)[name], 2).shape
    last = (shape[0] - 1, shape[1] - 1)
    edits = with_cells(PLAIN, NO_EDITS, name, 2, {(0, 0): 2.5, last: -3.0})
    made = lesson(ODD, edits)
    changed = sheet(name, editable(made)[name], 2)
    assert (changed[0, 0], changed[last]) == (2.5, -3.0)
    marked = edited_sheet(made, name, 2)
    assert marked is not None
    assert (marked.sum(), marked[0, 0], marked[last]) == (2, True, True)
    if name not in PLACES:
        assert edited_sheet(made, name, 1) is None
    assert with_cells(PLAIN, edits, name, 2, {(0, 0): None, last: None}) == NO_EDITS
    assert without_sheet(PLAIN, edits, name, 2) == NO_EDITS


def test_a_reset_of_one_head_leaves_the_others_edited() -> None:
    edits = with_cells(PLAIN, NO_EDITS, "w_q", 0, {(0, 0): 1.5})
    both = with_cells(PLAIN, edits, "w_q", 2, {(6, 1): 2.5})
    assert without_sheet(PLAIN, both, "w_q", 2) == edits


def test_the_number_that_stood_there_takes_the_cell_out() -> None:
    drawn = float(PLAIN.trace.layer.w_k[1, 3, 0])
    edits = with_cells(PLAIN, NO_EDITS, "w_k", 1, {(3, 0): 9.0})
    assert with_cells(PLAIN, edits, "w_k", 1, {(3, 0): drawn}) == NO_EDITS


@pytest.mark.parametrize(
    ("n", "m"), [(6, 4), (MOST_DRAWN, MOST_DRAWN), (3, MOST_DRAWN + 5), (MOST_DRAWN + 2, 3)]
)
def test_a_mask_goes_into_the_settings_where_it_fits_and_into_the_edits_where_not(n: int, m: int) -> None:
    keep = np.random.default_rng(n * m).random((n, m)) < 0.5
    before = replace(DEFAULTS, sentence="a " * n, source="b " * m, drawn="01.10", mask="causal")
    values, edits = with_mask(before, NO_EDITS, keep)
    assert bool(edits) == (max(n, m) > MOST_DRAWN)
    after: dict[str, Any] = dict(values)
    np.testing.assert_array_equal(lesson(replace(before, **after), edits).trace.keep, keep)
    # Drawn again, nothing of the first mask is left.
    values, edits = with_mask(replace(before, **after), edits, ~keep)
    np.testing.assert_array_equal(lesson(replace(before, **values), edits).trace.keep, ~keep)  # type: ignore[arg-type]


def test_what_can_be_edited_is_every_parameter_x_and_the_mask() -> None:
    arrays = editable(PLAIN)
    assert {name: array.shape for name, array in arrays.items()} == {
        "x": (6, 7), "x_source": (4, 7), "w_q": (3, 7, 2), "w_k": (3, 7, 2), "w_v": (3, 7, 5), "w_o": (3, 5, 7),
        "b_q": (3, 2), "b_k": (3, 2), "b_v": (3, 5), "b_o": (7,), "score_w_query": (3, 2, 2),
        "score_w_key": (3, 2, 2), "score_v": (3, 2), "keep": (6, 4),
    }  # fmt: skip
    assert arrays["keep"].all()
    assert "x_source" not in editable(lesson(replace(ODD, source="")))
