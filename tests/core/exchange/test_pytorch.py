"""PyTorch's state dicts become layers with the same output, and layers become state dicts that PyTorch takes."""

from typing import Any

import numpy as np
import pytest

from attnviz import MultiHeadAttention
from attnviz.core.exchange.errors import ExchangeError
from tests.core.exchange.exchanged import (
    D_K,
    D_MODEL,
    D_V,
    SOURCE,
    H,
    X,
    assert_same,
    layer,
    linears,
    side_by_side,
    square,
)

STEMS = [
    ("q_proj", "k_proj", "v_proj", "o_proj"),
    ("q_proj", "k_proj", "v_proj", "out_proj"),
    ("query", "key", "value", "dense"),
    ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    (
        "attention.attention.query",
        "attention.attention.key",
        "attention.attention.value",
        "attention.output.dense",
    ),
    ("q", "k", "v", "o"),
    ("q_lin", "k_lin", "v_lin", "out_lin"),
]
each_bias = pytest.mark.parametrize("bias", [False, True])


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0.0, atol=1e-12)


@each_bias
@pytest.mark.parametrize("kdim", [None, D_MODEL])
def test_a_layer_of_torch_has_the_same_weights_and_output_here(bias: bool, kdim: int | None) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    theirs = torch.nn.MultiheadAttention(
        D_MODEL, H, bias=bias, kdim=kdim, batch_first=True, dtype=torch.float64
    )
    if kdim:  # what PyTorch does for keys and values of other sizes than the queries
        theirs._qkv_same_embed_dim = False
        for i, name in enumerate("qkv"):
            rows = theirs.in_proj_weight[i * D_MODEL : (i + 1) * D_MODEL]
            theirs.register_parameter(f"{name}_proj_weight", torch.nn.Parameter(rows.clone()))
        theirs.register_parameter("in_proj_weight", None)
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter)
    ours = MultiHeadAttention.from_torch(theirs.state_dict(), num_heads=H)
    memory = torch.tensor(SOURCE)[None]
    output, weights = theirs(torch.tensor(X)[None], memory, memory, average_attn_weights=False)
    close(ours(X, SOURCE).weights, weights[0])
    close(ours(X, SOURCE).output, output[0])


@each_bias
def test_torch_takes_the_state_dict_and_computes_the_same(bias: bool) -> None:
    torch = pytest.importorskip("torch")
    own = square(bias)
    theirs = torch.nn.MultiheadAttention(D_MODEL, H, bias=bias, batch_first=True, dtype=torch.float64)
    state = {name: torch.from_numpy(array) for name, array in own.to_torch().items()}
    found = theirs.load_state_dict(state)
    assert (found.missing_keys, found.unexpected_keys) == ([], [])
    memory = torch.tensor(SOURCE)[None]
    close(own(X, SOURCE).output, theirs(torch.tensor(X)[None], memory, memory)[0][0])


@each_bias
def test_a_layer_goes_to_torch_and_comes_back_bit_for_bit(bias: bool) -> None:
    own = square(bias)
    assert_same(MultiHeadAttention.from_torch(own.to_torch(), num_heads=H), own)
    half = own.astype(np.float32)
    assert_same(MultiHeadAttention.from_torch(half.to_torch(), num_heads=H), half)


def test_where_one_bias_is_there_torch_gets_all_with_zeros_for_the_rest() -> None:
    own = square()
    parameters = own.parameters()
    state = MultiHeadAttention(
        **{name: parameters[name] for name in parameters if name not in ("b_q", "b_o")}
    ).to_torch()
    np.testing.assert_array_equal(state["in_proj_bias"][:D_MODEL], np.zeros(D_MODEL))
    np.testing.assert_array_equal(state["in_proj_bias"][D_MODEL : 2 * D_MODEL], side_by_side(own)["b_k"])
    np.testing.assert_array_equal(state["out_proj.bias"], np.zeros(D_MODEL))


def test_sizes_that_torch_does_not_have_are_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"sizes: expected H × d_k = H × d_v = d_model, .*; found H × d_k = 15, H × d_v = 21, d_model = 12",
    ):
        layer().to_torch()


