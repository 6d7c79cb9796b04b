"""What only a lesson knows: its notation, where x and the weights come from, and what was put in by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.embedding import POSITIONS
from attnviz.core.written import Cell, Line, number, sign
from attnviz.explain import explain
from attnviz.explain.formulas import Ink, formulas
from attnviz.explain.parts import Explanation, matrix, part
from attnviz.lesson.edits import AXES
from attnviz.lesson.lesson import Lesson


def explain_in(lesson: Lesson, cell: Cell) -> Explanation:
    """The arithmetic of `cell` of the lesson's trace, with the origin of what the trace was given.

    Raises KeyError for an unknown matrix, IndexError for a place outside it.
    """
    found = explain(lesson.trace, cell)
    if cell.matrix in ORIGINS:
        return ORIGINS[cell.matrix](lesson, found)
    return replace(found, notes=(_origin(lesson, cell),)) if is_given(cell.matrix) else found


def formulas_in(lesson: Lesson, stage: str, ink: Ink) -> tuple[str, ...]:
    """The formulas of a station in the lesson's notation."""
    settings = lesson.settings
    columns, positions = settings.notation == "columns", settings.position != "none"
    return formulas(stage, lesson.trace, ink, columns=columns, positions=positions)


def is_given(name: str) -> bool:
    """Whether the matrix is one of parameters, the layer's or the score function's."""
    return name.startswith(("w_", "score_"))


def edited_cells(lesson: Lesson, name: str, head: int) -> NDArray[np.bool_] | None:
    """Which cells of the matrix called `name` were put in by hand; None where none was."""
    cells = lesson.hand.cells.get(name)
    if cells is None:
        return None
    return np.atleast_2d(cells[head] if AXES[name][0] == "num_heads" else cells)


def is_edited(lesson: Lesson, cell: Cell) -> bool:
    """Whether the number in `cell` was put in by hand."""
    cells = edited_cells(lesson, cell.matrix, cell.head)
    return cells is not None and bool(cells[cell.row, cell.column])


def _input(lesson: Lesson, found: Explanation) -> Explanation:
    """An entry of x: drawn for its token, the same where the token comes again, with the position added."""
    cell = found.cell
    tokens = (lesson.source if cell.matrix == "x_source" else lesson.tokens).tokens
    x = matrix(lesson.trace, cell.matrix, 0)
    edited = is_edited(lesson, cell)
    if lesson.settings.position != "none" and not edited:
        position = float(POSITIONS[lesson.settings.position](*x.shape)[cell.row, cell.column])
        parts = ((number(found.value - position),), (number(position),))
        found = replace(found, lines=(Line((sign("x"), sign(" = E + P")), parts, part(lesson.trace, cell)),))
    twins = [i for i, token in enumerate(tokens) if token == tokens[cell.row] and i != cell.row]
    same = [i for i in twins if np.array_equal(x[i], x[cell.row])]
    return replace(
        found,
        sources=tuple(Cell(cell.matrix, i, cell.column) for i in same[:1]),
        notes=("x_edited",) if edited else ("x_same",) if same else ("x_drawn",),
    )


def _origin(lesson: Lesson, cell: Cell) -> str:
    """The note that says where a weight comes from."""
    if is_edited(lesson, cell):
        return "weight_edited"
    set_ones = SET_BY_PRESET.get(lesson.settings.preset, ())
    return "weight_set" if cell.matrix in set_ones else "weight_drawn"


ORIGINS: dict[str, Callable[[Lesson, Explanation], Explanation]] = {"x": _input, "x_source": _input}

# The matrices that a preset does not draw; those of score functions are drawn whatever the preset.
SET_BY_PRESET = {
    "identity": ("w_q", "w_k", "w_v", "w_o"),
    "similarity": ("w_q", "w_k", "w_v", "w_o"),
    "folded": ("w_v", "w_o"),
    "three_linear": ("w_o",),
}
