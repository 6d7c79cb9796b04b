"""Keras' layers.MultiHeadAttention: kernels keep the heads apart, on their second axis, and on the first in W^O.

Source: https://keras.io/api/layers/attention_layers/multi_head_attention/
"""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from ..arrays import Array
from .errors import ExchangeError
from .given import Given
from .layouts import Layout

AXES: dict[str, tuple[str, ...]] = {
    "w_q": ("d_model", "H", "d_k"),
    "b_q": ("H", "d_k"),
    "w_k": ("d_model", "H", "d_k"),
    "b_k": ("H", "d_k"),
    "w_v": ("d_model", "H", "d_v"),
    "b_v": ("H", "d_v"),
    "w_o": ("H", "d_v", "d_model"),
    "b_o": ("d_model",),
}
STEMS = {"q": "query", "k": "key", "v": "value", "o": "attention_output"}
KINDS = {"w": "kernel", "b": "bias"}
NAMES = {role: f"{STEMS[role[2]]}.{KINDS[role[0]]}" for role in AXES}  # in the order of get_weights()


def from_kernels(given: Given) -> dict[str, Array]:
    """Our parameters from Keras' arrays; ExchangeError where one does not fit."""
    made: dict[str, Array] = {}
    sizes: dict[str, int] = {}
    for role, array in given.as_floats().arrays.items():
        axes = AXES[role]
        words = f"({', '.join(axes)})"
        if array.ndim != len(axes):
            raise given.wrong(role, "array", array.shape, axes=words)
        shape = tuple(sizes.setdefault(axis, size) for axis, size in zip(axes, array.shape, strict=True))
        if shape != array.shape:
            shared = role == "w_k" and array.shape[1] < sizes["H"]
            raise given.wrong(role, "grouped" if shared else "shape", array.shape, axes=words, shape=shape)
        made[role] = (
            array.swapaxes(0, 1) if role in ("w_q", "w_k", "w_v") else array
        )  # (H, d_model, d_k) or d_v
    return made


def by_names(weights: Sequence[ArrayLike]) -> Mapping[str, ArrayLike]:
    """The list that layer.get_weights() gives, by Keras' names: kernels and biases in turn, or kernels alone."""
    kernels = tuple(name for name in NAMES.values() if name.endswith("kernel"))
    for names in (tuple(NAMES.values()), kernels):
        if len(weights) == len(names):
            return dict(zip((name.replace(".", "/") for name in names), weights, strict=True))
    raise ExchangeError("weights", "count", str(len(weights)), count=len(NAMES))


KERAS = Layout("Keras", NAMES, AXES, from_kernels, ("gate.kernel",), splits=False)
