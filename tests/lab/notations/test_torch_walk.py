"""The walk through PyTorch's tensors: against PyTorch itself where it is installed, and against ONNX always."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.layer import MultiHeadAttention
from attnviz.core.masks import Keep, causal_mask
from attnviz.lab.notations.torch_walk import (
    WALK_STEPS,
    TorchParameters,
    TorchWalk,
    safe_softmax,
    walk,
    without_transpose,
)

HEADS, HEAD_DIM, N, M = 3, 2, 5, 4
E = HEADS * HEAD_DIM

cases = pytest.mark.parametrize(
    ("bias", "cross", "masked"),
    [(False, False, False), (True, False, True), (True, True, False), (False, True, True)],
)


def layer(bias: bool = True, num_heads: int = HEADS) -> MultiHeadAttention:
    d_k = E // num_heads
    return MultiHeadAttention.random(d_model=E, num_heads=num_heads, d_k=d_k, d_v=d_k, seed=4, bias=bias)


def tokens(count: int) -> Array:
    return np.random.default_rng([count, E]).standard_normal((count, E))


def mask(cross: bool) -> Keep:
    """True = may look; every query may look at something."""
    return causal_mask(N, M if cross else N)


def walked(bias: bool, cross: bool, masked: bool) -> TorchWalk:
    blocked = ~mask(cross) if masked else None
    return walk(TorchParameters.of(layer(bias)), tokens(N), tokens(M) if cross else None, attn_mask=blocked)


@cases
def test_the_walk_gives_what_torch_nn_multiheadattention_gives(bias: bool, cross: bool, masked: bool) -> None:
    torch = pytest.importorskip("torch")
    way = walked(bias, cross, masked)
    module = torch.nn.MultiheadAttention(E, HEADS, bias=bias, batch_first=True).double()
    state = {
        "in_proj_weight": way.parameters.in_proj_weight,
        "in_proj_bias": way.parameters.in_proj_bias,
        "out_proj.weight": way.parameters.out_proj_weight,
        "out_proj.bias": way.parameters.out_proj_bias,
    }
    module.load_state_dict({name: torch.tensor(a) for name, a in state.items() if a is not None})
    x, source = torch.tensor(way.x), torch.tensor(way.source)
    blocked = torch.tensor(~mask(cross)) if masked else None
    with torch.no_grad():
        output, weights = module(x, source, source, attn_mask=blocked, average_attn_weights=False)
    np.testing.assert_allclose(way.weights, weights.numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(way.output, output.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("cross", [False, True])
def test_each_line_of_code_run_by_torch_makes_the_tensors_that_are_shown(cross: bool) -> None:
    torch = pytest.importorskip("torch")
    way = walked(True, cross, True)
    p = way.parameters
    weight, bias = torch.tensor(p.in_proj_weight), torch.tensor(p.in_proj_bias)
    out_proj = SimpleNamespace(weight=torch.tensor(p.out_proj_weight), bias=torch.tensor(p.out_proj_bias))
    w_q, w_kv = weight.split([E, 2 * E])
    b_q, b_kv = bias.split([E, 2 * E])
    scope = {
        "F": torch.nn.functional, "math": math, "in_proj_weight": weight, "in_proj_bias": bias,
        "out_proj": out_proj, "x": torch.tensor(way.x), "H": HEADS,
        "source": torch.tensor(way.source), "head_dim": HEAD_DIM, "E": E, "attn_mask": torch.tensor(~mask(cross)),
        "w_q": w_q, "w_kv": w_kv, "b_q": b_q, "b_kv": b_kv,
    }  # fmt: skip
    made = {"in_proj": ("q", "kv") if cross else ("qkv",), "chunk": ("q", "k", "v"), "view": ("q",)}
    made |= {"head_outputs": ("heads",), "permute": ("heads",), "out_proj": ("output",)}
    for name, step in WALK_STEPS.items():
        line = step.line(cross)
        if "=" not in line:  # parameters, shown as they are
            shown = [eval(line, scope)]
        else:
            exec(line, scope)
            if name == "view":  # the page says that k and v go the same way
                exec(f"{line.replace('q', 'k')}; {line.replace('q', 'v')}", scope)
            shown = [scope[variable] for variable in made.get(name, (name,))]
        for tensor, ours in zip(shown, step.tensors(way), strict=True):
            assert tuple(tensor.shape) == ours.shape, name
            np.testing.assert_allclose(tensor.numpy(), ours, rtol=0, atol=1e-12, err_msg=name)


@cases
def test_the_middle_of_the_walk_is_the_onnx_operator_attention(bias: bool, cross: bool, masked: bool) -> None:
    helper = pytest.importorskip("onnx.helper")
    from onnx.reference import ReferenceEvaluator

    way = walked(bias, cross, masked)
    names = ["q", "k", "v", *(["mask"] if masked else [])]
    double, boolean = 11, 9
    inputs = [
        helper.make_tensor_value_info(name, boolean if name == "mask" else double, None) for name in names
    ]
    node = helper.make_node("Attention", names, ["y"])
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", double, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])
    given = {"q": way.query, "k": way.key, "v": way.value} | ({"mask": mask(cross)} if masked else {})
    (y,) = ReferenceEvaluator(model).run(None, given)
    np.testing.assert_allclose(way.head_outputs, y, rtol=0, atol=1e-12)


@cases
def test_the_walk_ends_where_our_layer_ends(bias: bool, cross: bool, masked: bool) -> None:
    way = walked(bias, cross, masked)
    ours = layer(bias)(
        tokens(N), tokens(M) if cross else None, keep=mask(cross) if masked else None, scale="sqrt_d_k"
    )
    for theirs, mine in (
        (way.query[0], ours.query),
        (way.key[0], ours.key),
        (way.value[0], ours.value),
        (way.weights[0], ours.weights),
        (way.concat[0], ours.concat),
        (way.output[0], ours.output),
    ):
        np.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-12)


@pytest.mark.parametrize("divisor", [1.0, math.sqrt(E), 3.7])
def test_another_divisor_lives_in_the_rows_of_the_queries(divisor: float) -> None:
    ours = layer()(tokens(N), scale=divisor)
    way = walk(TorchParameters.of(layer(), divisor), tokens(N))
    np.testing.assert_allclose(way.weights[0], ours.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(way.output[0], ours.output, rtol=0, atol=1e-12)


def test_shapes_are_those_of_pytorch() -> None:
    way = walked(True, True, True)
    assert way.parameters.in_proj_weight.shape == (3 * E, E)
    assert [t.shape for t in way.in_proj] == [(1, N, E), (1, M, 2 * E)]
    assert [t.shape for t in walked(True, False, False).in_proj] == [(1, N, 3 * E)]
    assert way.query.shape == (1, HEADS, N, HEAD_DIM) and way.value.shape == (1, HEADS, M, HEAD_DIM)
    assert way.scores.shape == way.weights.shape == (1, HEADS, N, M)
    assert way.permuted.shape == (1, N, HEADS, HEAD_DIM)
    assert way.concat.shape == way.output.shape == (1, N, E)


def test_a_query_that_may_look_at_nothing_gets_weights_0() -> None:
    blocked = np.zeros((N, N), bool)
    blocked[2] = True
    way = walk(TorchParameters.of(layer()), tokens(N), attn_mask=blocked)
    assert (way.weights[0, :, 2] == 0).all() and (way.concat[0, 2] == 0).all()
    np.testing.assert_allclose(np.delete(way.weights, 2, axis=2).sum(axis=-1), 1.0, rtol=0, atol=1e-12)


def test_without_the_transpose_the_heads_are_mixed_up_unless_there_is_one() -> None:
    """(xla and others: the split by reshape alone; H = 1 hides it.)"""
    way = walked(True, False, False)
    wrong = without_transpose(way.chunks[0], HEADS)
    assert wrong.shape == way.query.shape
    assert not np.isclose(wrong, way.query).all()
    single = walk(TorchParameters.of(layer(num_heads=1)), tokens(N))
    assert (without_transpose(single.chunks[0], 1) == single.query).all()


def test_softmax_of_large_scores_does_not_overflow_and_of_none_is_0() -> None:
    scores = np.array([[800.0, 1.0, 1.0], [-np.inf, -10000.0, -10000.0], [-np.inf] * 3])
    assert (safe_softmax(scores) == [[1, 0, 0], [0, 0.5, 0.5], [0, 0, 0]]).all()


@pytest.mark.parametrize(("d_k", "d_v"), [(3, 2), (2, 3)])
def test_sizes_that_pytorch_does_not_have_are_refused(d_k: int, d_v: int) -> None:
    other = MultiHeadAttention.random(d_model=E, num_heads=HEADS, d_k=d_k, d_v=d_v, seed=0)
    with pytest.raises(
        ValueError, match=f"d_k and d_v must be d_model / H = 6 / 3; got d_k={d_k}, d_v={d_v}"
    ):
        TorchParameters.of(other)
