"""Normalizers: from rows of scores to rows of weights.

Each takes scores and, optionally, which of them to keep. What is not kept is never looked at, NaN included, and
gets the weight 0; a row in which nothing is kept is all 0. Half precision is computed in float32 and comes back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_real, computing_dtype, require_broadcast
from .masks import as_keep


def softmax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """exp(s_j) / sum_k exp(s_k) along the axis: each weight is positive, each row sums to 1."""
    selected, given = _selected(scores, keep)
    highest = _highest(selected, keep, axis)
    # Lowered by the highest score, exp never overflows; the copy of masked scores is used up.
    weights: Array = selected - highest if keep is None else np.subtract(selected, highest, out=selected)
    np.exp(weights, out=weights)
    total = np.add.reduce(weights, axis=axis, keepdims=True)
    if keep is not None:
        np.maximum(total, 1.0, out=total)  # at least exp(0) = 1 already, but 0 where nothing is kept
    weights /= total
    return weights.astype(given, copy=False)


@np.errstate(over="ignore")  # below the lowest number is -inf, whose weight is 0
def sparsemax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """max(s_j - tau, 0) with the tau that makes each row sum to 1: weights can be exactly 0.

    It is the point of the probability simplex nearest to the scores (Martins and Astudillo 2016, algorithm 1).
    """
    selected, given = _selected(scores, keep)
    shifted = np.moveaxis(selected - _highest(selected, keep, axis), axis, -1)
    descending = -np.sort(-shifted, axis=-1)
    count = np.arange(1, shifted.shape[-1] + 1, dtype=shifted.dtype)
    total = np.cumsum(descending, axis=-1)
    # The support is the `size` highest scores; an empty row has none, and -inf stays below any tau.
    size = np.sum(1.0 + count * descending > total, axis=-1, keepdims=True, dtype=shifted.dtype)
    support_total = np.sum(descending, axis=-1, keepdims=True, where=count <= size)
    tau = (support_total - 1.0) / np.maximum(size, 1.0)
    weights: Array = np.moveaxis(np.maximum(shifted - tau, 0.0), -1, axis)
    return weights.astype(given, copy=False)


def sigmoid(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """1 / (1 + exp(-s_j)), each score by itself: rows need not sum to 1, and the axis changes nothing."""
    selected, given = _selected(scores, keep)
    small = np.exp(-np.abs(selected))  # never overflows
    weights = np.where(selected >= 0.0, 1.0, small) / (1.0 + small)
    return np.asarray(weights).astype(given, copy=False)


def _selected(scores: ArrayLike, keep: ArrayLike | None) -> tuple[Array, np.dtype[Any]]:
    """The scores in the type to compute in, with -inf for what is not kept (a copy then), and their own type."""
    array = as_real("scores", scores)
    given = array.dtype
    if given.itemsize < 4:
        array = array.astype(computing_dtype(given))
    if keep is None:
        return array, given
    kept = as_keep(keep)
    require_broadcast("keep", kept, array.shape)
    return np.where(kept, array, array.dtype.type(-np.inf)), given


def _highest(scores: Array, keep: ArrayLike | None, axis: int) -> Array:
    """The highest score of each row, and the lowest finite number where nothing is kept: -inf stays below it."""
    highest: Array
    if keep is None and scores.size:
        highest = np.maximum.reduce(scores, axis=axis, keepdims=True)
    else:
        highest = np.maximum.reduce(scores, axis=axis, keepdims=True, initial=_LOWEST[scores.dtype])
    return highest


_LOWEST = {np.dtype(kind): np.finfo(kind).min for kind in (np.float32, np.float64, np.longdouble)}


@dataclass(frozen=True, eq=False)
class Normalizer:
    """A normalizer with what is known of it; function(scores, keep) as those above."""

    name: str
    function: Callable[..., Array]
    rows_sum_to_one: bool
    source: str


def find_normalizer(name: str) -> Normalizer:
    """The normalizer of this name; ValueError names those that there are."""
    if name not in NORMALIZERS:
        raise ValueError(f"normalizer must be one of {', '.join(NORMALIZERS)}; got {name!r}")
    return NORMALIZERS[name]


NORMALIZERS: dict[str, Normalizer] = {
    entry.name: entry
    for entry in (
        Normalizer("softmax", softmax, True, "Vaswani et al. 2017"),
        Normalizer("sparsemax", sparsemax, True, "Martins and Astudillo 2016"),
        Normalizer("sigmoid", sigmoid, False, "Ramapuram et al. 2024"),
    )
}
