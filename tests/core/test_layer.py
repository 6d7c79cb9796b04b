"""MultiHeadAttention against the definition written as loops, and everything a trace promises."""

import dataclasses
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import attnviz
from attnviz.core import (
    PARAMETER_AXES,
    SCORE_FUNCTIONS,
    AttentionTrace,
    MultiHeadAttention,
    attend,
    causal_mask,
    random_score_parameters,
    rotate,
)

Array = NDArray[Any]
N, M, D_MODEL, D_K, D_V, H = 4, 6, 7, 3, 5, 2
GENERATOR = np.random.default_rng(5)
X, SOURCE = GENERATOR.standard_normal((N, D_MODEL)), GENERATOR.standard_normal((M, D_MODEL))


def layer(bias: bool = False, **sizes: int) -> MultiHeadAttention:
    chosen = {"d_model": D_MODEL, "num_heads": H, "d_k": D_K, "d_v": D_V, "seed": 6} | sizes
    return MultiHeadAttention.random(**chosen, bias=bias)


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
    assert trace.x is X
    assert trace.x_source is SOURCE
    assert trace.keep is None
    assert trace.score_parameters == {"beta": 2.0}
    assert (own.num_heads, own.d_model, own.d_k, own.d_v) == (H, D_MODEL, D_K, D_V)
    assert own(X).x_source is X


