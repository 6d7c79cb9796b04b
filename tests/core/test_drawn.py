"""A drawn mask survives being written into a link, whatever stands in the link."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.drawn import LONGEST_DRAWN, MOST_DRAWN, read_drawn, write_drawn

SIZES = st.tuples(st.integers(1, MOST_DRAWN), st.integers(1, MOST_DRAWN))


def test_rows_of_ones_and_zeros_say_who_may_look_at_whom() -> None:
    np.testing.assert_array_equal(read_drawn("110.011", 2, 3), [[True, True, False], [False, True, True]])


def test_what_the_text_does_not_say_may_be_looked_at() -> None:
    np.testing.assert_array_equal(read_drawn(".0", 3, 2), [[True, True], [False, True], [True, True]])


def test_what_lies_outside_the_sentence_is_passed_over() -> None:
    np.testing.assert_array_equal(read_drawn("1100.0000.0000", 1, 2), [[True, True]])


def test_a_mask_that_hides_nothing_needs_no_text() -> None:
    assert write_drawn(np.ones((3, 4), np.bool_)) == ""


@given(SIZES, st.integers(0, 2**32))
def test_reading_gives_back_what_was_written(size: tuple[int, int], seed: int) -> None:
    keep = np.random.default_rng(seed).random(size) < 0.5
    text = write_drawn(keep)
    assert len(text) <= LONGEST_DRAWN
    np.testing.assert_array_equal(read_drawn(text, *size), keep)


@given(st.text())
def test_no_text_is_wrong(text: str) -> None:
    assert read_drawn(text, 2, 3).shape == (2, 3)


def test_beyond_the_limit_everything_may_be_looked_at() -> None:
    hidden = np.zeros((MOST_DRAWN + 2, MOST_DRAWN + 3), np.bool_)
    found = read_drawn(write_drawn(hidden), *hidden.shape)
    assert not found[:MOST_DRAWN, :MOST_DRAWN].any()
    assert found[MOST_DRAWN:].all()
    assert found[:, MOST_DRAWN:].all()


@pytest.mark.parametrize("wrong", [np.ones((2, 3)), np.ones(3, np.bool_)])
def test_only_a_matrix_of_truth_values_can_be_written(wrong: np.ndarray) -> None:
    with pytest.raises(ValueError, match="keep must be a matrix of truth values; got"):
        write_drawn(wrong)
