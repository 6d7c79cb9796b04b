"""Faults that people reported in public trackers (cases.md, rows 1 to 19), each with the value that is right."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    SCORE_FUNCTIONS,
    MultiHeadAttention,
    attend,
    causal_mask,
    padding_mask,
    softmax,
)

N, M, D_MODEL, D_K, D_V, H = 4, 6, 10, 8, 64, 3
GENERATOR = np.random.default_rng(8)
X, SOURCE = GENERATOR.standard_normal((N, D_MODEL)), GENERATOR.standard_normal((M, D_MODEL))
LAYER = MultiHeadAttention.random(d_model=D_MODEL, num_heads=H, d_k=D_K, d_v=D_V, seed=0)


def test_row_1_a_query_with_no_key_left_gets_zeros_and_a_flag_and_the_others_are_untouched() -> None:
    keep = np.ones((N, M), bool)
    keep[2] = False
    trace, free = LAYER(X, SOURCE, keep=keep), LAYER(X, SOURCE)
    assert trace.empty_rows[:, 2].all()
    assert trace.empty_rows.sum() == H
    assert not trace.weights[:, 2].any()
    assert not trace.output[2].any()
    others = [0, 1, 3]
    np.testing.assert_allclose(trace.output[others], free.output[others], rtol=0.0, atol=1e-13)


def test_row_2_truth_values_and_floats_give_the_same_result_bit_for_bit() -> None:
    keep = causal_mask(N, M)
    first, second = LAYER(X, SOURCE, keep=keep), LAYER(X, SOURCE, keep=np.where(keep, 0.0, -np.inf))
    np.testing.assert_array_equal(first.weights, second.weights)
    np.testing.assert_array_equal(first.output, second.output)


def test_row_3_large_scores_neither_overflow_nor_underflow() -> None:
    assert softmax([800.0, 1.0, 1.0]).tolist() == [1.0, 0.0, 0.0]
    assert softmax([-10000.0, -10000.0]).tolist() == [0.5, 0.5]


def test_row_4_half_precision_with_a_mask_is_finite() -> None:
    half = LAYER.astype(np.float16)
    trace = half(100.0 * X.astype(np.float16), keep=causal_mask(N, N))
    assert all(np.isfinite(value).all() for value in vars(trace).values() if isinstance(value, np.ndarray))


def test_row_5_masked_weights_are_exactly_zero_however_large_the_masked_score() -> None:
    key = np.array([[1.0], [1e15]])
    weights = attend(np.ones((1, 1)), key, key, keep=[[True, False]]).weights
    assert weights.tolist() == [[1.0, 0.0]]


def test_row_6_softmax_runs_along_the_keys() -> None:
    weights = attend([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], np.ones((2, 1))).weights
    assert weights.sum(axis=-1).tolist() == [1.0]
    assert (weights != 1.0).all()


@pytest.mark.parametrize(("scale", "mean"), [("sqrt_d_model", 0.198), ("sqrt_d_k", 0.361), ("none", 0.875)])
def test_row_7_sqrt_d_model_is_too_flat(scale: str, mean: float) -> None:
    """The mean of the largest weight over 8 keys, unit normals, d_k 64, d_model 512, within four standard errors."""
    generator = np.random.default_rng(0)
    divisor = {"sqrt_d_model": np.sqrt(512), "sqrt_d_k": 8.0, "none": 1.0}[scale]
    query, key = generator.standard_normal((20000, 1, 64)), generator.standard_normal((20000, 8, 64))
    largest = attend(query, key, np.zeros((20000, 8, 1)), scale=divisor).weights.max(axis=-1)
    half_a_digit = 0.0005
    assert abs(largest.mean() - mean) <= half_a_digit + 4.0 * largest.std() / np.sqrt(largest.size)


def test_row_8_scaling_the_query_the_key_or_both_is_one_and_the_same() -> None:
    query, key, value = LAYER(X).query, LAYER(X).key, LAYER(X).value
    expected = attend(query, key, value).weights
    root = D_K**-0.25
    for q, k in ((query / np.sqrt(D_K), key), (query, key / np.sqrt(D_K)), (root * query, root * key)):
        np.testing.assert_allclose(attend(q, k, value, scale="none").weights, expected, rtol=0.0, atol=1e-13)


def test_row_9_shown_weights_sum_to_one() -> None:
    np.testing.assert_allclose(LAYER(X, SOURCE).weights.sum(axis=-1), 1.0, rtol=0.0, atol=1e-14)


def test_row_10_each_head_uses_its_own_columns_and_no_others() -> None:
    trace = LAYER(X, SOURCE)
    for h in range(H):
        np.testing.assert_allclose(trace.query[h], X @ LAYER.w_q[h], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(trace.key[h], SOURCE @ LAYER.w_k[h], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(trace.value[h], SOURCE @ LAYER.w_v[h], rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(
            trace.contributions[h], trace.head_outputs[h] @ LAYER.w_o[h], rtol=0.0, atol=1e-12
        )


def test_row_11_d_k_8_d_v_64_three_heads_and_d_model_10_go_together() -> None:
    assert LAYER(X).output.shape == (N, D_MODEL)
    assert LAYER(X).concat.shape == (N, H * D_V)
    assert LAYER.w_o.reshape(H * D_V, D_MODEL).shape == (192, 10)


def test_row_12_weights_are_per_head_and_reading_them_changes_nothing() -> None:
    trace = LAYER(X, keep=causal_mask(N, N))
    output = trace.output.copy()
    assert trace.weights.shape == (H, N, N)
    assert np.triu(trace.weights, 1).sum() == 0.0
    trace.weights.mean(axis=0)
    np.testing.assert_array_equal(LAYER(X, keep=causal_mask(N, N)).output, output)


def test_row_13_the_layer_passes_on_the_concatenation_and_not_the_mean_of_the_heads() -> None:
    trace = LAYER(X)
    mean = trace.weights.mean(axis=0) @ trace.value.mean(axis=0) @ LAYER.w_o.sum(axis=0)
    np.testing.assert_allclose(
        trace.output, trace.concat @ LAYER.w_o.reshape(-1, D_MODEL), rtol=0.0, atol=1e-12
    )
    assert np.abs(trace.output - mean).max() > 0.1


def test_row_14_true_means_may_look_at() -> None:
    keep = np.zeros((N, M), bool)
    keep[:, 1] = True
    expected = np.zeros((H, N, M))
    expected[..., 1] = 1.0
    np.testing.assert_array_equal(LAYER(X, SOURCE, keep=keep).weights, expected)


def test_row_15_a_triangle_of_zeros_and_ones_is_a_mask_and_not_added() -> None:
    triangle = np.tri(3)
    with pytest.raises(ValueError, match="keep must hold True and False"):
        attend(np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((3, 1)), keep=triangle)
    weights = attend(np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((3, 1)), keep=triangle > 0).weights
    assert weights[0].tolist() == [1.0, 0.0, 0.0]


def test_row_16_a_causal_mask_with_two_queries_and_five_keys_has_two_names() -> None:
    assert (causal_mask(2, 5, "top_left") * 1).tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert (causal_mask(2, 5, "bottom_right") * 1).tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_row_17_padding_hides_keys_and_no_query() -> None:
    trace = LAYER(X, SOURCE, keep=padding_mask(N, M, 4))
    assert not trace.weights[..., 4:].any()
    assert not trace.empty_rows.any()
    np.testing.assert_allclose(trace.output, LAYER(X, SOURCE[:4]).output, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("score", [name for name, entry in SCORE_FUNCTIONS.items() if entry.symmetric])
def test_row_18_query_and_key_changed_round_transpose_symmetric_scores_but_not_weights(score: str) -> None:
    swapped = MultiHeadAttention(**(LAYER.parameters() | {"w_q": LAYER.w_k, "w_k": LAYER.w_q}))
    trace, other = LAYER(X, score=score), swapped(X, score=score)
    np.testing.assert_allclose(other.scores, trace.scores.mT, rtol=0.0, atol=1e-12)
    assert np.abs(other.weights - trace.weights.mT).max() > 0.01


def test_row_19_queries_go_down_and_keys_across() -> None:
    trace = LAYER(X, SOURCE)
    shapes: dict[str, Any] = {
        name: getattr(trace, name).shape for name in ("scores", "weights", "output", "query", "key")
    }
    assert shapes == {
        "scores": (H, N, M),
        "weights": (H, N, M),
        "output": (N, D_MODEL),
        "query": (H, N, D_K),
        "key": (H, M, D_K),
    }
