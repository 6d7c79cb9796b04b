"""Normalizers: from rows of scores to rows of weights.

Each takes scores and, optionally, which of them to keep. What is not kept is never looked at, NaN included, and
gets the weight 0; a row in which nothing is kept is all 0. Half precision is computed in float32 and comes back.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_real, computing_dtype, require_broadcast
from .masks import as_keep


def softmax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """exp(s_j) / sum_k exp(s_k) along the axis: each weight is positive, each row sums to 1."""
    scores, given = _selected(scores, keep)
    highest = _highest(scores, keep, axis)
    weights = (
        scores - highest if keep is None else np.subtract(scores, highest, out=scores)
    )  # exp never overflows
    np.exp(weights, out=weights)
    total = np.add.reduce(weights, axis=axis, keepdims=True)
    if keep is not None:
        np.maximum(total, 1.0, out=total)  # at least exp(0) = 1, but 0 where nothing is kept
    weights /= total
    return weights.astype(given, copy=False)


def sparsemax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """max(s_j - tau, 0) with the tau that makes each row sum to 1: weights can be exactly 0.

    It is the point of the probability simplex nearest to the scores (Martins and Astudillo 2016, algorithm 1).
    """
    scores, given = _selected(scores, keep)
    shifted = np.moveaxis(scores - _highest(scores, keep, axis), axis, -1)
    descending = -np.sort(-shifted, axis=-1)
    count = np.arange(1, shifted.shape[-1] + 1, dtype=shifted.dtype)
    total = np.cumsum(descending, axis=-1)
    size = np.sum(1.0 + count * descending > total, axis=-1, keepdims=True, dtype=shifted.dtype)
    # The support is the `size` highest scores; an empty row has none, and its scores of -inf stay below any tau.
    in_support = count <= size
    tau = (np.sum(descending, axis=-1, keepdims=True, where=in_support) - 1.0) / np.maximum(size, 1.0)
    weights = np.maximum(shifted - tau, 0.0)
    return np.moveaxis(weights, -1, axis).astype(given, copy=False)


def sigmoid(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """1 / (1 + exp(-s_j)), each score by itself: rows need not sum to 1, and the axis changes nothing."""
    scores, given = _selected(scores, keep)
    small = np.exp(-np.abs(scores))  # never overflows
    weights = np.where(scores >= 0.0, 1.0, small) / (1.0 + small)
    return np.asarray(weights).astype(given, copy=False)


def _selected(scores: ArrayLike, keep: ArrayLike | None) -> tuple[Array, np.dtype[Any]]:
    """The scores in the type to compute in, with -inf for what is not kept (then a copy), and the type they had."""
    scores = as_real("scores", scores)
    dtype = computing_dtype(scores.dtype)
    if keep is not None:
        keep = as_keep(keep)
        require_broadcast("keep", keep, scores.shape)
        return np.where(keep, scores, dtype.type(-np.inf)), scores.dtype
    return scores.astype(dtype, copy=False), scores.dtype


def _highest(scores: Array, keep: ArrayLike | None, axis: int) -> Array:
    """The highest score of each row; the lowest finite number where nothing is kept, so that -inf stays below it."""
    if keep is None and scores.size:
        return np.maximum.reduce(scores, axis=axis, keepdims=True)
    return np.maximum.reduce(scores, axis=axis, keepdims=True, initial=_LOWEST[scores.dtype])


_LOWEST = {np.dtype(kind): np.finfo(kind).min for kind in (np.float32, np.float64, np.longdouble)}

NORMALIZERS: dict[str, Callable[..., Array]] = {
    "softmax": softmax,
    "sparsemax": sparsemax,
    "sigmoid": sigmoid,
}
