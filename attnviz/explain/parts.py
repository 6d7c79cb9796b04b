"""What an explanation is made of: cells, parts of lines, operands; and every matrix of a lesson by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.lesson.edits import AXES
from attnviz.lesson.lesson import Lesson

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Cell:
    """One entry of one matrix of the lesson; head, row and column count from 0."""

    matrix: str
    row: int
    column: int
    head: int = 0


@dataclass(frozen=True)
class Part:
    """A piece of a line: a number with its value, or a sign; `cell` is where the number stands."""

    text: str
    role: str = ""
    value: float | None = None
    cell: Cell | None = None


Term = tuple[Part, ...]


@dataclass(frozen=True)
class Line:
    """`left` = the terms, joined by `joiner`, between `open` and `close` = the result."""

    left: Term
    terms: tuple[Term, ...]
    result: Part | None = None
    joiner: str = " + "
    open: str = ""
    close: str = ""


@dataclass(frozen=True)
class Operand:
    """A matrix that went in, with the row, the column, or (both given) the cell that was used."""

    matrix: str
    role: str
    row: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class Explanation:
    """The arithmetic of one cell; `notes` name sentences of the locale files that belong to it."""

    cell: Cell
    value: float
    lines: tuple[Line, ...]
    operands: tuple[Operand, ...] = ()
    sources: tuple[Cell, ...] = ()
    targets: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()


ROLES = {
    "query": "query",
    "key": "key",
    "value": "value",
    "head_outputs": "value",
    "concat": "value",
    "output": "output",
}


def matrix(lesson: Lesson, name: str, head: int) -> Array:
    """The matrix called `name`, (rows, columns), of this head where it has heads.

    Masked scores are NaN where the mask keeps nothing. Raises KeyError for an unknown name.
    """
    return MATRICES[name](lesson, head)


def kept_keys(lesson: Lesson, head: int, query: int) -> list[int]:
    """The keys that the mask lets this query look at."""
    kept: list[int] = np.flatnonzero(~np.isnan(matrix(lesson, "masked", head)[query])).tolist()
    return kept


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


def shown(value: float, digits: int = 4) -> str:
    """So many significant digits with a true minus sign; whole numbers as such."""
    text = f"{value:.{digits}g}"
    return (text if float(text) else "0").replace("-", "−")


def part(lesson: Lesson, cell: Cell) -> Part:
    """The number in `cell`, with its value and its place."""
    value = float(matrix(lesson, cell.matrix, cell.head)[cell.row, cell.column])
    return Part(shown(value), ROLES.get(cell.matrix, ""), value, cell)


def number(value: float, role: str = "") -> Part:
    """A number that stands in no matrix on screen."""
    return Part(shown(value), role, value)


def sign(text: str) -> Part:
    """A sign between numbers."""
    return Part(text)


def indexed(letter: str, number: int) -> Part:
    """A letter with a number below it."""
    return Part(letter + "".join(chr(ord("₀") + int(digit)) for digit in str(number)))


def products(lesson: Lesson, left: Sequence[Cell], right: Sequence[Cell]) -> tuple[Term, ...]:
    """a x b for each pair, negative factors in brackets."""
    pairs = zip(left, right, strict=True)
    return tuple(bracketed((part(lesson, a), sign(" × "), part(lesson, b))) for a, b in pairs)


def bracketed(term: Term) -> Term:
    """The term with its negative numbers in brackets."""
    return tuple(
        replace(p, text=f"({p.text})") if p.text.startswith("−") and p.value is not None else p for p in term
    )


def _masked_scores(lesson: Lesson, head: int) -> Array:
    trace = lesson.trace
    scaled: Array = trace.scaled[head]
    if trace.keep is None:
        return scaled
    return np.where(np.broadcast_to(trace.keep, trace.scaled.shape)[head], scaled, np.nan)


def _score_array(name: str) -> Callable[[Lesson, int], Array]:
    def find(lesson: Lesson, head: int) -> Array:
        array = np.asarray(lesson.trace.score_parameters[name])
        return np.atleast_2d(array[head])

    return find


MATRICES: dict[str, Callable[[Lesson, int], Array]] = {
    "x": lambda lesson, _: lesson.trace.x,
    "x_source": lambda lesson, _: lesson.trace.x_source,
    "w_q": lambda lesson, h: lesson.trace.layer.w_q[h],
    "w_k": lambda lesson, h: lesson.trace.layer.w_k[h],
    "w_v": lambda lesson, h: lesson.trace.layer.w_v[h],
    "w_o": lambda lesson, h: lesson.trace.layer.w_o[h],
    "query": lambda lesson, h: lesson.trace.query[h],
    "key": lambda lesson, h: lesson.trace.key[h],
    "value": lambda lesson, h: lesson.trace.value[h],
    "score_w": _score_array("w"),
    "score_w_query": _score_array("w_query"),
    "score_w_key": _score_array("w_key"),
    "score_v": _score_array("v"),
    "scores": lambda lesson, h: lesson.trace.scores[h],
    "scaled": lambda lesson, h: lesson.trace.scaled[h],
    "masked": _masked_scores,
    "weights": lambda lesson, h: lesson.trace.weights[h],
    "head_outputs": lambda lesson, h: lesson.trace.head_outputs[h],
    "concat": lambda lesson, _: lesson.trace.concat,
    "contributions": lambda lesson, h: lesson.trace.contributions[h],
    "output": lambda lesson, _: lesson.trace.output,
}
