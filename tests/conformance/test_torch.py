"""torch, where it is installed: nn.MultiheadAttention, scaled_dot_product_attention, flex_attention, autograd."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    MultiHeadAttention,
    alibi_bias,
    attend,
    causal_mask,
    padding_mask,
    softmax,
    window_mask,
)
from attnviz.core.arrays import Array

torch = pytest.importorskip("torch")

N, M, D_MODEL, D_K, D_V, H, BATCH = 4, 6, 8, 3, 5, 2, 3
GENERATOR = np.random.default_rng(21)

MASKS = {
    "no mask": None,
    "causal": causal_mask(N, M),
    "padding": padding_mask(N, M, 4),
    "window": window_mask(N, M, 1, 2),
    "per head": np.stack([causal_mask(N, M), window_mask(N, M, 2)]),
}


def drawn(*shape: int) -> Array:
    return GENERATOR.standard_normal(shape)


def close(ours: Array, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bias", [False, True])
def test_multi_head_attention_is_that_of_torch_with_the_mask_turned_round(mask: str, bias: bool) -> None:
    d_k = D_MODEL // H
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=H, d_k=d_k, d_v=d_k, seed=5, bias=bias)
    theirs = torch.nn.MultiheadAttention(D_MODEL, H, bias=bias, batch_first=True, dtype=torch.float64)
    in_projection = [
        w.transpose(0, 2, 1).reshape(D_MODEL, D_MODEL) for w in (layer.w_q, layer.w_k, layer.w_v)
    ]
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate(in_projection)))
        theirs.out_proj.weight.copy_(torch.tensor(layer.w_o.reshape(D_MODEL, D_MODEL).T))
        if bias:
            biases = [b.ravel() for b in (layer.b_q, layer.b_k, layer.b_v) if b is not None]
            theirs.in_proj_bias.copy_(torch.tensor(np.concatenate(biases)))
            theirs.out_proj.bias.copy_(torch.tensor(layer.b_o))
    x, source, keep = drawn(N, D_MODEL), drawn(M, D_MODEL), MASKS[mask]
    tokens, memory = torch.tensor(x)[None], torch.tensor(source)[None]
    blocked = None if keep is None else torch.tensor(~keep)  # True = may not look at
    output, weights = theirs(tokens, memory, memory, attn_mask=blocked, average_attn_weights=False)
    trace = layer(x, source, keep=keep)
    close(trace.weights, weights[0])
    close(trace.output, output[0])


@pytest.mark.parametrize("mask", MASKS)
def test_attend_is_the_scaled_dot_product_attention_of_torch(mask: str) -> None:
    query, key, value, keep = (
        drawn(BATCH, H, N, D_K),
        drawn(BATCH, H, M, D_K),
        drawn(BATCH, H, M, D_V),
        MASKS[mask],
    )
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (query, key, value)), attn_mask=None if keep is None else torch.tensor(keep)
    )
    close(attend(query, key, value, keep=keep).output, theirs)


def test_a_fully_masked_row_is_zero_as_in_torch() -> None:
    query, key, value = drawn(H, N, D_K), drawn(H, M, D_K), drawn(H, M, D_V)
    keep = np.ones((N, M), bool)
    keep[2] = False
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (query, key, value)), attn_mask=torch.tensor(keep)
    )
    close(attend(query, key, value, keep=keep).output, theirs)


def test_grouped_heads_are_those_of_torch() -> None:
    query, key, value = drawn(BATCH, 6, N, D_K), drawn(BATCH, 2, M, D_K), drawn(BATCH, 2, M, D_V)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (query, key, value)), enable_gqa=True
    )
    close(attend(query, key, value).output, theirs)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_softcap_bias_and_causal_mask_are_those_of_flex_attention() -> None:
    flex = pytest.importorskip("torch.nn.attention.flex_attention")
    query, key, value = drawn(1, H, N, D_K), drawn(1, H, N, D_K), drawn(1, H, N, D_V)
    bias = torch.tensor(alibi_bias(H, N, N, causal=True))

    def score_mod(score: Any, b: Any, h: Any, i: Any, j: Any) -> Any:
        capped = 2.0 * torch.tanh(score / 2.0) + bias[h, i, j]
        return torch.where(i >= j, capped, -float("inf"))

    theirs = flex.flex_attention(*map(torch.tensor, (query, key, value)), score_mod=score_mod)
    ours = attend(
        query, key, value, softcap=2.0, bias=alibi_bias(H, N, N, causal=True), keep=causal_mask(N, N)
    )
    close(ours.output, theirs)


def test_the_jacobian_of_softmax_is_diag_p_minus_p_p_transposed() -> None:
    scores = drawn(M)
    weights = softmax(scores)
    theirs = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0), torch.tensor(scores))
    close(np.diag(weights) - np.outer(weights, weights), theirs)
