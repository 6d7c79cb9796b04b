"""What the board shows, as plain lists and texts: an explanation in the reader's words and notation."""

from typing import Any

import numpy as np

from attnviz.core.written import Line, Part, shown
from attnviz.explain import Cell, Explanation, matrix
from attnviz.explain.in_lesson import edited_cells
from attnviz.explain.parts import ROLES, Operand
from attnviz.explain.reference import BY_KEY, BY_QUERY, PAIRS, to_text
from attnviz.explain.stations import seen_weights
from attnviz.figures.base import scale_of
from attnviz.figures.labels import Labels, number_labels, subscript
from attnviz.figures.palette import cell_colours, cell_inks
from attnviz.ui.kit.array_names import symbol
from attnviz.ui.kit.pictures.scene import Scene

MOST = 14  # rows and columns of an operand on screen; a larger one is cut to a window round its mark
WHOLE = ("x", "x_source", "concat", "output")  # matrices that no head owns


def board_data(scene: Scene, explanation: Explanation) -> dict[str, Any]:
    """The payload of the board: strings, numbers and lists only."""
    words = scene.words
    return {
        "title": words("board.title", cell=_place(scene, explanation.cell), value=shown(explanation.value))
        if np.isfinite(explanation.value)
        else words("board.title_hidden", cell=_place(scene, explanation.cell)),
        "lines": [_line(line) for line in explanation.lines],
        "notes": [words.either(f"board.notes.{name}", name) for name in (*explanation.notes, "rounded")],
        "operands": [_operand(scene, operand, explanation.cell) for operand in explanation.operands],
        "sources": [to_text(cell) for cell in explanation.sources],
        "targets": [to_text(cell) for cell in explanation.targets],
        "words": {name: words(f"board.{name}") for name in ("back", "on", "close", "more")},
    }


def _place(scene: Scene, cell: Cell) -> str:
    """The cell in words: matrix, head, row, column in the reader's notation."""
    rows, columns = _labels(scene, cell.matrix)
    row, column = rows[cell.row], columns[cell.column]
    if scene.columns:
        row, column = column, row
    name = symbol(cell.matrix)
    if cell.matrix not in WHOLE:
        name = f"{name}, {scene.words('common.head_n', n=cell.head + 1)}"
    return f"{name} [{row}, {column}]"


def _line(line: Line) -> dict[str, Any]:
    return {
        "left": [_part(p) for p in line.left],
        "terms": [[_part(p) for p in term] for term in line.terms],
        "open": line.open,
        "close": line.close,
        "joiner": line.joiner,
        "result": _part(line.result) if line.result else None,
    }


def _part(part: Part) -> dict[str, Any]:
    value = part.value
    return {
        "text": part.text,
        "role": part.role,
        "value": None if value is None or not np.isfinite(value) else repr(float(value)),
        "ref": to_text(part.cell) if part.cell else "",
    }


def labels_of(scene: Scene, name: str) -> tuple[Labels, Labels]:
    """What the rows and the columns of a matrix are called, tokens as rows."""
    rows, columns = matrix(scene.lesson.trace, name, 0).shape
    if name in PAIRS:
        return scene.queries, scene.keys
    if name in BY_KEY:
        return scene.keys, number_labels(columns)
    if name in BY_QUERY:
        return scene.queries, number_labels(columns)
    return number_labels(rows), number_labels(columns)


def _labels(scene: Scene, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same as plain texts: tokens, or the numbers of the coordinates."""

    def texts(labels: Labels) -> tuple[str, ...]:
        return labels.texts if labels.role else tuple(str(i) for i in range(len(labels)))

    rows, columns = labels_of(scene, name)
    return texts(rows), texts(columns)


def _operand(scene: Scene, operand: Operand, cell: Cell) -> dict[str, Any]:
    array, weights = matrix(scene.lesson.trace, operand.matrix, cell.head), operand.matrix == "weights"
    if weights:
        array = seen_weights(scene.lesson.trace)[cell.head]
    rows, columns = _labels(scene, operand.matrix)
    on_row, on_column = operand.row, operand.column
    if scene.columns:
        array, rows, columns, on_row, on_column = array.T, columns, rows, on_column, on_row
    top, left = _window(array.shape[0], on_row), _window(array.shape[1], on_column)
    part = array[top : top + MOST, left : left + MOST]
    scale = scene.palette.weights if weights else scene.palette.signed
    limit = 1.0 if weights else scale_of([array])
    shares = np.clip(np.nan_to_num(part / limit if weights else (part / limit + 1) / 2), 0, 1)
    fills, inks = cell_colours(shares, scale), cell_inks(shares, scale)
    edited = edited_cells(scene.lesson, operand.matrix, cell.head)

    def at(r: int, c: int) -> dict[str, Any]:
        row, column = top + r, left + c
        marked = on_row in (None, row) and on_column in (None, column) and (on_row, on_column) != (None, None)
        place = (column, row) if scene.columns else (row, column)
        finite = bool(np.isfinite(part[r, c]))
        return {
            "text": shown(float(part[r, c]), 3) if finite else "",
            "fill": str(fills[r, c]) if finite else "transparent",
            "ink": str(inks[r, c]) if finite else "inherit",
            "on": marked,
            "edited": edited is not None and bool(edited[place]),
            "ref": to_text(Cell(operand.matrix, *place, cell.head)),
        }

    return {
        "title": _title(scene, operand.matrix, cell.head),
        "role": operand.role or ROLES.get(operand.matrix, ""),
        "size": f"{array.shape[0]} × {array.shape[1]}",
        "rows": list(rows[top : top + MOST]),
        "columns": list(columns[left : left + MOST]),
        "cells": [[at(r, c) for c in range(part.shape[1])] for r in range(part.shape[0])],
        "cut": scene.words("board.cut", rows=part.shape[0], columns=part.shape[1])
        if part.size < array.size
        else "",
        "hidden": scene.words("board.hidden"),
        "edited": scene.words("board.edited"),
    }


def _title(scene: Scene, name: str, head: int) -> str:
    return symbol(name) if name in WHOLE else f"{symbol(name)}{subscript(head + 1)}"


def _window(size: int, mark: int | None) -> int:
    """Where a window of at most MOST begins so that the mark is in its middle where it can."""
    if size <= MOST or mark is None:
        return 0
    return min(max(mark - MOST // 2, 0), size - MOST)
