"""Keras' attention layers, computed with NumPy in float64, agree with ours within 1e-12."""

import importlib
from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention, attend, causal_mask, padding_mask, window_mask
from attnviz.core.arrays import Array

keras = pytest.importorskip("keras")
if keras.backend.backend() != "numpy":
    pytest.skip("Keras computes with another backend than NumPy", allow_module_level=True)

N, M, D_MODEL, D_K, D_V, H = 4, 6, 7, 3, 5, 2
GENERATOR = np.random.default_rng(20)
X, SOURCE = GENERATOR.standard_normal((N, D_MODEL)), GENERATOR.standard_normal((M, D_MODEL))

MASKS = {
    "no mask": None,
    "causal": causal_mask(N, M),
    "padding": padding_mask(N, M, 4),
    "window": window_mask(N, M, 1),
    "drawn": np.array([[1, 0, 0, 1, 0, 1], [0, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1]], bool),
}


@pytest.fixture(autouse=True)
def float64(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Keras compute in float64: it halves every result's type, as JAX does, except for TensorFlow."""
    dtypes = importlib.import_module("keras.src.backend.common.dtypes")
    monkeypatch.setattr(dtypes, "BIT64_TO_BIT32_DTYPE", {})


def close(ours: Array, theirs: Any) -> None:
    assert theirs.dtype == np.float64
    np.testing.assert_allclose(ours, np.asarray(theirs)[0], rtol=0.0, atol=1e-12)


def keras_layer(layer: MultiHeadAttention) -> Any:
    """Keras' layer with the parameters of ours: it keeps the heads on the second axis, and the first of w_o."""
    theirs = keras.layers.MultiHeadAttention(
        num_heads=layer.num_heads,
        key_dim=layer.d_k,
        value_dim=layer.d_v,
        use_bias=layer.b_q is not None,
        dtype="float64",
    )
    theirs.build((1, N, layer.d_model), (1, M, layer.d_model))
    own = layer.parameters()
    in_their_order = [own[f"{kind}_{name}"] for name in "qkv" for kind in "wb" if f"{kind}_{name}" in own]
    moved = [w.transpose(1, 0, 2) if w.ndim == 3 else w for w in in_their_order]
    theirs.set_weights([*moved, *(own[name] for name in ("w_o", "b_o") if name in own)])
    return theirs


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_multi_head_cross_attention_is_that_of_keras(mask: str, bias: bool) -> None:
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=H, d_k=D_K, d_v=D_V, seed=3, bias=bias)
    keep = MASKS[mask]
    output, weights = keras_layer(layer)(
        X[None],
        SOURCE[None],
        attention_mask=None if keep is None else keep[None],
        return_attention_scores=True,
    )
    trace = layer(X, SOURCE, keep=keep)
    close(trace.weights, weights)
    close(trace.output, output)


def test_causal_self_attention_is_that_of_keras() -> None:
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=H, d_k=D_K, d_v=D_V, seed=4, bias=True)
    output, weights = keras_layer(layer)(X[None], X[None], use_causal_mask=True, return_attention_scores=True)
    trace = layer(X, keep=causal_mask(N, N))
    close(trace.weights, weights)
    close(trace.output, output)


@pytest.mark.parametrize("mask", ["no mask", "causal"])
def test_additive_attention_with_identities_is_that_of_keras(mask: str) -> None:
    v = GENERATOR.standard_normal(D_MODEL)
    theirs = keras.layers.AdditiveAttention(dtype="float64")
    theirs.build([(1, N, D_MODEL), (1, M, D_MODEL), (1, M, D_MODEL)])
    theirs.set_weights([v])
    value = GENERATOR.standard_normal((M, D_MODEL))
    output, weights = theirs(
        [X[None], value[None], SOURCE[None]], use_causal_mask=mask == "causal", return_attention_scores=True
    )
    identity = np.eye(D_MODEL)
    ours = attend(X, SOURCE, value, score="additive", w_query=identity, w_key=identity, v=v, keep=MASKS[mask])
    close(ours.weights, weights)
    close(ours.output, output)


@pytest.mark.parametrize("mask", ["no mask", "causal"])
def test_dot_attention_with_a_learned_factor_is_that_of_keras(mask: str) -> None:
    theirs = keras.layers.Attention(use_scale=True, dtype="float64")
    theirs.build([(1, N, D_MODEL), (1, M, D_MODEL)])
    theirs.set_weights([np.array(0.3)])
    output, weights = theirs(
        [X[None], SOURCE[None]], use_causal_mask=mask == "causal", return_attention_scores=True
    )
    ours = attend(X, SOURCE, SOURCE, scale=1.0 / 0.3, keep=MASKS[mask])
    close(ours.weights, weights)
    close(ours.output, output)


def test_concat_attention_of_keras_is_our_additive_score() -> None:
    theirs = keras.layers.Attention(score_mode="concat", use_scale=True, dtype="float64")
    theirs.build([(1, N, D_MODEL), (1, M, D_MODEL)])
    theirs.set_weights([np.array(0.3), np.array(1.7)])
    output, weights = theirs([X[None], SOURCE[None]], return_attention_scores=True)
    factor = 0.3 * np.eye(D_MODEL)
    ours = attend(X, SOURCE, SOURCE, score="additive", w_query=factor, w_key=factor, v=np.full(D_MODEL, 1.7))
    close(ours.weights, weights)
    close(ours.output, output)
