"""Weight presets: whole layers by name, each defined for every size."""

from collections.abc import Callable

import numpy as np

from .arrays import Array
from .layer import MultiHeadAttention
from .streams import integer_matrix

Preset = Callable[[int, int, int, int, int, bool], MultiHeadAttention]


def random_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """N(0, 1) numbers divided by sqrt(fan-in)."""
    return MultiHeadAttention.random(
        d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_v, seed=seed, bias=bias
    )


def integer_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """Whole numbers -1, 0 and 1, for checking by hand."""

    def drawn(name: str, heads: int, rows: int, columns: int) -> Array:
        return np.stack([integer_matrix(seed, name, head, rows, columns, -1, 1) for head in range(heads)])

    return MultiHeadAttention(
        drawn("w_q", num_heads, d_model, d_k),
        drawn("w_k", num_heads, d_model, d_k),
        drawn("w_v", num_heads, d_model, d_v),
        drawn("w_o", num_heads, d_v, d_model),
        drawn("b_q", num_heads, 1, d_k)[:, 0] if bias else None,
        drawn("b_k", num_heads, 1, d_k)[:, 0] if bias else None,
        drawn("b_v", num_heads, 1, d_v)[:, 0] if bias else None,
        drawn("b_o", 1, 1, d_model)[0, 0] if bias else None,
    )


def identity_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """Head h keeps the coordinates h d_k, h d_k + 1, ... (modulo d_model), and writes its d_v values back in place.

    Nothing is drawn; biases are 0.
    """
    keep = _kept(d_model, num_heads, d_k)
    return _without_draws(keep, _kept(d_model, num_heads, d_v), bias)


def similarity_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """Every head compares the first d_k coordinates (modulo d_model) as they are: weight follows likeness.

    Values and output as in identity_weights; nothing is drawn; biases are 0.
    """
    first = np.repeat(_kept(d_model, 1, d_k), num_heads, axis=0)
    return _without_draws(first, _kept(d_model, num_heads, d_v), bias)


def folded_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """The random layer in the form of mathematics papers: w_o[h] = identity, and so d_v = d_model, whatever d_v was."""
    return random_weights(d_model, num_heads, d_k, d_v, seed, bias).folded()


def _kept(d_model: int, num_heads: int, columns: int) -> Array:
    """For each head the matrix (d_model, columns) whose column c keeps the coordinate h * columns + c."""
    coordinate = np.arange(num_heads * columns).reshape(num_heads, 1, columns) % d_model
    return (np.arange(d_model)[:, None] == coordinate).astype(np.float64)  # (H, d_model, columns)


def _without_draws(w_q: Array, w_v: Array, bias: bool) -> MultiHeadAttention:
    biases = [np.zeros(w_q[:, 0].shape)] * 2 + [np.zeros(w_v[:, 0].shape), np.zeros(w_v.shape[1])]
    w_o = w_v.transpose(0, 2, 1).copy()
    return MultiHeadAttention(w_q, w_q.copy(), w_v, w_o, *(biases if bias else ()))


WEIGHT_PRESETS: dict[str, Preset] = {
    "random": random_weights,
    "integers": integer_weights,
    "identity": identity_weights,
    "similarity": similarity_weights,
    "folded": folded_weights,
}
