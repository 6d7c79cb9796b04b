"""A sentence that grows by one token: what changes in the rows that were there before."""

from collections.abc import Sequence

import numpy as np

from attnviz.core.arrays import Array


def earlier_changes(outputs: Sequence[Array]) -> Array:
    """The largest change of each earlier row when a token joins, shape (n - 1, n - 1).

    outputs are those of the first 1, 2, ..., n tokens, shapes (1, d_model) to (n, d_model). Entry (i, p) is the
    largest abs change in row i when token p + 1 joins tokens 0 to p; NaN where there is no such row yet (i > p).
    """
    for length, output in enumerate(outputs, start=1):
        if output.ndim != 2 or len(output) != length:
            raise ValueError(f"outputs must have 1, 2, 3, ... rows; got {output.shape} as number {length}")
    steps = max(len(outputs) - 1, 0)
    changes = np.full((steps, steps), np.nan)
    for p in range(steps):
        changes[: p + 1, p] = np.abs(outputs[p + 1][: p + 1] - outputs[p]).max(axis=1)
    return changes


def added_mask_weights(scores: Array, hidden: float) -> Array:
    """softmax(scores + hidden) in the scores' own precision, with no care taken: a row in which all is masked.

    With -inf it is 0 / 0, NaN. With a large negative number such as -1e9 it is what is left of the scores:
    in float32, where numbers near 1e9 lie 64 apart, nothing, and so equal weights.
    """
    with np.errstate(invalid="ignore"):
        added = scores + np.asarray(hidden, scores.dtype)
        exps = np.exp(added - added.max(axis=-1, keepdims=True))
        return np.asarray(exps / exps.sum(axis=-1, keepdims=True))
