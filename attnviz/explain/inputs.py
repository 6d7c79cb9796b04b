"""Cells of x, of the weight matrices, and of query, key and value."""

import numpy as np

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell, Line, Part, Term, number, sign
from attnviz.explain.parts import ROLES, Explanation, Operand, cell_products, matrix, part


def input_cell(trace: AttentionTrace, cell: Cell) -> Explanation:
    """An entry of x: nothing in the trace computed it."""
    result = part(trace, cell)
    source = cell.matrix == "x_source"
    names = ("key", "value") if source else ("query",) if trace.cross else ("query", "key", "value")
    return Explanation(
        cell,
        float(result.value or 0.0),
        (Line((sign("x"),), ((result,),)),),
        (Operand(cell.matrix, "", cell.row, cell.column),),
        targets=tuple(Cell(name, cell.row, 0, cell.head) for name in names),
    )


def given(trace: AttentionTrace, cell: Cell) -> Explanation:
    """A weight: nothing in the trace computed it."""
    result = part(trace, cell)
    line = Line((sign("W"),), ((result,),))
    return Explanation(
        cell, float(result.value or 0.0), (line,), (Operand(cell.matrix, "", cell.row, cell.column),)
    )


def projection(trace: AttentionTrace, cell: Cell) -> Explanation:
    letter = cell.matrix[0]
    x_name = "x" if cell.matrix == "query" or not trace.cross else "x_source"
    bias = getattr(trace.layer, f"b_{letter}")
    rotated = trace.recipe.rotary and cell.matrix != "value"
    x = matrix(trace, x_name, 0)
    w = matrix(trace, f"w_{letter}", cell.head)

    def before(column: int) -> tuple[tuple[Term, ...], float]:
        """The terms and the value of the projection alone."""
        inputs = [Cell(x_name, cell.row, c) for c in range(x.shape[1])]
        factors = [Cell(f"w_{letter}", c, column, cell.head) for c in range(x.shape[1])]
        terms = cell_products(trace, inputs, factors)
        total = float(x[cell.row] @ w[:, column])
        if bias is not None:
            added = float(bias[cell.head, column])
            terms, total = (*terms, (sign("b "), number(added))), total + added
        return terms, total

    role = ROLES[cell.matrix]
    result = part(trace, cell)
    pair = _rotation_pair(cell.column, w.shape[1]) if rotated else None
    if pair is None:
        lines = [Line((Part(letter, role),), before(cell.column)[0], result)]
    else:
        (a_terms, a), (b_terms, b) = before(pair[0]), before(pair[1])
        lines = [
            Line((sign("a"),), a_terms, number(a)),
            Line((sign("b"),), b_terms, number(b)),
            _turned(cell, pair, (a, b), result, letter, role, w.shape[1]),
        ]
    targets = _targets_of_projection(trace, cell)
    return Explanation(
        cell,
        float(result.value or 0.0),
        tuple(lines),
        (
            Operand(x_name, "", row=cell.row),
            Operand(f"w_{letter}", role, column=cell.column),
            Operand(cell.matrix, role, cell.row, cell.column),
        ),
        tuple(Cell(x_name, cell.row, c) for c in range(x.shape[1])),
        targets,
        ("rotary",) if pair else (),
    )


def _rotation_pair(column: int, d_k: int) -> tuple[int, int] | None:
    """The two coordinates that are turned together; None for the last one of an odd d_k."""
    first = column - column % 2
    return (first, first + 1) if first + 1 < d_k else None


def _turned(
    cell: Cell,
    pair: tuple[int, int],
    values: tuple[float, float],
    result: Part,
    letter: str,
    role: str,
    d_k: int,
) -> Line:
    angle = cell.row * 10000.0 ** (-2.0 * (pair[0] // 2) / (2 * (d_k // 2)))
    cos, sin = number(float(np.cos(angle))), number(float(np.sin(angle)))
    a, b = number(values[0]), number(values[1])
    if cell.column == pair[0]:
        terms: tuple[Term, ...] = ((a, sign(" × "), cos, sign(" − "), b, sign(" × "), sin),)
    else:
        terms = ((a, sign(" × "), sin), (b, sign(" × "), cos))
    return Line((Part(letter, role),), terms, result)


def _targets_of_projection(trace: AttentionTrace, cell: Cell) -> tuple[Cell, ...]:
    n, m = trace.scores.shape[1:]
    if cell.matrix == "query":
        return tuple(Cell("scores", cell.row, j, cell.head) for j in range(m))
    if cell.matrix == "key":
        return tuple(Cell("scores", i, cell.row, cell.head) for i in range(n))
    return tuple(Cell("head_outputs", i, cell.column, cell.head) for i in range(n))
