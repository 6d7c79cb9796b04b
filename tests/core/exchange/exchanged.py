"""Layers and tokens of which every size is another, for the tests of exchange, and the files of other writers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz import MultiHeadAttention

Array = NDArray[Any]
N, M, D_MODEL, H, D_K, D_V = 4, 6, 12, 3, 5, 7
GENERATOR = np.random.default_rng(11)
X, SOURCE = GENERATOR.standard_normal((N, D_MODEL)), GENERATOR.standard_normal((M, D_MODEL))


def layer(bias: bool = True, **sizes: int) -> MultiHeadAttention:
    """A drawn layer of these sizes, or of others where they are given."""
    chosen = {"d_model": D_MODEL, "num_heads": H, "d_k": D_K, "d_v": D_V, "seed": 2} | sizes
    return MultiHeadAttention.random(**chosen, bias=bias)


def square(bias: bool = True) -> MultiHeadAttention:
    """A drawn layer of sizes that PyTorch's has: H * d_k = H * d_v = d_model."""
    return layer(bias, d_k=D_MODEL // H, d_v=D_MODEL // H)


def side_by_side(own: MultiHeadAttention) -> dict[str, Array]:
    """The parameters as linear maps, (d_model, H * d_k) ..., by loops over heads and not by reshaping."""
    flat: dict[str, Array] = {}
    for name, array in own.parameters().items():
        axis = 0 if name == "w_o" else -1
        flat[name] = (
            array if name == "b_o" else np.concatenate([array[h] for h in range(own.num_heads)], axis)
        )
    return flat


def linears(own: MultiHeadAttention, *stems: str) -> dict[str, Array]:
    """Four Linear layers of PyTorch by these names, for query, key, value and output: weights (outputs, inputs)."""
    state = {}
    for one, stem in zip("qkvo", stems, strict=True):
        flat = side_by_side(own)
        state[f"{stem}.weight"] = flat[f"w_{one}"].T
        if f"b_{one}" in flat:
            state[f"{stem}.bias"] = flat[f"b_{one}"]
    return state


def assert_same(one: MultiHeadAttention, other: MultiHeadAttention) -> None:
    """Not one bit of a parameter differs, and none is missing."""
    assert one.parameters().keys() == other.parameters().keys()
    for name, array in other.parameters().items():
        np.testing.assert_array_equal(one.parameters()[name], array, err_msg=name)
        assert one.parameters()[name].dtype == array.dtype
