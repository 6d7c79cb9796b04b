"""The arrays of a layer: their axes, their sizes, and how they stand side by side."""

from collections.abc import Mapping

import numpy as np

from .arrays import Array, require_finite, require_shape


def parts(side_by_side: Array, d_k: int) -> tuple[Array, Array, Array]:
    """The views of the d_k columns of query, of key, and the d_v columns of value."""
    return side_by_side[..., :d_k], side_by_side[..., d_k : 2 * d_k], side_by_side[..., 2 * d_k :]


def side_by_side(arrays: Mapping[str, Array]) -> Array | None:
    """The biases of query, key, value, (H, 1, d_k + d_k + d_v), 0 where one is missing; None where all are."""
    if arrays.keys().isdisjoint(("b_q", "b_k", "b_v")):
        return None
    zeros = {f"b_{name}": np.zeros_like(arrays[f"w_{name}"][:, 0]) for name in "qkv"}
    return np.concatenate([arrays.get(name, zeros[name]) for name in zeros], axis=1)[:, None, :]


def checked_sizes(arrays: Mapping[str, Array]) -> dict[str, int]:
    """The sizes of a layer; ValueError if an array does not have the shape that follows from w_q and w_v."""
    for name in ("w_q", "w_v"):
        if arrays[name].ndim != 3:
            raise ValueError(f"{name} must have the axes {PARAMETER_AXES[name]}; got {arrays[name].shape}")
    sizes = dict(zip(("num_heads", "d_model", "d_k"), arrays["w_q"].shape, strict=True))
    sizes["d_v"] = arrays["w_v"].shape[2]
    if min(sizes.values()) < 1:
        raise ValueError(f"every size must be at least 1; got {sizes}")
    for name, array in arrays.items():
        axes = PARAMETER_AXES[name]
        require_shape(name, array, tuple(sizes[axis] for axis in axes), f"({', '.join(axes)})")
        require_finite(name, array)
    return sizes


PARAMETER_AXES = {
    "w_q": ("num_heads", "d_model", "d_k"),
    "w_k": ("num_heads", "d_model", "d_k"),
    "w_v": ("num_heads", "d_model", "d_v"),
    "w_o": ("num_heads", "d_v", "d_model"),
    "b_q": ("num_heads", "d_k"),
    "b_k": ("num_heads", "d_k"),
    "b_v": ("num_heads", "d_v"),
    "b_o": ("d_model",),
}
