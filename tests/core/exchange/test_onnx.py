"""The initialisers of graphs that ONNX's own reference evaluator runs become layers with the same output."""

import io
import warnings
from typing import Any

import numpy as np
import pytest

from attnviz import MultiHeadAttention
from tests.core.exchange.exchanged import (
    D_K,
    D_MODEL,
    D_V,
    SOURCE,
    Array,
    H,
    X,
    assert_same,
    layer,
    linears,
    side_by_side,
    square,
)

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")
FLAT = side_by_side(layer())
FUSED = {
    "Attention_0_qkv_weight": np.concatenate([FLAT["w_q"], FLAT["w_k"], FLAT["w_v"]], axis=1),
    "Attention_0_qkv_bias": np.concatenate([FLAT["b_q"], FLAT["b_k"], FLAT["b_v"]]),
    "onnx::MatMul_52": FLAT["w_o"],
    "encoder.attention.output.dense.bias": FLAT["b_o"],
}
PARTS = (H * D_K, H * D_K, H * D_V)
OUT = {"w_o": "onnx::MatMul_52", "b_o": "encoder.attention.output.dense.bias"}


def arrays_of(model: Any) -> dict[str, Array]:
    return {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}


def outputs(model: Any, **inputs: Array) -> Any:
    return reference.ReferenceEvaluator(model).run(None, inputs)[0]


def fused_graph() -> Any:
    """What com.microsoft.Attention does, and the output projection after it, in operators of ai.onnx."""
    node = onnx.helper.make_node
    nodes = [
        node("MatMul", ["x", "Attention_0_qkv_weight"], ["flat"]),
        node("Add", ["flat", "Attention_0_qkv_bias"], ["biased"]),
        node("Split", ["biased", "parts"], ["q", "k", "v"], axis=-1),
        node("Attention", ["q", "k", "v"], ["concat"], q_num_heads=H, kv_num_heads=H),
        node("MatMul", ["concat", "onnx::MatMul_52"], ["projected"]),
        node("Add", ["projected", OUT["b_o"]], ["output"]),
    ]
    value = onnx.helper.make_tensor_value_info
    given = FUSED | {"parts": np.array(PARTS)}
    graph = onnx.helper.make_graph(
        nodes,
        "attention",
        [value("x", onnx.TensorProto.DOUBLE, [1, None, D_MODEL])],
        [value("output", onnx.TensorProto.DOUBLE, [1, None, D_MODEL])],
        [onnx.numpy_helper.from_array(array, name) for name, array in given.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)])
    onnx.checker.check_model(model)
    return model


def test_one_matrix_for_query_key_and_value_with_values_of_another_width() -> None:
    model = fused_graph()
    given = {name: array for name, array in arrays_of(model).items() if name != "parts"}
    ours = MultiHeadAttention.from_onnx(given, num_heads=H, qkv_hidden_sizes=PARTS, **OUT)
    assert_same(ours, layer())
    np.testing.assert_allclose(ours(X).output, outputs(model, x=X[None])[0], rtol=0.0, atol=1e-12)


def test_what_is_pointed_out_is_taken_and_what_is_not_is_not_there() -> None:
    given = FUSED | {"other": np.ones(3)}
    roles = {"w_qkv": "Attention_0_qkv_weight", "w_o": "onnx::MatMul_52"}
    ours = MultiHeadAttention.from_onnx(given, num_heads=H, qkv_hidden_sizes=PARTS, **roles)
    assert_same(ours, layer(bias=False))


def test_three_matrices_and_one_bias_as_for_the_multi_head_attention_of_microsoft() -> None:
    given = {f"onnx::MatMul_{i}": FLAT[f"w_{name}"] for i, name in enumerate("qkvo")}
    given |= {"Attention_3_qkv_bias": FUSED["Attention_0_qkv_bias"], "dense.bias": FLAT["b_o"]}
    roles = {f"w_{name}": f"onnx::MatMul_{i}" for i, name in enumerate("qkvo")}
    ours = MultiHeadAttention.from_onnx(
        given, num_heads=H, **roles, b_qkv="Attention_3_qkv_bias", b_o="dense.bias"
    )
    assert_same(ours, layer())


