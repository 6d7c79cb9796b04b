"""PyTorch's nn.MultiheadAttention, and the linear layers that models of Hugging Face and timm make of it.

A Linear computes x W^T + b: its weight is (outputs, inputs), the heads stand side by side along the outputs.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
"""

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from .errors import ExchangeError
from .given import AXES, Given, split_by_heads
from .layouts import Layout


def from_linear(given: Given) -> dict[str, Array]:
    """Our parameters from weights (outputs, inputs)."""
    return split_by_heads(given.as_floats(), out_first=True)


def from_conv1d(given: Given) -> dict[str, Array]:
    """Our parameters from GPT-2's Conv1D, weights (inputs, outputs); nanoGPT has a Linear by the same names."""
    given = given.as_floats()
    rows, columns = (*given.arrays["w_qkv"].shape, 0, 0)[:2]
    return split_by_heads(given, out_first=rows == 3 * columns)


def to_torch(parameters: Mapping[str, Array]) -> dict[str, Array]:
    """The state dict of nn.MultiheadAttention(d_model, H, bias=...); biases are all there, or none.

    Raises ExchangeError unless H * d_k = H * d_v = d_model.
    """
    heads, d_model, d_k = parameters["w_q"].shape
    d_v = parameters["w_v"].shape[2]
    if heads * d_k != d_model or heads * d_v != d_model:
        found = f"H × d_k = {heads * d_k}, H × d_v = {heads * d_v}, d_model = {d_model}"
        raise ExchangeError("sizes", "split", found)
    rows = [parameters[f"w_{name}"].swapaxes(1, 2).reshape(d_model, d_model) for name in "qkv"]
    state = {"in_proj_weight": np.concatenate(rows)}  # (3 d_model, d_model)
    with_bias = any(name in parameters for name in ("b_q", "b_k", "b_v", "b_o"))
    if with_bias:
        zeros = np.zeros(d_model, rows[0].dtype)
        state["in_proj_bias"] = np.concatenate([parameters.get(f"b_{n}", zeros).reshape(-1) for n in "qkv"])
    state["out_proj.weight"] = np.array(parameters["w_o"].reshape(d_model, d_model).T, order="C")
    if with_bias:
        state["out_proj.bias"] = np.array(parameters.get("b_o", zeros))
    return state


def is_turned(name: str) -> bool:
    """Whether this is the name of a matrix that PyTorch keeps as (outputs, inputs), after any prefix."""
    return f".{name}".endswith(_TURNED_NAMES)


def _linears(query: str, key: str, value: str, output: str) -> Layout:
    """Four linear layers by these names."""
    stems = dict(zip("qkvo", (query, key, value, output), strict=True))
    kinds = {"w": "weight", "b": "bias"}
    names = {f"{kind}_{one}": f"{stem}.{kinds[kind]}" for one, stem in stems.items() for kind in kinds}
    return Layout("Hugging Face", names, TURNED, from_linear, ("q_norm.weight", "k_norm.weight"))


def _fused(library: str, stem: str, output: str, axes: Mapping[str, tuple[str, ...]], linear: bool) -> Layout:
    """One layer for query, key and value, and one for the output."""
    names = {
        "w_qkv": f"{stem}.weight",
        "b_qkv": f"{stem}.bias",
        "w_o": f"{output}.weight",
        "b_o": f"{output}.bias",
    }
    return Layout(
        library, names, axes, from_linear if linear else from_conv1d, ("q_norm.weight", "k_norm.weight")
    )


TURNED = {role: axes[::-1] for role, axes in AXES.items()}
_OUT = {"w_o": "out_proj.weight", "b_o": "out_proj.bias"}
_ADDED = ("bias_k", "bias_v")  # add_bias_kv=True: one more key and value beside those of the tokens
TORCH = (
    Layout(
        "PyTorch", {"w_qkv": "in_proj_weight", "b_qkv": "in_proj_bias"} | _OUT, TURNED, from_linear, _ADDED
    ),
    Layout(
        "PyTorch",
        {f"w_{name}": f"{name}_proj_weight" for name in "qkv"} | {"b_qkv": "in_proj_bias"} | _OUT,
        TURNED,
        from_linear,
        _ADDED,
    ),
)
LINEARS = (
    _linears("q_proj", "k_proj", "v_proj", "o_proj"),  # Llama
    _linears("q_proj", "k_proj", "v_proj", "out_proj"),  # BART, OPT, CLIP
    _linears("self.query", "self.key", "self.value", "output.dense"),  # BERT
    _linears("attention.query", "attention.key", "attention.value", "output.dense"),  # ViT
    _linears("query", "key", "value", "dense"),
    _linears("q", "k", "v", "o"),  # T5
    _linears("q_lin", "k_lin", "v_lin", "out_lin"),  # DistilBERT
    _fused("Hugging Face", "c_attn", "c_proj", AXES, linear=False),  # GPT-2
    _fused("timm", "qkv", "proj", TURNED, linear=True),
)
_TURNED_NAMES = tuple(
    f".{layout.names[role]}"
    for layout in (*TORCH, *LINEARS)
    for role in layout.matrices
    if layout.axes is TURNED
)