def test_a_trace_and_a_layer_cannot_be_changed_in_place() -> None:
    own = layer(True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        own(X).output = X  # type: ignore[misc]
    for array in own.parameters().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_a_layer_keeps_its_numbers_when_the_arrays_it_was_made_of_change() -> None:
    given = {name: array.copy() for name, array in layer(True).parameters().items()}
    own = MultiHeadAttention(**given)
    before = own(X).output
    for array in given.values():
        array[...] = 0.0
    np.testing.assert_array_equal(own(X).output, before)


def test_replacing_one_matrix_gives_another_layer() -> None:
    own = layer(True)
    w_v = 2.0 * own.w_v
    replaced = dataclasses.replace(own, w_v=w_v, b_v=None)
    np.testing.assert_array_equal(replaced.w_v, w_v)
    np.testing.assert_allclose(replaced(X).value, X @ w_v, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(replaced(X).weights, own(X).weights)


def test_a_trace_survives_pickling() -> None:
    trace = layer(True)(X, SOURCE)
    again = pickle.loads(pickle.dumps(trace))
    np.testing.assert_array_equal(again.output, trace.output)
    np.testing.assert_array_equal(again.layer(X, SOURCE).output, trace.output)


def test_head_outputs_are_views_of_the_concatenation() -> None:
    trace = layer()(X)
    assert np.shares_memory(trace.head_outputs, trace.concat)
    for h in range(H):
        np.testing.assert_array_equal(trace.concat[:, h * D_V : (h + 1) * D_V], trace.head_outputs[h])


def test_heads_read_the_mask_of_their_own() -> None:
    keep = np.stack([causal_mask(N, N), np.zeros((N, N), bool)])
    trace = layer()(X, keep=keep)
    assert trace.empty_rows.tolist() == [[False] * N, [True] * N]
    np.testing.assert_allclose(trace.weights[0], layer()(X, keep=causal_mask(N, N)).weights[0], atol=1e-15)
    np.testing.assert_allclose(trace.output, trace.contributions[0], rtol=0.0, atol=1e-15)


def test_rotary_turns_query_and_key_by_their_positions() -> None:
    plain, turned = layer()(X, SOURCE), layer()(X, SOURCE, rotary=True)
    np.testing.assert_array_equal(turned.query, rotate(plain.query, np.arange(N)))
    np.testing.assert_array_equal(turned.key, rotate(plain.key, np.arange(M)))
    np.testing.assert_array_equal(turned.value, plain.value)


def test_with_rotary_positions_moving_all_tokens_changes_no_weight() -> None:
    own = layer()
    query, key = (rotate(part, np.arange(N) + 9) for part in (own(X).query, own(X).key))
    weights = attend(query, key, own(X).value).weights
    np.testing.assert_allclose(weights, own(X, rotary=True).weights, rtol=0.0, atol=1e-12)


def test_sqrt_d_model_is_flatter_than_sqrt_d_k_unless_one_head_is_as_wide_as_the_model() -> None:
    narrow = layer(d_model=64, d_k=4)
    x = GENERATOR.standard_normal((N, 64))
    by_model, by_head = (narrow(x, scale=scale) for scale in ("sqrt_d_model", "sqrt_d_k"))
    assert (by_model.scale, by_head.scale) == (8.0, 2.0)
    assert by_model.weights.max() < by_head.weights.max()
    wide = layer(d_model=64, num_heads=1, d_k=64, d_v=64)
    np.testing.assert_array_equal(wide(x, scale="sqrt_d_model").weights, wide(x, scale="sqrt_d_k").weights)


def test_the_form_of_mathematics_papers_is_the_general_form() -> None:
    """X + sum_h Softmax[(X W_h^Q) (X W_h^K)^T] X W_h^V, with W^O folded in, written with none of our functions."""
    own = layer()
    folded = own.folded()
    assert (folded.d_v, folded.num_heads, folded.d_k) == (D_MODEL, H, D_K)
    np.testing.assert_array_equal(folded.w_o, np.stack([np.eye(D_MODEL)] * H))
    expected = X.copy()
    for h in range(H):
        exponentials = np.exp((X @ own.w_q[h]) @ (X @ own.w_k[h]).T)
        expected += exponentials / exponentials.sum(axis=1, keepdims=True) @ X @ own.w_v[h] @ own.w_o[h]
    settings: dict[str, Any] = {"scale": "none", "residual": True}
    np.testing.assert_allclose(folded(X, **settings).output, expected, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(folded(X, **settings).output, own(X, **settings).output, rtol=0.0, atol=1e-12)


def test_folding_keeps_the_output_of_a_layer_with_biases() -> None:
    own = layer(True)
    np.testing.assert_allclose(own.folded()(X, SOURCE).output, own(X, SOURCE).output, rtol=0.0, atol=1e-12)


def test_a_linear_map_of_x_followed_by_w_q_is_one_matrix() -> None:
    """Composition: (E W^X) W^QX = E (W^X W^QX), the same for key and value."""
    own, w_x = layer(), GENERATOR.standard_normal((9, D_MODEL))
    embedded = GENERATOR.standard_normal((N, 9))
    composed = MultiHeadAttention(
        w_x @ own.w_q, w_x @ own.w_k, w_x @ own.w_v, GENERATOR.standard_normal((H, D_V, 9))
    )
    two_steps, one_step = own(embedded @ w_x), composed(embedded)
    for step in ("query", "key", "value", "scores", "weights", "head_outputs"):
        np.testing.assert_allclose(getattr(one_step, step), getattr(two_steps, step), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_the_type_of_x_and_layer_is_the_type_of_every_number(dtype: Any) -> None:
    trace = layer(True).astype(dtype)(X.astype(dtype), residual=True)
    arrays = [value for value in vars(trace).values() if isinstance(value, np.ndarray)]
    assert {array.dtype for array in arrays} == {np.dtype(dtype)}


def test_half_precision_is_computed_in_float32_and_comes_back() -> None:
    half = layer(True).astype(np.float16)
    trace, wide = half(X.astype(np.float16)), half.astype(np.float32)(X.astype(np.float16).astype(np.float32))
    assert trace.weights.dtype == trace.output.dtype == np.float16
    assert trace.scores.dtype == np.float32
    np.testing.assert_array_equal(trace.output, wide.output.astype(np.float16))


def test_whole_numbers_are_promoted() -> None:
    trace = layer()([[1] * D_MODEL, [2] * D_MODEL])
    assert trace.output.dtype == np.float64


def test_drawn_heads_are_nested_and_nothing_else_moves() -> None:
    small, large = layer(True), layer(True, num_heads=4, d_k=9, d_v=11, d_model=12)
    for name, axes in PARAMETER_AXES.items():
        array = small.parameters()[name]
        corner = large.parameters()[name][tuple(slice(size) for size in array.shape)]
        factor = np.sqrt(4 * 11 / (H * D_V)) if name.endswith("o") else np.sqrt(12 / D_MODEL)
        np.testing.assert_allclose(corner * factor, array, rtol=1e-14, err_msg=f"{name} {axes}")


def test_memory_at_the_peak_is_what_is_returned() -> None:
    """Within 5 percent (facts.md), for 128 tokens."""
    own = layer(d_model=64, num_heads=4, d_k=16, d_v=16)
    x = GENERATOR.standard_normal((128, 64))
    own(x)
    tracemalloc.start()
    trace = own(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    owned = (
        trace.query.base,
        trace.scores,
        trace.scaled,
        trace.weights,
        trace.contributions,
        trace.output,
        trace.concat,
    )
    assert peak <= 1.05 * sum(array.nbytes for array in owned if array is not None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones((5, 6))}, r"x must have shape \(tokens, d_model=7\); got \(5, 6\)"),
        ({"x": np.ones(7)}, r"x must have shape \(tokens, d_model=7\); got \(7,\)"),
        (
            {"x_source": np.ones((2, 5, 7))},
            r"x_source must have shape \(tokens, d_model=7\); got \(2, 5, 7\)",
        ),
        ({"x": np.where(X.min() < X, X, np.nan)}, r"x must be finite; got nan at"),
        ({"x_source": np.full((2, 7), np.inf)}, r"x_source must be finite; got inf at \(0, 0\)"),
        (
            {"x": np.full((2, 7), 1e308)},
            "the projections of x must be finite; x or the parameters are too large",
        ),
        ({"x": 1e200 * X}, "the scores must be finite where a query may look; got -?inf at"),
        (
            {"keep": np.ones((3, 4, 4), bool)},
            r"keep must broadcast to the shape \(\.\.\., n, m\) = \(2, 4, 4\)",
        ),
        (
            {"score": "general", "w": np.ones((3, 3, 3))},
            r"w must have shape \(d_k=3, d_k=3\) or \(H, d_k=3, d_k=3\)",
        ),
        (
            {"scale": "sqrt_dk"},
            "scale must be one of auto, sqrt_d_k, none, sqrt_d_model or a positive number",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_what_was_expected(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        layer()(**({"x": X} | arguments))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("w_q", np.ones((7, 3)), r"w_q must have the axes .*; got \(7, 3\)"),
        (
            "w_k",
            np.ones((2, 7, 4)),
            r"w_k must have shape \(num_heads, d_model, d_k\) = \(2, 7, 3\); got \(2, 7, 4\)",
        ),
        (
            "w_v",
            np.ones((3, 7, 5)),
            r"w_v must have shape \(num_heads, d_model, d_v\) = \(2, 7, 5\); got \(3, 7, 5\)",
        ),
        (
            "w_o",
            np.ones((10, 7)),
            r"w_o must have shape \(num_heads, d_v, d_model\) = \(2, 5, 7\); got \(10, 7\)",
        ),
        ("b_q", np.ones(3), r"b_q must have shape \(num_heads, d_k\) = \(2, 3\); got \(3,\)"),
        ("b_o", np.ones((2, 7)), r"b_o must have shape \(d_model\) = \(7,\); got \(2, 7\)"),
        ("w_q", np.full((2, 7, 3), np.nan), r"w_q must be finite; got nan at \(0, 0, 0\)"),
        ("w_q", np.ones((0, 7, 3)), "every size must be at least 1; got"),
        ("w_q", np.ones((2, 7, 3)) * 1j, "w_q must be made of real numbers; got dtype complex128"),
    ],
)
def test_a_parameter_that_does_not_fit_is_told_with_what_was_expected(
    name: str, array: Array, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(**(layer().parameters() | {name: array}))


def test_a_notebook_imports_the_core_from_the_package() -> None:
    for name in attnviz.__all__:
        assert getattr(attnviz, name) is getattr(attnviz.core, name)
