"""Cells of x, of the weight matrices, and of query, key and value."""

import numpy as np

from attnviz.core.embedding import POSITIONS
from attnviz.explain.parts import (
    ROLES,
    Cell,
    Explanation,
    Line,
    Operand,
    Part,
    Term,
    is_edited,
    matrix,
    number,
    part,
    products,
    sign,
)
from attnviz.lesson.lesson import Lesson


def input_cell(lesson: Lesson, cell: Cell) -> Explanation:
    source = cell.matrix == "x_source"
    tokens = (lesson.source if source else lesson.tokens).tokens
    x = matrix(lesson, cell.matrix, 0)
    value = float(x[cell.row, cell.column])
    position = float(POSITIONS[lesson.settings.position](*x.shape)[cell.row, cell.column])
    result = part(lesson, cell)
    lines: tuple[Line, ...] = (Line((sign("x"),), ((result,),)),)
    edited = is_edited(lesson, cell)
    if lesson.settings.position != "none" and not edited:
        parts = ((number(value - position),), (number(position),))
        lines = (Line((sign("x"), sign(" = E + P")), parts, result),)
    twins = [i for i, token in enumerate(tokens) if token == tokens[cell.row] and i != cell.row]
    same = [i for i in twins if np.array_equal(x[i], x[cell.row])]
    names = ("key", "value") if source else ("query",) if lesson.cross else ("query", "key", "value")
    targets = tuple(Cell(name, cell.row, 0, lesson.settings.head - 1) for name in names)
    return Explanation(
        cell,
        value,
        lines,
        (Operand(cell.matrix, "", cell.row, cell.column),),
        tuple(Cell(cell.matrix, i, cell.column) for i in same[:1]),
        targets,
        ("x_edited",) if edited else ("x_same",) if same else ("x_drawn",),
    )


def projection(lesson: Lesson, cell: Cell) -> Explanation:
    letter = cell.matrix[0]
    x_name = "x" if cell.matrix == "query" or not lesson.cross else "x_source"
    bias = getattr(lesson.trace.layer, f"b_{letter}")
    rotated = lesson.settings.rotary and cell.matrix != "value"
    x = matrix(lesson, x_name, 0)
    w = matrix(lesson, f"w_{letter}", cell.head)

    def before(column: int) -> tuple[tuple[Term, ...], float]:
        """The terms and the value of the projection alone."""
        inputs = [Cell(x_name, cell.row, c) for c in range(x.shape[1])]
        factors = [Cell(f"w_{letter}", c, column, cell.head) for c in range(x.shape[1])]
        terms = products(lesson, inputs, factors)
        total = float(x[cell.row] @ w[:, column])
        if bias is not None:
            added = float(bias[cell.head, column])
            terms, total = (*terms, (sign("b "), number(added))), total + added
        return terms, total

    role = ROLES[cell.matrix]
    result = part(lesson, cell)
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
    targets = _targets_of_projection(lesson, cell)
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


def _targets_of_projection(lesson: Lesson, cell: Cell) -> tuple[Cell, ...]:
    n, m = lesson.trace.scores.shape[1:]
    if cell.matrix == "query":
        return tuple(Cell("scores", cell.row, j, cell.head) for j in range(m))
    if cell.matrix == "key":
        return tuple(Cell("scores", i, cell.row, cell.head) for i in range(n))
    return tuple(Cell("head_outputs", i, cell.column, cell.head) for i in range(n))


def given(lesson: Lesson, cell: Cell) -> Explanation:
    """A weight: nothing computed it."""
    result = part(lesson, cell)
    line = Line((sign("W" if cell.matrix != "v" else "v"),), ((result,),))
    return Explanation(
        cell, float(result.value or 0.0), (line,), (Operand(cell.matrix, "", cell.row, cell.column),),
        notes=(_origin(lesson, cell),),
    )  # fmt: skip


def _origin(lesson: Lesson, cell: Cell) -> str:
    """The note that says where a weight comes from."""
    if is_edited(lesson, cell):
        return "weight_edited"
    set_ones = SET_BY_PRESET.get(lesson.settings.preset, ())
    return "weight_set" if cell.matrix in set_ones else "weight_drawn"


# The matrices that a preset does not draw; those of score functions are drawn whatever the preset.
SET_BY_PRESET = {
    "identity": ("w_q", "w_k", "w_v", "w_o"),
    "similarity": ("w_q", "w_k", "w_v", "w_o"),
    "folded": ("w_v", "w_o"),
    "three_linear": ("w_o",),
}
