"""Masks: who may look at whom, by name, combined by AND."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import MASKS, as_keep, causal_mask, combine, keep_mask, padding_mask, window_mask

N, M = 3, 5


def rows(mask: Any) -> list[str]:
    return ["".join("1" if kept else "0" for kept in row) for row in mask]


def test_causal_top_left_and_bottom_right_are_two_masks_where_n_and_m_differ() -> None:
    """cases.md 16."""
    assert rows(causal_mask(2, 5)) == ["10000", "11000"]
    assert rows(causal_mask(2, 5, align="bottom_right")) == ["11110", "11111"]


def test_causal_bottom_right_with_more_queries_than_keys_leaves_the_first_queries_nothing() -> None:
    assert rows(causal_mask(4, 2, align="bottom_right")) == ["00", "00", "10", "11"]


def test_both_alignments_are_one_mask_where_n_and_m_are_equal() -> None:
    np.testing.assert_array_equal(causal_mask(4, 4), causal_mask(4, 4, "bottom_right"))


def test_an_unknown_alignment_is_refused() -> None:
    with pytest.raises(ValueError, match="align must be 'top_left' or 'bottom_right'; got 'left'"):
        causal_mask(2, 5, "left")


def test_padding_is_a_matter_of_keys_and_columns() -> None:
    """cases.md 17."""
    assert rows(padding_mask(N, M, 2)) == ["11000"] * N


def test_a_window_reaches_as_far_to_each_side_as_it_is_told() -> None:
    assert rows(window_mask(4, 5, 1)) == ["11000", "11100", "01110", "00111"]
    assert rows(window_mask(4, 5, 2, 0)) == ["10000", "11000", "11100", "01110"]


@pytest.mark.parametrize("name", MASKS)
def test_every_mask_of_the_registry_has_one_row_a_query_and_one_column_a_key(name: str) -> None:
    mask = keep_mask([name], N, M, length=4, window=1)
    assert mask.shape == (N, M)
    assert mask.dtype == np.bool_


def test_masks_combine_by_and() -> None:
    drawn = np.ones((N, M), bool)
    drawn[2, 0] = False
    mask = keep_mask(["causal", "padding", "window"], N, M, length=2, window=1, drawn=drawn)
    expected = causal_mask(N, M) & padding_mask(N, M, 2) & window_mask(N, M, 1) & drawn
    np.testing.assert_array_equal(mask, expected)
    assert rows(keep_mask([], N, M)) == rows(keep_mask(["none"], N, M)) == ["11111"] * N


def test_an_unknown_mask_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"mask must be one of none, causal, .*; got 'x'"):
        keep_mask(["x"], N, M)


def test_floats_zero_and_minus_infinity_say_the_same_as_true_and_false() -> None:
    mask = causal_mask(N, M)
    np.testing.assert_array_equal(as_keep(np.where(mask, 0.0, -np.inf)), mask)
    np.testing.assert_array_equal(
        combine(np.where(mask, 0.0, -np.inf), padding_mask(N, M, 1)), mask & padding_mask(N, M, 1)
    )


@pytest.mark.parametrize("mask", [np.tri(3), np.tri(3, dtype=int), [[0.0, np.nan]], [[0.0, -1e9]], [["a"]]])
def test_other_numbers_are_no_mask(mask: Any) -> None:
    """cases.md 15: a 0/1 triangle that is added would let the future be seen; -1e9 leaks."""
    with pytest.raises(ValueError, match=r"keep must hold True and False, or 0\.0 and -inf; got"):
        as_keep(mask)
