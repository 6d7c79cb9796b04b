"""The asked cell as text for the link: the matrix and what the focus does not say already.

Cells of (query, key) matrices are the focus itself; in the others the focus says the row, so that
changing the focus asks about the same place of another token.
"""

from typing import Any

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell
from attnviz.explain.parts import matrix, matrix_names
from attnviz.explain.stations import MADE, stage_of

PAIRS = ("scores", "scaled", "masked", "weights")
BY_QUERY = ("x", "query", "head_outputs", "concat", "contributions", "output")
BY_KEY = ("x_source", "key", "value")


def asked_cell(text: str, trace: AttentionTrace, head: int, query: int, key: int) -> Cell | None:
    """The cell that `text` means at this focus (all from 0), brought inside its matrix; None for no cell."""
    name, *places = text.split(".")
    if name not in matrix_names(trace) or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in places):
        return None
    rows, columns = matrix(trace, name, head).shape
    numbers = [int(p) for p in places] + [0, 0]
    if name in PAIRS:
        row, column = query, key
    elif name in BY_QUERY:
        row, column = query, numbers[0]
    elif name in BY_KEY:
        row, column = key, numbers[0]
    else:
        row, column = numbers[0], numbers[1]
    return Cell(name, min(row, rows - 1), min(column, columns - 1), head)


def ask(cell: Cell) -> dict[str, Any]:
    """The settings that ask about `cell`: the text, the focus, and the station where it stands."""
    values: dict[str, Any] = {"head": cell.head + 1, "stage": stage_of(cell.matrix)}
    if cell.matrix in PAIRS:
        return values | {"ask": cell.matrix, "query": cell.row, "key": cell.column}
    if cell.matrix in BY_QUERY:
        return values | {"ask": f"{cell.matrix}.{cell.column}", "query": cell.row}
    if cell.matrix in BY_KEY:
        return values | {"ask": f"{cell.matrix}.{cell.column}", "key": cell.row}
    return values | {"ask": f"{cell.matrix}.{cell.row}.{cell.column}"}


def to_text(cell: Cell) -> str:
    """The cell with all its places, for the board."""
    return f"{cell.matrix}.{cell.head}.{cell.row}.{cell.column}"


def from_text(text: str, trace: AttentionTrace) -> Cell | None:
    """The cell of `to_text`; None for what is no cell of this trace."""
    name, *places = text.split(".")
    if (
        name not in matrix_names(trace)
        or len(places) != 3
        or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in places)
    ):
        return None
    head, row, column = map(int, places)
    if head >= len(trace.weights):
        return None
    rows, columns = matrix(trace, name, head).shape
    return Cell(name, row, column, head) if row < rows and column < columns else None


def asked_at(stage: str) -> str:
    """The matrix that is asked about when a station is entered; none where it is no station."""
    return MADE[stage][0] if stage in MADE else ""


def moved(asked: str, stage: str) -> str:
    """What is asked when the reader goes to another station with the board open."""
    return asked_at(stage) if asked else ""
