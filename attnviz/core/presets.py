"""Weight presets: whole layers by name, each defined for every size."""

from collections.abc import Callable

import numpy as np

from .arrays import Array
from .layer import MultiHeadAttention
from .streams import integer_matrix, uniform_matrix

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
    """Head h keeps the coordinates h d_k, h d_k + 1, ... (modulo d_model): W_h^Q = W_h^K are parts of the identity.

    Likewise W_h^V with d_v, and W_h^O puts these values back in place. Nothing is drawn; biases are 0.
    """
    return _without_draws(_kept(d_model, num_heads, d_k), _kept(d_model, num_heads, d_v), bias)


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
    """The random layer in the form of mathematics papers: w_o[h] = identity, and so d_v = d_model in any case."""
    return random_weights(d_model, num_heads, d_k, d_v, seed, bias).folded()


def three_linear_weights(
    d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    """Three linear layers a head as PyTorch makes an nn.Linear, uniform within 1/sqrt(d_model), and no output layer.

    So w_o[h] = identity, there is no b_o, and d_v = d_model in any case.
    """

    def drawn(name: str, rows: int, columns: int) -> Array:
        bound = 1.0 / np.sqrt(d_model)
        return np.stack([uniform_matrix(seed, name, h, rows, columns, bound) for h in range(num_heads)])

    sizes = {"q": d_k, "k": d_k, "v": d_model}
    biases = {f"b_{name}": drawn(f"b_{name}", 1, size)[:, 0] for name, size in sizes.items() if bias}
    return MultiHeadAttention(
        **{f"w_{name}": drawn(f"w_{name}", d_model, size) for name, size in sizes.items()},
        w_o=np.stack([np.eye(d_model)] * num_heads),
        **biases,
    )


def _kept(d_model: int, num_heads: int, columns: int) -> Array:
    """For each head the matrix (d_model, columns) whose column c keeps the coordinate h * columns + c."""
    coordinate = np.arange(num_heads * columns).reshape(num_heads, 1, columns) % d_model
    return np.asarray(np.arange(d_model)[:, None] == coordinate, np.float64)  # (H, d_model, columns)


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
    "three_linear": three_linear_weights,
}
