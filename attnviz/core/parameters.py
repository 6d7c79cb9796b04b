"""The arrays of a layer: their axes, their sizes, and how they stand side by side."""

from collections.abc import Mapping

import numpy as np

from .arrays import Array, is_finite, require_finite, require_shape
from .checks import whole
from .sealed import sealed


def projected(name: str, tokens: Array, w: Array, b: Array | None) -> Array:
    """tokens w + b for each head; ValueError where it is not finite, naming the tokens."""
    product: Array = (tokens if tokens.ndim == 2 else tokens[:, None]) @ w  # (H, tokens, columns)
    if b is not None:
        product += b
    if not is_finite(product):  # as it is wherever a token is not
        require_finite(name, tokens)
        largest = np.abs(tokens).max()
        raise ValueError(
            f"the projections of {name} must be finite; {name} or the parameters are too large; got {largest}"
        )
    return sealed(product)


def parts(side_by_side: Array, d_k: int) -> tuple[Array, Array, Array]:
    """The views of the d_k columns of query, of key, and the d_v columns of value."""
    return side_by_side[..., :d_k], side_by_side[..., d_k : 2 * d_k], side_by_side[..., 2 * d_k :]


def side_by_side(arrays: Mapping[str, Array]) -> Array | None:
    """The biases of query, key, value, (H, 1, d_k + d_k + d_v), 0 where one is missing; None where all are."""
    if arrays.keys().isdisjoint(("b_q", "b_k", "b_v")):
        return None
    zeros = {f"b_{name}": np.zeros_like(arrays[f"w_{name}"][:, 0]) for name in "qkv"}
    return np.concatenate([arrays.get(name, zeros[name]) for name in zeros], axis=1)[:, None, :]


def chosen_sizes(d_model: int, num_heads: int, d_k: int | None, d_v: int | None) -> dict[str, int]:
    """The sizes of a layer, with d_k = d_model / num_heads and d_v = d_k where not given."""
    d_model, num_heads = whole("d_model", d_model, 1), whole("num_heads", num_heads, 1)
    if d_k is None:
        d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(
                f"d_model must be a multiple of num_heads={num_heads} where d_k is not given; got {d_model}"
            )
    d_k = whole("d_k", d_k, 1)
    return {
        "num_heads": num_heads, "d_model": d_model, "d_k": d_k,
        "d_v": d_k if d_v is None else whole("d_v", d_v, 1),
    }  # fmt: skip


def checked_sizes(arrays: Mapping[str, Array]) -> dict[str, int]:
    """The sizes of a layer; ValueError if an array does not have the shape that follows from w_q and w_v."""
    for name in ("w_q", "w_v"):
        if arrays[name].ndim != 3:
            hint = "" if arrays[name].ndim else "; MultiHeadAttention.random makes a layer of given sizes"
            raise ValueError(
                f"{name} must have the axes {PARAMETER_AXES[name]}; got {arrays[name].shape}{hint}"
            )
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
REQUIRED = tuple(name for name in PARAMETER_AXES if name.startswith("w"))
