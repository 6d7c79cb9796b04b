"""Matrices side by side in one figure, cells of equal width: Q K V, or concat x W^O = output."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.figures.base import Figure, Trace, axis, cell_numbers, hatch, heatmap, layout
from attnviz.figures.grid import subplot
from attnviz.figures.labels import escape, text_width
from attnviz.figures.matrix import Matrix
from attnviz.figures.matrix_frame import outlines, sign, title_width, titles
from attnviz.figures.palette import Palette

GAP = 0.55  # between matrices, in cells; wider where a sign or labels stand in it
SIGN_GAP = 1.7
TOP = 44  # pixels above the matrices: title, and the rule in the role's colour
TICKS = 24  # more, where tokens stand above the columns
MOST_TICKS = 12
TITLED = 24  # pixels a cell from which numbers stand in it
LEAST_TICK = 13  # pixels from one row label to the next


def matrix_row(
    matrices: Sequence[Matrix],
    *,
    palette: Palette,
    limit: float,
    cell: int,
    pixels: int = 660,
    focus: Mapping[str, int] | None = None,
) -> Figure:
    """The matrices in a row, one scale from -limit to limit, cells `cell` pixels high.

    Domains are counted in cells, so every cell is equally wide (but a matrix too small for its title, where
    no numbers are shown, is drawn wider); `pixels` is about how wide the
    picture will be and decides, with the number of columns, how many digits fit. `focus` maps a
    role to the token of that role whose label is set in bold.
    """
    gaps = [0.0] + [SIGN_GAP if m.sign or _own_ticks(m) else GAP for m in matrices[1:]]
    gaps = [gap * max(1.0, sum(m.values.shape[1] for m in matrices) / 30) for gap in gaps]
    spans = [float(m.values.shape[1]) for m in matrices]
    rows = max(m.values.shape[0] for m in matrices)
    captions = any(m.block_names and m.column_blocks for m in matrices)
    left = _left(matrices[0])
    room = (pixels - left) / (sum(spans) + sum(gaps))
    if (
        room < TITLED
    ):  # no numbers stand in the cells: they need not be equally wide, but titles must not meet
        spans = [max(span, title_width(m) / room) for span, m in zip(spans, matrices, strict=True)]
    total = sum(spans) + sum(gaps)
    raised, turned = _room_for_tokens(matrices, room)
    top, bottom = TOP + raised, 24 if captions else 2
    figure_layout = layout(rows * cell + top + bottom, palette, {"l": left, "r": 6, "t": top, "b": bottom})
    size, digits = _digits(room, limit)
    if cell < 18:
        size = 0
    traces: list[Trace] = []
    at = 0.0
    for k, matrix in enumerate(matrices):
        suffix = subplot(k)
        at += gaps[k]
        domain = (at / total, min((at + spans[k]) / total, 1.0))
        at += spans[k]
        traces += _traces(matrix, palette, limit, suffix, size, digits, cell)
        figure_layout |= _axes(matrix, domain, rows, suffix, palette, cell, k == 0, focus or {}, turned)
        figure_layout["shapes"] += outlines(matrix, palette, suffix)
        figure_layout["annotations"] += titles(
            matrix, palette, domain, suffix, raised, (pixels - left) / total * spans[k]
        )
        if matrix.sign:
            middle = domain[0] - gaps[k] * (0.85 if _own_ticks(matrix) else 0.5) / total
            figure_layout["annotations"].append(sign(matrix, middle, suffix, palette))
    return {"data": traces, "layout": figure_layout}


def _room_for_tokens(matrices: Sequence[Matrix], room: float) -> tuple[int, bool]:
    """Pixels that the tokens above the columns need, and whether they have to be turned to fit."""
    widths = [text_width(m.columns.texts, 13) for m in matrices if _tokens_across(m)]
    if not widths:
        return 0, False
    turned = max(widths) + 4 > room
    return (max(widths) + 12 if turned else TICKS), turned


def _left(matrix: Matrix) -> int:
    """Pixels for the labels at the left of the first matrix."""
    if not (matrix.rows.role or matrix.row_blocks):
        return 14
    return 14 + text_width(matrix.block_names if matrix.row_blocks else matrix.rows.texts)


def _tokens_across(matrix: Matrix) -> bool:
    return bool(matrix.columns.role) and len(matrix.columns) <= 2 * MOST_TICKS


def _own_ticks(matrix: Matrix) -> bool:
    return bool(matrix.row_blocks) or (matrix.row_ticks and bool(matrix.rows.role))


def _digits(room: float, limit: float) -> tuple[int, int]:
    """Font size and decimals for a cell `room` pixels wide; size 0 where no number fits."""
    wide = 8 if limit >= 10 else 0
    if room >= 46 + wide:
        return 13, 2
    if room >= 37 + wide:
        return 12, 2
    if room >= 31 + wide:
        return 11, 2
    if room >= TITLED + wide:
        return 11, 1
    return 0, 0


def _traces(
    matrix: Matrix, palette: Palette, limit: float, suffix: str, size: int, digits: int, cell: int
) -> list[Trace]:
    columns = matrix.values.shape[1]
    place = f"{escape(matrix.title)}  %{{y}}, %{{x}}<br>"
    gap = 0 if columns > 80 or cell < 6 else 1 if columns > 16 or cell < 24 else 2
    how: dict[str, Any] = {
        "palette": palette,
        "limit": 1.0 if matrix.weights else limit,
        "weights": matrix.weights,
    }
    traces: list[Trace] = [
        heatmap(matrix.values, gap=gap, axes=suffix, hover=place + "%{z:.4f}<extra></extra>", **how)
    ]
    hidden = np.isnan(matrix.values)
    untold = f"{place}{escape(matrix.masked)}<extra></extra>" if matrix.masked else None
    if hidden.any():
        traces.append(hatch(hidden, palette, suffix, hover=untold))
    if size:
        own = digits if matrix.digits is None else matrix.digits
        traces.append(cell_numbers(matrix.values, size=size, digits=own, axes=suffix, **how))
    return traces


def _axes(
    matrix: Matrix,
    domain: tuple[float, float],
    rows: int,
    suffix: str,
    palette: Palette,
    cell: int,
    first: bool,
    focus: Mapping[str, int],
    turned: bool,
) -> dict[str, object]:
    own = matrix.values.shape[0]
    token_rows = bool(matrix.rows.role) and first
    across = _tokens_across(matrix)
    vertical: dict[str, object] = {}
    if matrix.row_blocks:
        starts = np.cumsum((0, *matrix.row_blocks[:-1])).tolist()
        step = -(-LEAST_TICK // (cell * min(matrix.row_blocks)))
        names = [escape(name) for name in matrix.block_names]
        vertical = {"tickvals": starts[::step], "ticktext": names[::step]}
    elif cell < LEAST_TICK:
        step = -(-LEAST_TICK // cell)
        vertical = {
            "tickvals": list(range(0, own, step)),
            "ticktext": [escape(text) for text in matrix.rows.texts[::step]],
        }
    return {
        f"xaxis{suffix}": axis(
            matrix.values.shape[1],
            domain,
            labels=matrix.columns,
            marked=focus.get(matrix.columns.role) if across else None,
            palette=palette,
            side="top",
            anchor=f"y{suffix}",
            showticklabels=across,
            ticklabelstandoff=10,
            tickangle=-90 if turned else 0,
            tickfont={"size": 13},
        ),
        f"yaxis{suffix}": axis(
            own,
            (1 - own / rows, 1),
            reverse=True,
            labels=matrix.rows,
            marked=focus.get(matrix.rows.role) if token_rows or matrix.row_ticks else None,
            palette=palette,
            showticklabels=token_rows or _own_ticks(matrix),
            ticklabelstandoff=6,
            tickfont={"size": 13 if matrix.row_blocks else 15 if own <= 20 else 11},
            anchor=f"x{suffix}",
        )
        | vertical,
    }
