"""Keras' layer with key_dim != value_dim has the same output here, by its list of weights and by its names."""

import importlib
from typing import Any

import numpy as np
import pytest

from attnviz import MultiHeadAttention
from tests.core.exchange.exchanged import D_K, D_MODEL, D_V, GENERATOR, SOURCE, H, M, N, X, layer, square

# Keras' own way to NumPy, which NumPy means to change.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword")

NAMED = {
    "query/kernel": np.ones((D_MODEL, H, D_K)),
    "key/kernel": np.ones((D_MODEL, H, D_K)),
    "value/kernel": np.ones((D_MODEL, H, D_V)),
    "attention_output/kernel": np.ones((H, D_V, D_MODEL)),
}


@pytest.fixture(scope="module")
def keras() -> Any:
    found = pytest.importorskip("keras")
    if found.backend.backend() != "numpy":
        pytest.skip("Keras computes with another backend than NumPy")
    return found


@pytest.fixture(autouse=True)
def float64(keras: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Keras compute in float64: it halves every result's type, as JAX does, except for TensorFlow."""
    dtypes = importlib.import_module("keras.src.backend.common.dtypes")
    monkeypatch.setattr(dtypes, "BIT64_TO_BIT32_DTYPE", {})


def drawn(keras: Any, bias: bool) -> Any:
    theirs = keras.layers.MultiHeadAttention(H, D_K, D_V, use_bias=bias, dtype="float64")
    theirs.build((1, N, D_MODEL), (1, M, D_MODEL))
    theirs.set_weights([GENERATOR.standard_normal(w.shape) for w in theirs.get_weights()])
    return theirs


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["list", "paths", "dots", "outputs"])
def test_a_layer_of_keras_has_the_same_weights_and_output_here(keras: Any, bias: bool, kind: str) -> None:
    theirs = drawn(keras, bias)
    named = {w.path: np.asarray(w) for w in theirs.weights}
    given: Any = {
        "list": theirs.get_weights(),
        "paths": named,
        "dots": {name.replace("/", "."): array for name, array in named.items()},
        "outputs": {f"{name}:0": array for name, array in named.items()},
    }[kind]
    ours = MultiHeadAttention.from_keras(given)
    assert (ours.num_heads, ours.d_model, ours.d_k, ours.d_v) == (H, D_MODEL, D_K, D_V)
    output, weights = theirs(X[None], SOURCE[None], return_attention_scores=True)
    np.testing.assert_allclose(ours(X, SOURCE).weights, weights[0], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours(X, SOURCE).output, output[0], rtol=0.0, atol=1e-12)
    assert (ours.b_o is not None) == bias


def test_of_a_model_the_layer_is_chosen_by_its_name(keras: Any) -> None:
    inputs = keras.Input((N, D_MODEL))
    first = keras.layers.MultiHeadAttention(H, D_K, D_V, name="first", dtype="float64")
    second = keras.layers.MultiHeadAttention(2, D_V, D_K, name="second", dtype="float64")
    model = keras.Model(inputs, second(first(inputs, inputs), inputs))
    named = {w.path: np.asarray(w) for w in model.weights}
    ours = MultiHeadAttention.from_keras(named, layer="second")
    assert (ours.num_heads, ours.d_k, ours.d_v) == (2, D_V, D_K)
    with pytest.raises(
        ValueError, match="weights: expected one layer, or layer= to choose one; found 2: first, second"
    ):
        MultiHeadAttention.from_keras(named)
    with pytest.raises(
        ValueError, match="weights: expected 8 arrays, or half as many without biases; found 16"
    ):
        MultiHeadAttention.from_keras(model.get_weights())


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no value": (
        {"value/kernel": None}, r"value\.kernel: expected an array of shape \(d_model, H, d_v\); found nothing",
    ),
    "two axes": (
        {"key/kernel": np.ones((D_MODEL, 15))},
        r"key/kernel: expected an array of shape \(d_model, H, d_k\); found \(12, 15\)",
    ),
    "grouped heads": (
        {"key/kernel": np.ones((D_MODEL, 1, D_K))},
        r"key/kernel: expected as many heads .* = \(12, 3, 5\); found \(12, 1, 5\)",
    ),
    "another output": (
        {"attention_output/kernel": np.ones((H, D_V, 11))},
        r"attention_output/kernel: expected shape \(H, d_v, d_model\) = \(3, 7, 12\); found \(3, 7, 11\)",
    ),
    "gated": ({"gate/kernel": np.ones((D_MODEL, H, D_K))}, "gate/kernel: expected no such parameter"),
    "whole numbers": (
        {"query/kernel": np.ones((D_MODEL, H, D_K), int)},
        r"query/kernel: expected floating-point numbers; .*; found int64",
    ),
    "nothing": (dict.fromkeys(NAMED), r"weights: expected names of Keras \(query\.kernel, …\); found nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("changed", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_layer_of_keras_is_told_with_what_was_expected(
    changed: dict[str, Any], message: str
) -> None:
    weights = {name: array for name, array in (NAMED | changed).items() if array is not None}
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.from_keras(weights)


def test_what_came_from_torch_goes_to_keras_by_its_own_names() -> None:
    own, p = square(), square().parameters()
    named = {
        f"{stem}/{kind}": p[name].swapaxes(0, 1) if name in ("w_q", "w_k", "w_v") else p[name]
        for stem, one in (("query", "q"), ("key", "k"), ("value", "v"), ("attention_output", "o"))
        for kind, name in (("kernel", f"w_{one}"), ("bias", f"b_{one}"))
    }
    ours = MultiHeadAttention.from_keras(named)
    np.testing.assert_array_equal(ours(X).output, own(X).output)
    assert layer().d_k != layer().d_v
