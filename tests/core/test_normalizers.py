"""Softmax, sparsemax and sigmoid: published values, their definitions, and masking by selection."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import NORMALIZERS, sigmoid, softmax, sparsemax

GENERATOR = np.random.default_rng(2)
SCORES = 2.0 * GENERATOR.standard_normal((2, 4, 6))
KEEP = np.array([[1, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 0, 0, 0, 0]], bool)
every_normalizer = pytest.mark.parametrize("name", NORMALIZERS)
to_one = pytest.mark.parametrize("name", ["softmax", "sparsemax"])


def test_softmax_gives_the_values_that_onnx_publishes() -> None:
    """facts.md 6."""
    np.testing.assert_allclose(softmax([-1.0, 0.0, 1.0]), [0.09003058, 0.24472848, 0.66524094], atol=1e-8)
    expected = [0.0320586, 0.08714432, 0.23688284, 0.6439143]
    for start in (0.0, 10000.0):
        np.testing.assert_allclose(softmax(start + np.arange(4)), expected, atol=1e-7)


@pytest.mark.parametrize("t", [-1.0, -0.3, 0.0, 0.5, 1.0])
def test_sparsemax_of_two_scores_is_a_straight_line(t: float) -> None:
    """facts.md 8: Martins and Astudillo 2016."""
    np.testing.assert_allclose(sparsemax([t, 0.0]), [(1 + t) / 2, (1 - t) / 2], rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("t", [1.0, 5.0, 1e9])
def test_sparsemax_gives_exactly_zero_beyond_a_difference_of_one(t: float) -> None:
    assert sparsemax([t, 0.0]).tolist() == [1.0, 0.0]


def test_sparsemax_is_the_nearest_point_of_the_simplex() -> None:
    """The condition of optimality: (s - p) . (e_j - p) <= 0 for every corner e_j of the simplex."""
    weights = sparsemax(SCORES)
    towards = (SCORES - weights)[..., None, :] * (np.eye(6) - weights[..., None, :])
    assert towards.sum(axis=-1).max() <= 1e-12
    assert (weights == 0.0).any()


def test_sigmoid_treats_each_score_by_itself() -> None:
    scores = np.array([-800.0, -2.0, 0.0, 3.0, 800.0])
    expected = [0.0, 1 / (1 + np.exp(2.0)), 0.5, 1 / (1 + np.exp(-3.0)), 1.0]
    np.testing.assert_allclose(sigmoid(scores), expected, rtol=1e-15)


def test_softmax_is_its_definition() -> None:
    exponentials = np.exp(SCORES)
    expected = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(softmax(SCORES), expected, rtol=0.0, atol=1e-15)


@to_one
def test_rows_sum_to_one_or_are_all_zero_where_nothing_is_kept(name: str) -> None:
    total = NORMALIZERS[name].function(SCORES, KEEP).sum(axis=-1)
    np.testing.assert_allclose(
        total, np.broadcast_to([1.0, 0.0, 1.0, 1.0], total.shape), rtol=0.0, atol=1e-15
    )


@to_one
def test_adding_a_constant_to_a_row_changes_nothing(name: str) -> None:
    moved = SCORES + np.array([3.0, -100.0, 0.5, 1000.0])[:, None]
    np.testing.assert_allclose(
        NORMALIZERS[name].function(moved), NORMALIZERS[name].function(SCORES), rtol=0.0, atol=1e-12
    )


@every_normalizer
def test_masked_scores_have_no_influence_whatever_they_are(name: str) -> None:
    poisoned = np.where(KEEP, SCORES, np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, np.nan]))
    weights = NORMALIZERS[name].function(poisoned, KEEP)
    assert not weights[:, ~KEEP].any()
    for row in range(len(KEEP)):
        kept = KEEP[row]
        alone = NORMALIZERS[name].function(SCORES[:, row, kept])
        np.testing.assert_allclose(weights[:, row, kept], alone, rtol=0.0, atol=1e-15)


@every_normalizer
def test_a_mask_of_truth_values_and_one_of_zero_and_minus_infinity_agree_bit_for_bit(name: str) -> None:
    added = np.where(KEEP, 0.0, -np.inf)
    np.testing.assert_array_equal(
        NORMALIZERS[name].function(SCORES, KEEP), NORMALIZERS[name].function(SCORES, added)
    )


@every_normalizer
def test_another_axis_is_the_transposed_last_axis(name: str) -> None:
    by_column = NORMALIZERS[name].function(SCORES.mT, KEEP.T, axis=-2)
    np.testing.assert_allclose(by_column.mT, NORMALIZERS[name].function(SCORES, KEEP), rtol=0.0, atol=1e-15)


@every_normalizer
def test_the_scores_are_left_as_they_were(name: str) -> None:
    before = SCORES.copy()
    NORMALIZERS[name].function(SCORES)
    NORMALIZERS[name].function(SCORES, KEEP)
    np.testing.assert_array_equal(SCORES, before)


@every_normalizer
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_the_type_comes_back_and_half_is_computed_in_float32(name: str, dtype: Any) -> None:
    scores = SCORES.astype(dtype)
    for keep in (None, KEEP):
        weights = NORMALIZERS[name].function(scores, keep)
        assert weights.dtype == dtype
        if dtype == np.float16:
            wide = NORMALIZERS[name].function(scores.astype(np.float32), keep)
            np.testing.assert_array_equal(weights, wide.astype(dtype))


@every_normalizer
def test_no_keys_at_all_give_no_weights(name: str) -> None:
    assert NORMALIZERS[name].function(np.zeros((3, 0))).shape == (3, 0)


@to_one
def test_scores_at_the_end_of_the_range_are_weighed_as_any_others(name: str) -> None:
    largest = np.finfo(np.float64).max
    weights = NORMALIZERS[name].function([[largest, 0.0, largest], [-largest, -largest, -largest]])
    np.testing.assert_allclose(weights, [[0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]], rtol=1e-15)


def test_a_mask_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="keep must broadcast to the shape"):
        softmax(SCORES, np.ones((4, 5), bool))
