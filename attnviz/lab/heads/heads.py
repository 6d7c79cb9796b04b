"""What heads add up to: the two ways to the output, the output without some of them, with the mean of their weights."""

from collections.abc import Collection

import numpy as np

from attnviz.core.arrays import Array, require_shape
from attnviz.core.layer import AttentionTrace


def joined(head_outputs: Array, w_o: Array) -> Array:
    """concat(head_1, ..., head_H) W^O as one product, (n, d_model): head_outputs (H, n, d_v), w_o (H, d_v, d_model).

    Equal to the sum of head_h W_h^O (Vaswani et al. 2017, section 3.2.2, cut into blocks).
    """
    heads, n, d_v = head_outputs.shape
    require_shape("w_o", w_o, (heads, d_v, w_o.shape[-1]), "(H, d_v, d_model)")
    concat = head_outputs.transpose(1, 0, 2).reshape(n, heads * d_v)
    return np.asarray(concat @ w_o.reshape(heads * d_v, -1))


def without_heads(trace: AttentionTrace, muted: Collection[int]) -> Array:
    """The output (n, d_model) where the heads `muted`, counted from 0, add nothing.

    Raises ValueError for a head that there is not.
    """
    heads = range(len(trace.contributions))
    wrong = [head for head in muted if head not in heads]
    if wrong:
        raise ValueError(f"muted must hold heads from 0 to {heads[-1]}; got {wrong[0]}")
    heard = [head for head in heads if head not in muted]
    output = trace.contributions[heard].sum(axis=0)  # (n, d_model)
    if trace.layer.b_o is not None:
        output = output + trace.layer.b_o
    return np.asarray(output + trace.x if trace.residual else output)


def with_mean_weights(trace: AttentionTrace) -> Array:
    """What the heads would add up to, (n, d_model), if each used the mean of all heads' weights instead of its own."""
    mean = trace.weights.mean(axis=0)  # (n, m)
    return np.asarray(np.matmul(mean @ trace.value, trace.layer.w_o).sum(axis=0))


def head_counts(d_model: int, most: int = 16) -> tuple[int, ...]:
    """The numbers of heads up to `most` that cut d_model into heads of equal, whole size."""
    return tuple(heads for heads in range(1, most + 1) if d_model % heads == 0)
