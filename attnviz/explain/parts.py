"""What an explanation is made of: cells, parts of lines, operands; and every matrix of a trace by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.explain.stations import masked

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Cell:
    """One entry of one matrix of the trace; head, row and column count from 0."""

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


def matrix(trace: AttentionTrace, name: str, head: int) -> Array:
    """The matrix called `name`, (rows, columns), of this head where it has heads.

    Masked scores are NaN where the mask keeps nothing; "score_w" is the array w of the score function. Raises
    KeyError for an unknown name.
    """
    if name.startswith("score_"):
        return _score_array(trace, name.removeprefix("score_"), head)
    return MATRICES[name](trace, head)


def matrix_names(trace: AttentionTrace) -> tuple[str, ...]:
    """The names of all matrices of the trace, the arrays of its score function among them."""
    given = trace.score_parameters.items()
    return (*MATRICES, *(f"score_{name}" for name, value in given if isinstance(value, np.ndarray)))


def kept_keys(trace: AttentionTrace, head: int, query: int) -> list[int]:
    """The keys that the mask lets this query look at."""
    kept: list[int] = np.flatnonzero(~np.isnan(matrix(trace, "masked", head)[query])).tolist()
    return kept


def shown(value: float, digits: int = 4) -> str:
    """So many significant digits with a true minus sign; whole numbers as such."""
    text = f"{value:.{digits}g}"
    return (text if float(text) else "0").replace("-", "−")


def part(trace: AttentionTrace, cell: Cell) -> Part:
    """The number in `cell`, with its value and its place."""
    value = float(matrix(trace, cell.matrix, cell.head)[cell.row, cell.column])
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


def products(trace: AttentionTrace, left: Sequence[Cell], right: Sequence[Cell]) -> tuple[Term, ...]:
    """a x b for each pair, negative factors in brackets."""
    pairs = zip(left, right, strict=True)
    return tuple(bracketed((part(trace, a), sign(" × "), part(trace, b))) for a, b in pairs)


def bracketed(term: Term) -> Term:
    """The term with its negative numbers in brackets."""
    return tuple(
        replace(p, text=f"({p.text})") if p.text.startswith("−") and p.value is not None else p for p in term
    )


def _score_array(trace: AttentionTrace, name: str, head: int) -> Array:
    """An array of the score function, (rows, columns), of this head; a vector is one row."""
    array = trace.score_parameters[name]
    if not isinstance(array, np.ndarray):
        raise KeyError(f"{name} is a number")
    if array.ndim > len(trace.recipe.score.parameters[name].axes):
        array = array[head if len(array) > 1 else 0]
    return np.atleast_2d(array)


MATRICES: dict[str, Callable[[AttentionTrace, int], Array]] = {
    "x": lambda trace, _: trace.x,
    "x_source": lambda trace, _: trace.x_source,
    "w_q": lambda trace, h: trace.layer.w_q[h],
    "w_k": lambda trace, h: trace.layer.w_k[h],
    "w_v": lambda trace, h: trace.layer.w_v[h],
    "w_o": lambda trace, h: trace.layer.w_o[h],
    "query": lambda trace, h: trace.query[h],
    "key": lambda trace, h: trace.key[h],
    "value": lambda trace, h: trace.value[h],
    "scores": lambda trace, h: trace.scores[h],
    "scaled": lambda trace, h: trace.scaled[h],
    "masked": lambda trace, h: masked(trace)[h],
    "weights": lambda trace, h: trace.weights[h],
    "head_outputs": lambda trace, h: trace.head_outputs[h],
    "concat": lambda trace, _: trace.concat,
    "contributions": lambda trace, h: trace.contributions[h],
    "output": lambda trace, _: trace.output,
}