def test_a_graph_that_kept_the_names_of_pytorch_or_keras_needs_no_pointing_out() -> None:
    given = {
        f"layer.0.{name}": array
        for name, array in linears(layer(), "q_proj", "k_proj", "v_proj", "o_proj").items()
    }
    assert_same(MultiHeadAttention.from_onnx(given, num_heads=H), layer())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("bias", [False, True])
def test_what_torch_exports_has_the_same_output_here(bias: bool) -> None:
    """PyTorch turns in_proj_weight, which loses its name, and leaves out_proj.weight to a Gemm that turns it."""
    torch = pytest.importorskip("torch")

    class Layer(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.attn = torch.nn.MultiheadAttention(
                D_MODEL, H, bias=bias, batch_first=True, dtype=torch.float64
            )

        def forward(self, x: Any) -> Any:
            return self.attn(x, x, x, need_weights=False)[0]

    own, module = square(bias), Layer().eval()
    module.attn.load_state_dict({name: torch.from_numpy(a) for name, a in own.to_torch().items()})
    file = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (torch.tensor(X)[None],), file, dynamo=False, input_names=["x"])
    model = onnx.load_from_string(file.getvalue())
    given = arrays_of(model)
    (unnamed,) = (name for name, array in given.items() if array.shape == (D_MODEL, 3 * D_MODEL))
    biases = {"b_qkv": "attn.in_proj_bias", "b_o": "attn.out_proj.bias"} if bias else {}
    roles = {"w_qkv": unnamed, "w_o": "attn.out_proj.weight"} | biases
    if roles["w_o"] not in given:  # without a bias it is a MatMul, and loses its name too
        (roles["w_o"],) = (name for name, array in given.items() if array.shape == (D_MODEL, D_MODEL))
    ours = MultiHeadAttention.from_onnx(given, num_heads=H, **roles)
    assert_same(ours, own)
    np.testing.assert_allclose(ours(X).output, outputs(model, x=X[None])[0], rtol=0.0, atol=1e-12)


TWO = FUSED | {f"Attention_1_{kind}": FUSED[f"Attention_0_{kind}"] for kind in ("qkv_weight", "qkv_bias")}


def test_of_two_layers_that_onnx_runtime_named_one_is_chosen() -> None:
    ours = MultiHeadAttention.from_onnx(TWO, num_heads=H, qkv_hidden_sizes=PARTS, layer="Attention_1", **OUT)
    assert_same(ours, layer())


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "two layers": (TWO, OUT, "initializers: expected one layer, or layer= .*; found 2: Attention_0, Attention_1"),
    "no output": (
        FUSED, {}, r"w_o: expected the name of an initializer of shape \(H × d_v, d_model\); found Attention_0_qkv_weight,",
    ),
    "no key": (
        FUSED, {"w_q": "onnx::MatMul_52"}, r"w_k: expected the name of an initializer of shape \(d_model, H × d_k\); found",
    ),
    "unknown role": (FUSED, {"w_out": "onnx::MatMul_52"}, "w_out: expected one of w_q, .*, w_qkv, b_qkv; found 'onnx"),
    "unknown name": (FUSED, OUT | {"w_o": "onnx::MatMul_5"}, "w_o: expected one of Attention_0_qkv_weight, .*; found 'onnx"),
    "parts without the sum": (
        FUSED, OUT | {"qkv_hidden_sizes": (15, 15, 20)},
        r"Attention_0_qkv_weight: expected parts that add up to 51, .*; found \[15, 15, 20\]",
    ),
    "parts not known": (
        FUSED, OUT, r"onnx::MatMul_52: expected shape \(H × d_v, d_model\) = \(17, 12\); found \(21, 12\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_such_graph_is_told_with_what_was_expected(name: str) -> None:
    given, roles, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.from_onnx(given, num_heads=H, **roles)
    assert sum(PARTS) == 51 and D_V != D_K and SOURCE.shape != X.shape