@each_bias
@pytest.mark.parametrize("stems", STEMS, ids="/".join)
@pytest.mark.parametrize("prefix", ["", "model.layers.3.self_attn.", "encoder/layer_0/"])
def test_linear_layers_are_known_by_the_names_that_hugging_face_gives_them(
    stems: tuple[str, ...], bias: bool, prefix: str
) -> None:
    own = layer(bias)
    state = {prefix + name: array for name, array in linears(own, *stems).items()}
    assert_same(MultiHeadAttention.from_torch(state, num_heads=H), own)


@each_bias
@pytest.mark.parametrize(
    ("stem", "output", "turned"),
    [("qkv", "proj", True), ("c_attn", "c_proj", True), ("c_attn", "c_proj", False)],
)
def test_one_matrix_for_query_key_and_value_is_told_from_three(
    stem: str, output: str, turned: bool, bias: bool
) -> None:
    """timm's Linear; nanoGPT's Linear and GPT-2's Conv1D by the same names, of which the shape tells which it is."""
    own = square(bias)
    flat = side_by_side(own)
    fused, out = np.concatenate([flat["w_q"], flat["w_k"], flat["w_v"]], axis=1), flat["w_o"]
    state = {
        f"h.0.attn.{stem}.weight": fused.T if turned else fused,
        f"h.0.attn.{output}.weight": out.T if turned else out,
    }
    if bias:
        state |= {f"h.0.attn.{stem}.bias": np.concatenate([flat["b_q"], flat["b_k"], flat["b_v"]])}
        state |= {f"h.0.attn.{output}.bias": flat["b_o"]}
    state["h.0.attn.bias"] = np.tril(np.ones((1, 1, 8, 8)))  # GPT-2's mask, which is no bias
    assert_same(MultiHeadAttention.from_torch(state, num_heads=H), own)


def test_a_transformer_of_torch_has_layers_by_their_prefixes() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.nn.TransformerDecoder(
        torch.nn.TransformerDecoderLayer(D_MODEL, H, 9, batch_first=True, dtype=torch.float64), 2
    )
    state = theirs.state_dict()
    with pytest.raises(
        ValueError,
        match=r"state_dict: expected one layer, or layer= to choose one; found 4: layers.0.self_attn, layers.0.mul",
    ):
        MultiHeadAttention.from_torch(state, num_heads=H)
    part = theirs.layers[1].multihead_attn.eval()  # without dropout
    torch.nn.init.normal_(part.in_proj_bias)
    memory = torch.tensor(SOURCE)[None]
    for name in ("layers.1.multihead_attn", "layers.1.multihead_attn."):
        ours = MultiHeadAttention.from_torch(theirs.state_dict(), num_heads=H, layer=name)
        close(ours(X, SOURCE).output, part(torch.tensor(X)[None], memory, memory)[0][0])
    with pytest.raises(
        ValueError, match=r"layer: expected one of the layers layers.0.self_attn, .*; found 'layers.7'"
    ):
        MultiHeadAttention.from_torch(state, num_heads=H, layer="layers.7")


def test_bfloat16_becomes_float32_exactly() -> None:
    torch = pytest.importorskip("torch")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    state = {name: array.astype(ml_dtypes.bfloat16) for name, array in square().to_torch().items()}
    ours = MultiHeadAttention.from_torch(state, num_heads=H)
    assert ours.w_q.dtype == np.float32
    tensors = {name: torch.from_numpy(a.astype(np.float32)).to(torch.bfloat16) for name, a in state.items()}
    np.testing.assert_array_equal(
        ours.to_torch()["in_proj_weight"], tensors["in_proj_weight"].float().numpy()
    )
    with pytest.raises(
        ValueError, match=r"in_proj_weight: expected what NumPy can read as numbers; found .*BFloat16"
    ):
        MultiHeadAttention.from_torch(tensors, num_heads=H)


