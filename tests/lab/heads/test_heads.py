"""What heads add up to: two ways to one output, and the output without some of them."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import AttentionTrace, MultiHeadAttention
from attnviz.lab.heads.heads import head_counts, joined, with_mean_weights, without_heads
from attnviz.lab.heads.parameters import attention_parameters

N, M, D_MODEL, HEADS, D_K, D_V = 5, 4, 7, 3, 2, 6


def trace(heads: int = HEADS, *, bias: bool = False, residual: bool = False) -> AttentionTrace:
    rng = np.random.default_rng(1)
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=heads, d_k=D_K, d_v=D_V, seed=3, bias=bias)
    return layer(rng.normal(size=(N, D_MODEL)), rng.normal(size=(M, D_MODEL)), residual=residual)


def test_one_product_is_the_loop_over_heads_tokens_and_coordinates() -> None:
    found = trace()
    expected = np.zeros((N, D_MODEL))
    for h in range(HEADS):
        for i in range(N):
            for c in range(D_V):
                expected[i] += found.head_outputs[h, i, c] * found.layer.w_o[h, c]
    np.testing.assert_allclose(joined(found.head_outputs, found.layer.w_o), expected, rtol=0, atol=1e-12)


def test_heads_in_another_order_with_their_blocks_give_the_same_output() -> None:
    found = trace()
    order = [2, 0, 1]
    kept = joined(found.head_outputs, found.layer.w_o)
    both = joined(found.head_outputs[order], found.layer.w_o[order])
    alone = joined(found.head_outputs[order], found.layer.w_o)
    np.testing.assert_allclose(both, kept, rtol=0, atol=1e-12)
    assert np.abs(alone - kept).max() > 0.1


def test_blocks_that_do_not_fit_the_heads_are_refused() -> None:
    found = trace()
    with pytest.raises(ValueError, match="w_o must have shape"):
        joined(found.head_outputs, found.layer.w_o[:2])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("residual", [False, True])
def test_without_muted_heads_the_output_is_as_if_their_head_outputs_were_0(
    bias: bool, residual: bool
) -> None:
    found = trace(bias=bias, residual=residual)
    silent = found.head_outputs.copy()
    silent[[0, 2]] = 0.0
    expected = joined(silent, found.layer.w_o)
    expected = expected + (found.layer.b_o if bias else 0.0) + (found.x if residual else 0.0)
    np.testing.assert_allclose(without_heads(found, [2, 0]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
def test_muting_nobody_is_the_output(bias: bool) -> None:
    found = trace(bias=bias, residual=True)
    np.testing.assert_allclose(without_heads(found, []), found.output, rtol=0, atol=1e-12)


def test_muting_every_head_leaves_0() -> None:
    assert not without_heads(trace(), range(HEADS)).any()


@pytest.mark.parametrize("wrong", [-1, HEADS])
def test_a_head_that_there_is_not_cannot_be_muted(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"muted must hold heads from 0 to 2; got {wrong}"):
        without_heads(trace(), [wrong])


def test_the_mean_of_the_weights_is_something_else_than_concatenation() -> None:
    found = trace()
    assert np.abs(with_mean_weights(found) - found.output).max() > 0.01


def test_heads_that_look_alike_are_their_own_mean() -> None:
    found = trace()
    same = replace(found, weights=np.repeat(found.weights[:1], HEADS, axis=0))
    expected = joined(np.matmul(same.weights, same.value), same.layer.w_o)
    np.testing.assert_allclose(with_mean_weights(same), expected, rtol=0, atol=1e-12)


def test_one_head_is_its_own_concatenation_and_its_own_mean() -> None:
    found = trace(heads=1)
    np.testing.assert_array_equal(found.concat, found.head_outputs[0])
    np.testing.assert_allclose(with_mean_weights(found), found.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("d_model", [1, 7, 12, 512])
def test_the_parameter_count_is_the_same_for_every_number_of_heads_that_divides_d_model(
    d_model: int, bias: bool
) -> None:
    counts = {
        attention_parameters(d_model, heads, d_model // heads, d_model // heads, bias=bias).attention
        for heads in head_counts(d_model)
    }
    assert counts == {4 * d_model**2 + (4 * d_model if bias else 0)}


def test_head_counts_are_the_divisors_up_to_16() -> None:
    assert head_counts(12) == (1, 2, 3, 4, 6, 12)
    assert head_counts(512) == (1, 2, 4, 8, 16)
    assert head_counts(7) == (1, 7)
