"""One layer in several notations: each equal to ours, and to the library whose layout it claims to be."""

import os
from typing import Any

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import Keep, causal_mask
from attnviz.lab.notations import notations
from attnviz.lab.notations.notations import NOTATIONS, Case, Written, largest_difference

D_MODEL, HEADS, D_K, D_V, N, M = 7, 3, 2, 5, 6, 4
DIVISOR = np.sqrt(D_K)


def layer(name: str = "", bias: bool = True) -> MultiHeadAttention:
    """Every size of its own; for PyTorch, which cannot have that, d_model = 6 and d_k = d_v = 2."""
    d_model, d_v = (HEADS * D_K, D_K) if name == "torch" else (D_MODEL, D_V)
    return MultiHeadAttention.random(d_model=d_model, num_heads=HEADS, d_k=D_K, d_v=d_v, seed=1, bias=bias)


def tokens(count: int, width: int = D_MODEL) -> Array:
    return np.random.default_rng([count, width]).standard_normal((count, width))


def case(name: str, bias: bool, cross: bool, masked: bool, residual: bool) -> tuple[Case, AttentionTrace]:
    made = layer(name, bias)
    x = tokens(N, made.d_model)
    source = tokens(M, made.d_model) if cross else x
    keep: Keep | None = causal_mask(len(x), len(source)) if masked else None
    ours = made(x, source if cross else None, keep=keep, residual=residual, scale=float(DIVISOR))
    return Case(made, x, source, keep, float(DIVISOR), residual), ours


