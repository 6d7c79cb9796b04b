"""Normalizers: from rows of scores to rows of weights.

Each takes scores and, optionally, which of them to keep. What is not kept is never looked at, NaN included, and
gets the weight 0; a row in which nothing is kept is all 0. Half precision is computed in float32 and comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_real, computing_dtype, is_finite, require_broadcast
from .checks import told, whole
from .masks import as_keep
from .written import Line, Part, Row, Term, Written, number, shown, sign, values


@np.errstate(all="ignore")  # below the lowest number is -inf, whose weight is 0
def softmax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """exp(s_j) / sum_k exp(s_k) along the axis: each weight is positive, each row sums to 1.

    scores of any shape with at least one axis, keep as in attend, broadcasting to it. A row of which nothing is
    kept, or in which every score is -inf, is all 0. Raises ValueError for scores that are NaN or +inf.
    """
    selected, given = _selected(scores, keep, axis)
    highest, empty = _highest(selected, keep, axis)
    # Lowered by the highest score, exp never overflows; the copy of masked scores is used up.
    weights: Array = selected - highest if keep is None else np.subtract(selected, highest, out=selected)
    np.exp(weights, out=weights)
    total = np.add.reduce(weights, axis=axis, keepdims=True)
    if empty:
        np.maximum(total, 1.0, out=total)  # at least exp(0) = 1 already, but 0 where nothing is kept
    weights /= total
    return weights.astype(given, copy=False)


@np.errstate(all="ignore")  # below the lowest number is -inf, whose weight is 0
def sparsemax(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """max(s_j - tau, 0) with the tau that makes each row sum to 1: weights can be exactly 0.

    It is the point of the probability simplex nearest to the scores (Martins and Astudillo 2016, algorithm 1).
    Shapes, empty rows and errors as in softmax.
    """
    selected, given = _selected(scores, keep, axis)
    shifted = np.moveaxis(selected - _highest(selected, keep, axis)[0], axis, -1)
    descending = -np.sort(-shifted, axis=-1)
    count = np.arange(1, shifted.shape[-1] + 1, dtype=shifted.dtype)
    total = np.cumsum(descending, axis=-1)
    # The support is the `size` highest scores; an empty row has none, and -inf stays below any tau.
    size = np.sum(1.0 + count * descending > total, axis=-1, keepdims=True, dtype=shifted.dtype)
    support_total = np.sum(descending, axis=-1, keepdims=True, where=count <= size)
    tau = (support_total - 1.0) / np.maximum(size, 1.0)
    weights: Array = np.moveaxis(np.maximum(shifted - tau, 0.0), -1, axis)
    return weights.astype(given, copy=False)


@np.errstate(all="ignore")
def sigmoid(scores: ArrayLike, keep: ArrayLike | None = None, *, axis: int = -1) -> Array:
    """1 / (1 + exp(-s_j)), each score by itself: rows need not sum to 1, and the axis changes nothing.

    Shapes as in softmax; -inf gives 0 and +inf gives 1. Raises ValueError for scores that are NaN.
    """
    selected, given = _selected(scores, keep, axis)
    if not is_finite(selected):
        _refuse("NaN", np.isnan(selected), selected)
    small = np.exp(-np.abs(selected))  # never overflows
    weights = np.where(selected >= 0.0, 1.0, small) / (1.0 + small)
    return np.asarray(weights).astype(given, copy=False)


def _selected(scores: ArrayLike, keep: ArrayLike | None, axis: int) -> tuple[Array, np.dtype[Any]]:
    """The scores in the type to compute in, with -inf for what is not kept (a copy then), and their own type."""
    array = as_real("scores", scores)
    if array.ndim == 0:
        raise ValueError("scores must have at least one axis; got a single number")
    whole("axis", axis, -array.ndim, array.ndim - 1)
    given = array.dtype
    if given.itemsize < 4:
        array = array.astype(computing_dtype(given))
    if keep is None:
        return array, given
    kept = as_keep(keep)
    require_broadcast("keep", kept, array.shape)
    return np.where(kept, array, array.dtype.type(-np.inf)), given


def _highest(scores: Array, keep: ArrayLike | None, axis: int) -> tuple[Array, bool]:
    """The highest score of each row, and whether rows may be empty.

    Of an empty row it is the lowest finite number: -inf stays below it.
    """
    highest: Array
    if keep is None and scores.size:
        highest = np.maximum.reduce(scores, axis=axis, keepdims=True)
    else:
        highest = np.maximum.reduce(scores, axis=axis, keepdims=True, initial=_LOWEST[scores.dtype])
    if is_finite(highest):
        return highest, keep is not None
    _refuse("NaN or +inf", np.isnan(scores) | np.isposinf(scores), scores)
    return np.maximum(highest, _LOWEST[scores.dtype]), True


def _refuse(what: str, wrong: Array, scores: Array) -> None:
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"scores must not be {what}; got {scores[place]} at {place}")


_LOWEST = {np.dtype(kind): np.finfo(kind).min for kind in (np.float32, np.float64, np.longdouble)}


@dataclass(frozen=True, eq=False)
class Normalizer:
    """A normalizer with all that is known of it; whoever shows one reads it here.

    function(scores, keep) is as those above. row_formula and column_formula are LaTeX in A, M (whole matrices) or
    a_{ij}, m_{ij}, for tokens as rows and as columns; written says how one weight is written out, None where only the
    name, the inputs and the value can be said.
    """

    name: str
    function: Callable[..., Array]
    rows_sum_to_one: bool = False
    source: str = ""
    row_formula: str = ""
    column_formula: str = ""
    written: Callable[[Row], Written] | None = None


def find_normalizer(normalizer: str | Normalizer | Callable[..., Array]) -> Normalizer:
    """The normalizer of this name, the record itself, or one made of a function(scores, keep).

    Raises ValueError for an unknown name, naming those that there are, and for what is none of the three.
    """
    if isinstance(normalizer, str) and normalizer in NORMALIZERS:
        return NORMALIZERS[normalizer]
    if isinstance(normalizer, Normalizer):
        return normalizer
    if callable(normalizer):
        return Normalizer(getattr(normalizer, "__name__", type(normalizer).__name__), normalizer)
    known = ", ".join(NORMALIZERS)
    expected = known if isinstance(normalizer, str) else f"{known}, or a function of scores and keep"
    raise ValueError(f"normalizer must be one of {expected}; got {told(normalizer)}")


def _softmax_written(row: Row) -> Written:
    """exp over the sum of exps; where exp would be unreadably large, all with the largest taken away."""
    scores = values(row.scores)
    shift = float(scores.max()) if np.abs(scores).max() > 20 else 0.0
    total = number(float(np.exp(scores - shift).sum()))

    def term(score: Part) -> Term:
        lowered = float(score.value or 0.0) - shift
        return (sign("exp("), replace(score, text=shown(lowered), value=lowered), sign(")"))

    lines = (
        Line((sign("Σ"),), tuple(term(score) for score in row.scores), total),
        Line((sign("a"),), ((*term(row.score), sign(" / "), total),), row.weight),
    )
    return Written(lines, "softmax_shifted" if shift else "softmax")


def _sparsemax_written(row: Row) -> Written:
    """max(s - tau, 0), tau read from a score that got a weight."""
    scores, weights = values(row.scores), values(row.weights)
    best = int(scores.argmax())
    tau = number(float(scores[best] - weights[best]))
    term = (sign("max("), row.score, sign(" − "), tau, sign(", 0)"))
    return Written((Line((sign("a"),), (term,), row.weight),), "sparsemax")


def _sigmoid_written(row: Row) -> Written:
    term = (sign("1 / (1 + exp(−("), row.score, sign(")))"))
    return Written((Line((sign("a"),), (term,), row.weight),), "sigmoid")


NORMALIZERS: dict[str, Normalizer] = {
    "softmax": Normalizer(
        "softmax",
        softmax,
        rows_sum_to_one=True,
        source="Vaswani et al. 2017",
        row_formula=r"A = \operatorname{softmax}\Big(M\Big)",
        column_formula=r"A = \operatorname{softmax}\Big(M\Big)",
        written=_softmax_written,
    ),
    "sparsemax": Normalizer(
        "sparsemax",
        sparsemax,
        rows_sum_to_one=True,
        source="Martins and Astudillo 2016",
        row_formula=r"A = \operatorname{sparsemax}\Big(M\Big)",
        column_formula=r"A = \operatorname{sparsemax}\Big(M\Big)",
        written=_sparsemax_written,
    ),
    "sigmoid": Normalizer(
        "sigmoid",
        sigmoid,
        rows_sum_to_one=False,
        source="Ramapuram et al. 2024",
        row_formula=r"A = \sigma\Big(M\Big)",
        column_formula=r"A = \sigma\Big(M\Big)",
        written=_sigmoid_written,
    ),
}
