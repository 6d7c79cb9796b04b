"""MultiHeadAttention against the definition written as loops, and everything a trace promises."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import attnviz
from attnviz.core import (
    PARAMETER_AXES,
    SCORE_FUNCTIONS,
    AttentionTrace,
    MultiHeadAttention,
    attend,
    causal_mask,
    random_score_parameters,
)
from attnviz.core.arrays import Array
from tests.core.layers import D_K, D_MODEL, D_V, GENERATOR, SOURCE, H, M, N, X, layer


def definition(own: MultiHeadAttention, x: Array, source: Array) -> dict[str, Array]:
    """Every step by loops over heads, tokens and coordinates (long double)."""
    n, m, d_model, d_k, d_v = len(x), len(source), own.d_model, own.d_k, own.d_v
    shapes = {
        "query": (own.num_heads, n, d_k),
        "key": (own.num_heads, m, d_k),
        "value": (own.num_heads, m, d_v),
        "scores": (own.num_heads, n, m),
        "weights": (own.num_heads, n, m),
        "head_outputs": (own.num_heads, n, d_v),
        "concat": (n, own.num_heads * d_v),
        "contributions": (own.num_heads, n, d_model),
        "output": (n, d_model),
    }
    step = {name: np.zeros(shape, np.longdouble) for name, shape in shapes.items()}
    for h in range(own.num_heads):
        for name, tokens, w, b in (
            ("query", x, own.w_q, own.b_q),
            ("key", source, own.w_k, own.b_k),
            ("value", source, own.w_v, own.b_v),
        ):
            for i in range(len(tokens)):
                for c in range(w.shape[2]):
                    step[name][h, i, c] = sum(tokens[i, r] * w[h, r, c] for r in range(d_model))
                    step[name][h, i, c] += 0.0 if b is None else b[h, c]
        for i in range(n):
            for j in range(m):
                step["scores"][h, i, j] = sum(
                    step["query"][h, i, c] * step["key"][h, j, c] for c in range(d_k)
                )
            exponentials = [np.exp(score / np.sqrt(np.longdouble(d_k))) for score in step["scores"][h, i]]
            for j in range(m):
                step["weights"][h, i, j] = exponentials[j] / sum(exponentials)
            for c in range(d_v):
                mixed = sum(step["weights"][h, i, j] * step["value"][h, j, c] for j in range(m))
                step["head_outputs"][h, i, c] = step["concat"][i, h * d_v + c] = mixed
            for c in range(d_model):
                own_part = sum(step["head_outputs"][h, i, r] * own.w_o[h, r, c] for r in range(d_v))
                step["contributions"][h, i, c] = own_part
                step["output"][i, c] += own_part
    if own.b_o is not None:
        step["output"] += own.b_o
    return step


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("source", [None, SOURCE])
def test_every_step_is_its_definition(source: Array | None, bias: bool) -> None:
    trace = layer(bias)(X, source)
    for name, expected in definition(layer(bias), X, X if source is None else source).items():
        ours = getattr(trace, name)
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours, expected.astype(np.float64), rtol=0.0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
def test_the_trace_holds_what_attend_computes_from_its_query_key_and_value(score: str) -> None:
    given = random_score_parameters(score, d_k=D_K, num_heads=H, seed=0)
    keep, bias = causal_mask(N, M), GENERATOR.standard_normal((H, N, M))
    settings: dict[str, Any] = {"temperature": 0.7, "softcap": 3.0, "normalizer": "sparsemax"}
    trace = layer(True)(X, SOURCE, keep=keep, bias=bias, score=score, **settings, **given)
    alone = attend(
        trace.query, trace.key, trace.value, keep=keep, bias=bias, score=score, **settings, **given
    )
    for step in ("scores", "scaled", "weights"):
        np.testing.assert_allclose(getattr(trace, step), getattr(alone, step), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(trace.head_outputs, alone.output, rtol=0.0, atol=1e-12)
    assert trace.scale == alone.scale
    assert (
        trace.score_parameters.keys()
        == alone.score_parameters.keys()
        == SCORE_FUNCTIONS[score].parameters.keys()
    )


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("residual", [False, True])
def test_contributions_add_up_to_the_output_exactly_and_it_is_the_concatenation_times_w_o(
    bias: bool, residual: bool
) -> None:
    own = layer(bias)
    trace = own(X, SOURCE, residual=residual)
    total = trace.contributions[0] + trace.contributions[1]
    whole = trace.concat @ own.w_o.reshape(H * D_V, D_MODEL)
    for added in ([own.b_o] if own.b_o is not None else []) + ([X] if residual else []):
        total, whole = total + added, whole + added
    np.testing.assert_array_equal(trace.output, total)
    np.testing.assert_allclose(trace.output, whole, rtol=0.0, atol=1e-12)
    assert trace.residual == residual


def test_the_trace_has_every_number_and_its_parameters() -> None:
    own = layer(True)
    trace = own(X, SOURCE, score="cosine", beta=2.0)
    assert {field.name for field in dataclasses.fields(AttentionTrace)} == vars(trace).keys()
    assert trace.layer is own
    np.testing.assert_array_equal(trace.x, X)
    np.testing.assert_array_equal(trace.x_source, SOURCE)
    assert trace.keep is None
    assert trace.score_parameters == {"beta": 2.0}
    assert (own.num_heads, own.d_model, own.d_k, own.d_v) == (H, D_MODEL, D_K, D_V)
    for alone in (own(X), own(X, X)):
        assert alone.x_source is alone.x


def test_heads_read_the_mask_of_their_own() -> None:
    keep = np.stack([causal_mask(N, N), np.zeros((N, N), bool)])
    trace = layer()(X, keep=keep)
    assert trace.empty_rows.tolist() == [[False] * N, [True] * N]
    np.testing.assert_allclose(trace.weights[0], layer()(X, keep=causal_mask(N, N)).weights[0], atol=1e-15)
    np.testing.assert_allclose(trace.output, trace.contributions[0], rtol=0.0, atol=1e-15)


def test_drawn_heads_are_nested_and_nothing_else_moves() -> None:
    small, large = layer(True), layer(True, num_heads=4, d_k=9, d_v=11, d_model=12)
    for name, axes in PARAMETER_AXES.items():
        array = small.parameters()[name]
        corner = large.parameters()[name][tuple(slice(size) for size in array.shape)]
        factor = np.sqrt(4 * 11 / (H * D_V)) if name.endswith("o") else np.sqrt(12 / D_MODEL)
        np.testing.assert_allclose(corner * factor, array, rtol=1e-14, err_msg=f"{name} {axes}")


def test_a_notebook_imports_the_core_from_the_package() -> None:
    for name in attnviz.__all__:
        assert getattr(attnviz, name) is getattr(attnviz.core, name)