@pytest.mark.parametrize("name", NOTATIONS)
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize(("bias", "masked", "residual"), [(False, False, True), (True, True, False)])
def test_every_notation_gives_the_same_weights_and_output(
    name: str, cross: bool, bias: bool, masked: bool, residual: bool
) -> None:
    given, ours = case(name, bias, cross, masked, residual)
    weights, output = NOTATIONS[name](given).rows()
    np.testing.assert_allclose(weights, ours.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(output, ours.output, rtol=0, atol=1e-12)
    assert largest_difference((ours.weights, ours.output), (weights, output)) < 1e-12


@pytest.mark.parametrize("name", NOTATIONS)
def test_a_query_that_may_look_at_nothing_gets_0_in_every_notation(name: str) -> None:
    given, _ = case(name, False, True, True, False)
    assert given.keep is not None
    given.keep[2] = False
    weights, output = NOTATIONS[name](given).rows()
    assert (weights[:, 2] == 0).all() and (output[2] == 0).all()


def test_columns_are_really_columns() -> None:
    written = notations.columns(case("", True, True, False, False)[0])
    assert written.weights.shape == (HEADS, M, N) and written.output.shape == (D_MODEL, N)
    np.testing.assert_allclose(written.weights.sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_softmax_along_the_wrong_axis_gives_other_numbers_and_queries_that_do_not_sum_to_1() -> None:
    given, ours = case("", True, True, False, False)
    wrong = notations.columns(given, softmax_axis=1)
    np.testing.assert_allclose(wrong.weights.sum(axis=2), 1.0, rtol=0, atol=1e-12)
    assert not np.isclose(wrong.weights.sum(axis=1), 1.0).all()
    assert largest_difference((ours.output,), (wrong.rows()[1],)) > 1e-3


def test_the_short_form_is_our_folded_layer_with_residual_and_no_scale() -> None:
    """X + sum_h (W_h^V X) softmax[(W_h^K X)^T (W_h^Q X)]: what the preset of mathematics papers computes."""
    x = tokens(N)
    folded = layer(bias=False).folded()
    ours = folded(x, scale="none", residual=True)
    _, output = notations.short(Case(layer(bias=False), x, x, None, 1.0, True)).rows()
    np.testing.assert_allclose(output, ours.output, rtol=0, atol=1e-12)


def keras_layer(made: MultiHeadAttention) -> Any:
    assert os.environ["KERAS_BACKEND"] == "numpy"
    keras = pytest.importorskip("keras")
    built = keras.layers.MultiHeadAttention(HEADS, D_K, D_V)
    built.build((1, N, D_MODEL), (1, M, D_MODEL))
    kernels = {"query": made.w_q, "key": made.w_k, "value": made.w_v}
    biases = {"query": made.b_q, "key": made.b_k, "value": made.b_v}
    for variable in built.weights:
        part, kind = variable.path.split("/")[-2:]
        if part == "attention_output":
            variable.assign(made.w_o if kind == "kernel" else made.b_o)
        else:
            variable.assign(kernels[part].transpose(1, 0, 2) if kind == "kernel" else biases[part])
    return built


@pytest.mark.parametrize("masked", [False, True])
def test_the_keras_form_is_keras(masked: bool) -> None:
    """Keras computes in single precision whatever it is given."""
    given, _ = case("", True, True, masked, False)
    built = keras_layer(given.layer)
    mask = None if given.keep is None else given.keep[None]
    output, weights = built(
        given.x[None], given.source[None], attention_mask=mask, return_attention_scores=True
    )
    written = notations.keras(given)
    np.testing.assert_allclose(written.weights, np.asarray(weights)[0], rtol=0, atol=5e-6)
    np.testing.assert_allclose(written.output, np.asarray(output), rtol=0, atol=5e-6)


@pytest.mark.parametrize("masked", [False, True])
def test_the_onnx_form_is_the_onnx_operator_between_two_products(masked: bool) -> None:
    helper = pytest.importorskip("onnx.helper")
    from onnx.reference import ReferenceEvaluator

    given, _ = case("", True, True, masked, False)
    made = given.layer
    matrices = {"q": made.w_q, "k": made.w_k, "v": made.w_v}
    biases = {"q": made.b_q, "k": made.b_k, "v": made.b_v}
    nodes, feeds = [], {"x": given.x[None], "s": given.source[None], "w_o": made.w_o.reshape(-1, D_MODEL)}
    for name, matrix in matrices.items():
        feeds |= {f"w_{name}": np.concatenate(list(matrix), axis=1), f"b_{name}": biases[name].reshape(-1)}
        nodes.append(helper.make_node("MatMul", ["x" if name == "q" else "s", f"w_{name}"], [f"p_{name}"]))
        nodes.append(helper.make_node("Add", [f"p_{name}", f"b_{name}"], [name]))
    if given.keep is not None:
        feeds["mask"] = given.keep
    node = helper.make_node(
        "Attention", ["q", "k", "v", *(["mask"] if masked else [])], ["joined"],
        q_num_heads=HEADS, kv_num_heads=HEADS,
    )  # fmt: skip
    nodes += [node, helper.make_node("MatMul", ["joined", "w_o"], ["y"])]
    infos = [helper.make_tensor_value_info(n, 9 if n == "mask" else 11, None) for n in feeds]
    graph = helper.make_graph(nodes, "g", infos, [helper.make_tensor_value_info("y", 11, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])
    (y,) = ReferenceEvaluator(model).run(None, feeds)
    np.testing.assert_allclose(notations.onnx(given).output, y + made.b_o, rtol=0, atol=1e-12)


def test_arrays_of_other_shapes_are_not_compared() -> None:
    with pytest.raises(ValueError, match=r"same shape \(2, 3\); got \(1, 3\)"):
        largest_difference((np.zeros((2, 3)),), (np.zeros((1, 3)),))
    assert (
        largest_difference((np.zeros((2, 3)), np.ones(2)), (np.zeros((2, 3)), np.array([1.0, -2.0]))) == 3.0
    )


def test_what_is_written_in_columns_comes_back_as_rows() -> None:
    weights, output = np.arange(12.0).reshape(1, 4, 3), np.arange(6.0).reshape(2, 3)
    rows = Written(weights, output, columns=True).rows()
    assert (rows[0][0] == weights[0].T).all() and (rows[1] == output.T).all()
