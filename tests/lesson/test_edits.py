"""Edits are exact values that travel in a link, and one that cannot be is refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.lesson.edits import AXES, LARGEST, MOST_CELLS, Edit, Edits, read_edits, sheet, write_edits
from tests.lesson.edit_cases import EDITS, FORTY_TWO, exact


@given(EDITS)
def test_edits_come_back_from_a_link_bit_for_bit(edits: Edits) -> None:
    text = write_edits(edits)
    assert exact(read_edits(text)) == exact(edits)
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz_0123456789.-+~")


@given(EDITS, EDITS)
def test_edits_are_equal_exactly_where_they_hold_the_same(one: Edits, other: Edits) -> None:
    assert (one == other) == (exact(one) == exact(other))
    assert (one.digest == other.digest) == (exact(one) == exact(other))
    assert hash(one) == hash(Edits(one.entries[::-1]))


@given(
    st.text(max_size=60) | st.from_regex(r"(w_q|x|keep)~[0-9x]{1,6}~(0~[-0-9.e]{1,4}){0,2}", fullmatch=True)
)
def test_any_text_is_edits_or_a_value_error(text: str) -> None:
    try:
        edits = read_edits(text)
    except ValueError:
        return
    assert exact(read_edits(write_edits(edits))) == exact(edits)


@given(EDITS.filter(bool))
def test_what_was_put_in_can_be_taken_out(edits: Edits) -> None:
    first = edits.entries[0]
    emptied = edits.put(first.changed(dict.fromkeys(first.at.tolist())))
    assert emptied.count == edits.count - len(first.at)
    assert edits.without([first.name]).find(*first.key).at.size == 0
    assert not edits.without(AXES)


def test_cells_put_in_one_after_the_other_join_those_that_are_there() -> None:
    edit = Edit("w_q", (3, 7, 2), np.array([4]), np.array([1.5])).changed({40: 2.0, 1: 3.0, 4: 0.5})
    assert (edit.at.tolist(), edit.values.tolist()) == ([1, 4, 40], [3.0, 0.5, 2.0])
    assert edit.changed({4: None}).at.tolist() == [1, 40]


def test_an_edit_and_its_source_arrays_share_no_memory() -> None:
    array = np.ones((2, 3, 4))
    edit = Edit.whole("w_q", array)
    array[0, 0, 0] = 7.0
    assert edit.values[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        edit.values[0] = 2.0


@pytest.mark.parametrize(
    ("name", "shape", "rows"), [("w_q", (3, 7, 2), 7), ("b_q", (3, 2), 1), ("b_o", (7,), 1), ("x", (6, 7), 6),
                               ("score_v", (3, 2), 1), ("w_o", (3, 5, 7), 15)],
)  # fmt: skip
def test_a_sheet_shows_one_matrix_of_cells_that_stay_where_they_are(
    name: str, shape: tuple[int, ...], rows: int
) -> None:
    places = np.arange(math.prod(shape)).reshape(shape)
    shown = sheet(name, places, 1)
    assert shown.shape == (rows, shape[-1])
    whole = name in ("x", "b_o", "w_o")
    expected = places.ravel() if whole else places[1].ravel()
    np.testing.assert_array_equal(shown.ravel(), expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("weights", (2, 3), [0], [1.0]), "only w_q, .* can be edited; got 'weights'"),
        (("w_q", (3, 7), [0], [1.0]), r"w_q must have shape \(num_heads, d_model, d_k\), at most \(16, 512, 512\)"),
        (("w_q", (17, 7, 2), [0], [1.0]), r"at most \(16, 512, 512\); got \(17, 7, 2\)"),
        (("w_q", (3, 0, 2), [], []), r"got \(3, 0, 2\)"),
        (("w_q", (3, 7, 2), [42], [1.0]), "cells of w_q must ascend from 0 to at most 41"),
        (("w_q", (3, 7, 2), [-1], [1.0]), "cells of w_q must ascend"),
        (("w_q", (3, 7, 2), [1, 1], [1.0, 2.0]), "cells of w_q must ascend"),
        (("w_q", (3, 7, 2), [1, 2], [1.0]), "one value a cell; got 2 cells, 1 values"),
        (("w_q", (3, 7, 2), [0], [math.nan]), "w_q must be finite .*; got nan"),
        (("w_q", (3, 7, 2), [0], [-math.inf]), "w_q must be finite .*; got -inf"),
        (("w_q", (3, 7, 2), [0], [2 * LARGEST]), "at most 1e\\+06 in magnitude; got 2000000.0"),
        (("keep", (6, 4), [0], [0.5]), "keep must be 0 or 1; got 0.5"),
        (("x", (6, 7), [0], [1.0]), "x must have the fingerprint of its tokens, 12 hex digits; got ''"),
        (("w_q", (3, 7, 2), [0], [1.0], FORTY_TWO), "w_q belongs to no sentence"),
    ],
)  # fmt: skip
def test_an_edit_that_cannot_be_is_refused_with_what_was_expected_and_found(
    values: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Edit(*values)


def test_two_edits_of_the_same_array_and_too_many_cells_are_refused() -> None:
    one = Edit("w_q", (1, 1, 1), np.array([0]), np.array([1.0]))
    with pytest.raises(ValueError, match=r"each array must be edited once; got w_q \(1, 1, 1\) twice"):
        Edits((one, one))
    large = Edit.whole("w_q", np.zeros((4, 512, 512)))
    assert large.at.size == MOST_CELLS
    with pytest.raises(ValueError, match=f"at most {MOST_CELLS} cells .* got {MOST_CELLS + 1}"):
        Edits((large, one))


def test_an_edit_of_another_shape_is_not_applied() -> None:
    with pytest.raises(ValueError, match=r"w_q must have shape \(1, 2, 3\); got \(1, 3, 2\)"):
        Edit("w_q", (1, 2, 3), np.array([]), np.array([])).applied(np.zeros((1, 3, 2)))
