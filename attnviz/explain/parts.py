"""What an explanation is made of: cells, parts of lines, operands; and every matrix of a trace by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell, Line, Part, Term, placed, products
from attnviz.explain.stations import masked

Array = NDArray[np.floating]


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
    return (*MATRICES, *(f"score_{name}" for name in trace.recipe.score.arrays))


def kept_keys(trace: AttentionTrace, head: int, query: int) -> list[int]:
    """The keys that the mask lets this query look at."""
    kept: list[int] = np.flatnonzero(~np.isnan(matrix(trace, "masked", head)[query])).tolist()
    return kept


def part(trace: AttentionTrace, cell: Cell) -> Part:
    """The number in `cell`, with its value and its place."""
    value = float(matrix(trace, cell.matrix, cell.head)[cell.row, cell.column])
    return placed(value, cell, ROLES.get(cell.matrix, ""))


def row_parts(trace: AttentionTrace, name: str, row: int, head: int) -> tuple[Part, ...]:
    """The numbers of one row of a matrix."""
    role = ROLES.get(name, "")
    numbers = matrix(trace, name, head)[row]
    return tuple(placed(value, Cell(name, row, c, head), role) for c, value in enumerate(numbers))


def cell_products(trace: AttentionTrace, left: Sequence[Cell], right: Sequence[Cell]) -> tuple[Term, ...]:
    """a x b for each pair of cells, negative factors in brackets."""
    return products([part(trace, cell) for cell in left], [part(trace, cell) for cell in right])


def head_parameters(trace: AttentionTrace, head: int) -> dict[str, Array | float]:
    """The parameters of the score function in one head: numbers as they are, arrays without the heads' axis."""
    known = trace.recipe.score.parameters
    return {
        name: value if not isinstance(value, np.ndarray) else _of_head(value, len(known[name].axes), head)
        for name, value in trace.score_parameters.items()
    }


def _of_head(array: Array, axes: int, head: int) -> Array:
    """The array (..., *axes) of one head, where all heads do not share it."""
    if array.ndim == axes:
        return array
    return np.asarray(array[head if len(array) > 1 else 0])


def _score_array(trace: AttentionTrace, name: str, head: int) -> Array:
    """An array of the score function, (rows, columns), of this head; a vector is one row."""
    if name not in trace.recipe.score.arrays:
        raise KeyError(f"score_{name}")
    return np.atleast_2d(head_parameters(trace, head)[name])


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
