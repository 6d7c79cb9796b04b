"""A batch of sentences through a layer: each sentence as if it were alone."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    NORMALIZERS,
    SCORE_FUNCTIONS,
    AttentionTrace,
    alibi_bias,
    causal_mask,
    padding_mask,
    random_score_parameters,
)
from tests.core.layers import D_K, D_MODEL, GENERATOR, H, M, N, layer

BATCH = 3
X, SOURCE = GENERATOR.standard_normal((BATCH, N, D_MODEL)), GENERATOR.standard_normal((BATCH, M, D_MODEL))
COMPUTED = (
    "x", "x_source", "query", "key", "value", "scores", "scaled", "weights", "head_outputs", "concat",
    "contributions", "output",
)  # fmt: skip


def assert_alone(together: AttentionTrace, sentence: int, alone: AttentionTrace) -> None:
    for name in COMPUTED:
        ours, expected = getattr(together, name)[sentence], getattr(alone, name)
        assert ours.shape == expected.shape, name
        np.testing.assert_allclose(ours, expected, rtol=0.0, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(together.empty_rows[sentence], alone.empty_rows)


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("cross", [False, True])
def test_each_sentence_of_a_batch_is_as_if_it_were_alone(score: str, normalizer: str, cross: bool) -> None:
    parameters = random_score_parameters(score, d_k=D_K, num_heads=H, seed=0)
    m = M if cross else N
    settings: dict[str, Any] = {
        "score": score, "normalizer": normalizer, "temperature": 0.8, "softcap": 4.0, "residual": True,
        "rotary": True, "bias": alibi_bias(H, N, m), "keep": causal_mask(N, m),
    }  # fmt: skip
    own = layer(True)
    together = own(X, SOURCE if cross else None, **settings, **parameters)
    for b in range(BATCH):
        assert_alone(together, b, own(X[b], SOURCE[b] if cross else None, **settings, **parameters))


@pytest.mark.parametrize("heads", [H, BATCH])  # as many heads as sentences: the first axis is the sentences'
def test_each_sentence_reads_the_mask_of_its_own(heads: int) -> None:
    keep = np.stack([padding_mask(N, M, length) for length in (0, 2, 5)])  # (B, n, m)
    own = layer(num_heads=heads)
    together = own(X, SOURCE, keep=keep)
    for b in range(BATCH):
        assert_alone(together, b, own(X[b], SOURCE[b], keep=keep[b]))


def test_padding_can_be_one_row_a_sentence_and_a_mask_can_be_one_a_head() -> None:
    lengths = keep = np.arange(M) < np.array([1, 2, 5])[:, None, None]  # (B, 1, m)
    together = layer()(X, SOURCE, keep=lengths)
    for b in range(BATCH):
        assert_alone(together, b, layer()(X[b], SOURCE[b], keep=keep[b]))
    heads = np.stack([causal_mask(N, M), ~causal_mask(N, M)])  # (H, n, m)
    together = layer()(X, SOURCE, keep=heads[None])
    for b in range(BATCH):
        assert_alone(together, b, layer()(X[b], SOURCE[b], keep=heads))


def test_a_batch_of_one_and_of_none_have_their_axis() -> None:
    assert layer()(X[:1]).weights.shape == (1, H, N, N)
    assert layer()(X[:0]).output.shape == (0, N, D_MODEL)


def test_a_batch_agrees_with_torch() -> None:
    torch = pytest.importorskip("torch")
    own = layer(True, d_model=8, num_heads=2, d_k=4, d_v=4)
    x = GENERATOR.standard_normal((BATCH, N, 8))
    padding = np.arange(N) >= np.array([1, 3, 4])[:, None]  # (B, n), torch: True = hidden
    module = torch.nn.MultiheadAttention(8, 2, bias=True, batch_first=True, dtype=torch.float64)
    rows = [getattr(own, f"w_{name}").transpose(0, 2, 1).reshape(8, 8) for name in "qkv"]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate(rows)))
        module.in_proj_bias.copy_(
            torch.from_numpy(np.concatenate([getattr(own, f"b_{n}").ravel() for n in "qkv"]))
        )
        module.out_proj.weight.copy_(torch.from_numpy(own.w_o.reshape(8, 8).T.copy()))
        module.out_proj.bias.copy_(torch.from_numpy(own.b_o.copy()))
        tokens = torch.from_numpy(x)
        output, weights = module(
            tokens, tokens, tokens, key_padding_mask=torch.from_numpy(padding), average_attn_weights=False
        )
    ours = own(x, keep=~padding[:, None, :])
    np.testing.assert_allclose(ours.weights, weights.numpy(), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours.output, output.numpy(), rtol=0.0, atol=1e-12)
