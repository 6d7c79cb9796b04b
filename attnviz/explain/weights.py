"""Cells of the weights: softmax with its whole denominator, sparsemax, sigmoid."""

from collections.abc import Callable

import numpy as np

from attnviz.core.layer import AttentionTrace
from attnviz.explain.parts import (
    Array,
    Cell,
    Explanation,
    Line,
    Operand,
    Part,
    Term,
    kept_keys,
    matrix,
    number,
    part,
    shown,
    sign,
)


def weight(trace: AttentionTrace, cell: Cell) -> Explanation:
    row = matrix(trace, "masked", cell.head)[cell.row]  # (m,)
    kept = kept_keys(trace, cell.head, cell.row)
    hidden = cell.column not in kept
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ("masked_weight",)
    if not hidden:
        lines, notes = WEIGHT_LINES[trace.recipe.normalizer.name](trace, cell, row, kept)
    return Explanation(
        cell,
        float(trace.weights[cell.head, cell.row, cell.column]),
        lines,
        (Operand("masked", "", row=cell.row), Operand("weights", "", cell.row, cell.column)),
        # its own score first, hidden or not: that is where "from where?" leads
        tuple(
            Cell("masked", cell.row, j, cell.head)
            for j in sorted({*kept, cell.column}, key=lambda j: (j != cell.column, j))
        ),
        tuple(Cell("head_outputs", cell.row, c, cell.head) for c in range(trace.value.shape[2])),
        notes,
    )


_WeightLines = Callable[[AttentionTrace, Cell, Array, list[int]], tuple[tuple[Line, ...], tuple[str, ...]]]
_A = (sign("a"),)


def _softmax(
    trace: AttentionTrace, cell: Cell, row: Array, kept: list[int]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """exp over the sum of exps; where exp would be unreadably large, all with the largest taken away."""
    scores = {j: float(row[j]) for j in kept}
    largest = max(scores.values())
    shift = largest if max(abs(s) for s in scores.values()) > 20 else 0.0
    exps = {j: float(np.exp(s - shift)) for j, s in scores.items()}

    def term(j: int) -> Term:
        inside = Part(shown(scores[j] - shift), "", scores[j] - shift, Cell("masked", cell.row, j, cell.head))
        return (sign("exp("), inside, sign(")"))

    total = number(sum(exps.values()))
    lines = (
        Line((sign("Σ"),), tuple(term(j) for j in kept), total),
        Line(_A, ((*term(cell.column), sign(" / "), total),), part(trace, cell)),
    )
    return lines, ("softmax_shifted",) if shift else ("softmax",)


def _sparsemax(
    trace: AttentionTrace, cell: Cell, row: Array, kept: list[int]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """max(s - tau, 0), tau read from a score that got a weight."""
    weights = trace.weights[cell.head, cell.row]
    best = int(np.nanargmax(row))
    tau = number(float(row[best] - weights[best]))
    inside = part(trace, Cell("masked", cell.row, cell.column, cell.head))
    line = Line(_A, ((sign("max("), inside, sign(" − "), tau, sign(", 0)")),), part(trace, cell))
    return (line,), ("sparsemax",)


def _sigmoid(
    trace: AttentionTrace, cell: Cell, row: Array, kept: list[int]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    inside = part(trace, Cell("masked", cell.row, cell.column, cell.head))
    line = Line(_A, ((sign("1 / (1 + exp(−("), inside, sign(")))")),), part(trace, cell))
    return (line,), ("sigmoid",)


WEIGHT_LINES: dict[str, _WeightLines] = {"softmax": _softmax, "sparsemax": _sparsemax, "sigmoid": _sigmoid}
