"""Scores that need every pair's vectors, worked out query by query."""

from collections.abc import Callable

import numpy as np

from ..arrays import Array


def by_query(query: Array, key: Array, scores: Callable[[Array, Array], Array]) -> Array:
    """The scores (..., n, m) of each query (..., 1, d) with all keys (..., m, d), which `scores` gives as (..., m).

    All pairs at once would take n * m * d numbers.
    """
    rows = [scores(query[..., i, None, :], key) for i in range(query.shape[-2])]
    if rows:
        return np.stack(rows, axis=-2)  # (..., n, m)
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    return np.zeros((*leading, 0, key.shape[-2]), query.dtype)