LINEAR = linears(layer(), "q_proj", "k_proj", "v_proj", "o_proj")
STATE = square().to_torch()
SHARED = {name: LINEAR[name][:D_K] for name in ("k_proj.weight", "k_proj.bias")}
CONV1D = {"c_attn.weight": np.ones((12, 12 + 2 * 3)), "c_proj.weight": np.ones((12, 12))}
ADDED = {"bias_k": np.ones((1, 1, 12)), "bias_v": np.ones((1, 1, 12))}
WRONG: dict[str, tuple[dict[str, Any], Any, str]] = {
    "no heads": (STATE, None, "num_heads: expected a whole number of heads from 1 on; found nothing"),
    "heads as text": (STATE, "3", "num_heads: expected a whole number of heads from 1 on; found '3'"),
    "no head at all": (STATE, 0, r"num_heads: .*; found 0"),
    "five heads": (STATE, 5, "in_proj_weight: expected a multiple of the number of heads, 5; found 12"),
    "nothing": ({}, H, r"state_dict: expected names of PyTorch \(in_proj_weight, …\), Hugging .*; found nothing"),
    "other names": (
        {"wte.weight": X, "wpe.weight": X}, H,
        r"state_dict: expected names of PyTorch .*; found wte\.weight, wpe\.weight",
    ),
    "no output": (
        {name: array for name, array in STATE.items() if "out" not in name}, H,
        r"out_proj\.weight: expected an array of shape \(d_model, H × d_v\); found nothing",
    ),
    "no key": (
        {f"a.{name}": array for name, array in LINEAR.items() if name != "k_proj.weight"}, H,
        r"a\.k_proj\.weight: expected an array .*; found nothing",
    ),
    "grouped heads": (
        LINEAR | SHARED, H,
        r"k_proj\.weight: expected as many heads of keys and values as of queries, .* = \(15, 12\); found \(5, 12\)",
    ),
    "keys of another width": (
        LINEAR | {"k_proj.weight": np.ones((15, 9))}, H,
        r"k_proj\.weight: expected shape \(H × d_k, d_model\) = \(15, 12\); found \(15, 9\)",
    ),
    "output turned": (
        LINEAR | {"o_proj.weight": LINEAR["o_proj.weight"].T}, H,
        r"o_proj\.weight: expected shape \(d_model, H × d_v\) = \(12, 21\); found \(21, 12\)",
    ),
    "three axes": (
        STATE | {"in_proj_weight": np.ones((3, 12, 12))}, H,
        r"in_proj_weight: expected an array of shape \(H × d_k \+ .*, d_model\); found \(3, 12, 12\)",
    ),
    "no thirds": (
        STATE | {"in_proj_weight": np.ones((35, 12))}, H,
        r"in_proj_weight: expected three equal parts .*; found 35",
    ),
    "fused, and the keys shared": (CONV1D, 3, r"c_proj\.weight: expected shape .* = \(6, 12\); found \(12, 12\)"),
    "bias of another size": (
        STATE | {"in_proj_bias": np.ones(12)}, H, r"in_proj_bias: expected shape .* = \(36,\); found \(12,\)",
    ),
    "int8": (
        STATE | {"in_proj_weight": np.ones((36, 12), np.int8)}, H,
        r"in_proj_weight: expected floating-point numbers; a quantised .*; found int8",
    ),
    "added keys": (STATE | ADDED, H, "bias_k: expected no such parameter"),
    "normed queries": (
        LINEAR | {"q_norm.weight": np.ones(5)}, H,
        r"q_norm\.weight: expected no such parameter: the layer here would compute something else",
    ),
    "NaN": (STATE | {"out_proj.bias": np.full(12, np.nan)}, H, r"b_o must be finite; got nan at \(0,\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_such_state_dict_is_told_with_what_was_expected(name: str) -> None:
    state, num_heads, message = WRONG[name]
    with pytest.raises(ValueError, match=message) as caught:
        MultiHeadAttention.from_torch(state, num_heads=num_heads)
    assert name == "NaN" or isinstance(caught.value, ExchangeError)


def test_values_as_wide_as_the_keys_do_not_hide_the_order_of_query_key_and_value() -> None:
    own = square()
    assert D_V != D_K
    for name in "qkv":
        at = "qkv".index(name) * D_MODEL
        np.testing.assert_array_equal(
            own.to_torch()["in_proj_weight"][at : at + D_MODEL], side_by_side(own)[f"w_{name}"].T
        )
