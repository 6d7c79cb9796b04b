"""Cells of the weights, written out as their normalizer says."""

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell, Line, Row, Written, row_by_name
from attnviz.explain.parts import Explanation, Operand, kept_keys, row_parts


def weight(trace: AttentionTrace, cell: Cell) -> Explanation:
    kept = kept_keys(trace, cell.head, cell.row)
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ("masked_weight",)
    if cell.column in kept:
        written = _written(trace, cell, kept)
        lines, notes = written.lines, (written.note,) if written.note else ()
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


def _written(trace: AttentionTrace, cell: Cell, kept: list[int]) -> Written:
    rows = (row_parts(trace, name, cell.row, cell.head) for name in ("masked", "weights"))
    scores, weights = (tuple(row[j] for j in kept) for row in rows)
    row, normalizer = Row(scores, weights, kept.index(cell.column)), trace.recipe.normalizer
    return row_by_name(normalizer.name, row) if normalizer.written is None else normalizer.written(row)
