"""The large map of one head, queries against keys, with each row's statistics beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import (
    Figure,
    Trace,
    axis,
    cell_numbers,
    hatch,
    heatmap,
    hover_axes,
    in_blocks,
    layout,
    note,
    outline,
)
from attnviz.figures.labels import Labels, escape, text_width
from attnviz.figures.palette import Palette

MOST_NUMBERS = 12  # columns up to which a cell has room for its number
MOST_TICKS = 32
WHOLE = "3"  # the axes of the cells, unseen: they know every label whole, for the pointer
SHARE = 0.61  # of the width; the rest is for the statistics
TICK_SIZES = (15, 13, 12)  # the largest at which the labels do not meet
TURNED_SIZE = 11  # of many that meet at every size, and are turned
ABOUT = 600  # pixels that a map has at 1440; labels that would touch there are turned


@dataclass(frozen=True)
class Statistic:
    """One column of numbers beside (or, in column notation, one row under) a map."""

    title: str
    values: tuple[str, ...]


def attention_map(
    matrix: NDArray[np.floating],
    *,
    rows: Labels,
    columns: Labels,
    palette: Palette,
    limit: float,
    weights: bool,
    focus: tuple[int, int],
    statistics: Sequence[Statistic] = (),
    height: int = 430,
    digits: int = 2,
    name: str = "",
    masked: str = "",
) -> Figure:
    """The matrix (rows, columns) as a map: NaN cells are masked and stay blank with a hatch.

    `focus` is (row, column): the query's line is outlined in its colour, the cell in the key's.
    The statistics belong to the queries: they stand beside the rows where these are queries and
    under the columns where those are (column notation). A side of more than 64 is drawn in
    blocks. On hover a cell tells its tokens in full, then `name` and its number, or `masked`.
    """
    shown, high, wide = in_blocks(np.asarray(matrix, dtype=float))
    rows, columns = _thinned(rows, high), _thinned(columns, wide)
    at = (focus[0] // high, focus[1] // wide)
    room = (
        len(statistics[0].values) <= (MOST_NUMBERS if rows.role != "query" else MOST_TICKS)
        if statistics
        else True
    )
    statistics = statistics if room else ()
    across = rows.role != "query"
    split = SHARE if statistics and not across else 1.0
    bottom = 26 * len(statistics) + 4 if statistics and across else 2
    few = len(columns) <= MOST_NUMBERS and len(rows) <= 24
    left = 14 + max(text_width(rows.texts), text_width([rows.title], 13) + 16)
    width = (ABOUT - left) * split / len(columns) - 4
    fitting = [size for size in TICK_SIZES if text_width(columns.texts, size) <= width]
    turned = not fitting
    tick_size = fitting[0] if fitting else TURNED_SIZE if len(columns) > 10 else TICK_SIZES[0]
    top = 58 if not turned else 40 + text_width(columns.texts, tick_size)
    figure_layout = layout(height + top - 58, palette, {"l": left, "r": 6, "t": top, "b": bottom})
    how: dict[str, Any] = {"palette": palette, "limit": limit, "weights": weights, "axes": WHOLE}
    told, hidden = (
        f"%{{y}} → %{{x}}<br>{end}<extra></extra>" for end in (f"{escape(name)} %{{z:.4f}}", escape(masked))
    )
    traces: list[Trace] = [heatmap(shown, gap=2 if few else 1, hover=told, **how)]
    if np.isnan(shown).any():
        traces.append(hatch(np.isnan(shown), palette, WHOLE, hover=hidden))
    if few:
        size = 15 if len(columns) <= 8 else 13 if len(columns) <= 10 or split == 1 else 11
        traces.append(cell_numbers(shown, size=size, digits=digits, **how))
    y_ticks, x_ticks = len(rows) <= MOST_TICKS, len(columns) <= MOST_TICKS
    figure_layout |= {
        "yaxis": axis(
            len(rows),
            (0, 1),
            reverse=True,
            labels=rows,
            marked=at[0],
            palette=palette,
            showticklabels=True,
            ticklabelstandoff=6,
            tickfont={"size": 15 if len(rows) <= 16 else 11},
            **({} if y_ticks else _every(rows)),
        ),
        "xaxis": axis(
            len(columns),
            (0, split),
            labels=columns,
            marked=at[1],
            palette=palette,
            showticklabels=True,
            side="top",
            ticklabelstandoff=4,
            tickangle=-90 if turned else 0,
            tickfont={"size": tick_size},
            **({} if x_ticks else _every(columns)),
        ),
    }
    figure_layout |= hover_axes(rows, columns, (0, split), WHOLE)
    figure_layout["hoverdistance"] = max(3, 150 // max(shown.shape))  # a hatch tells of its own cell only
    figure_layout["shapes"] = _focus_shapes(at, shown.shape, rows.role, palette)
    figure_layout["annotations"] = _titles(rows, columns, palette, top - 28)
    if statistics and across:
        figure_layout["annotations"] += _under(statistics, at[1], palette)
    elif statistics:
        numbers, titles = _beside(statistics, at[0], palette)
        traces.append(numbers)
        figure_layout["annotations"] += titles
        figure_layout["xaxis2"] = axis(len(statistics), (SHARE + 0.02, 1.0))
    return {"data": traces, "layout": figure_layout}


def _thinned(labels: Labels, step: int) -> Labels:
    if step == 1:
        return labels
    starts = range(0, len(labels), step)
    last = len(labels) - 1
    wholes = tuple(f"{labels.wholes[i]} … {labels.wholes[min(i + step - 1, last)]}" for i in starts)
    return Labels(tuple(labels.texts[i] for i in starts), wholes, labels.role, labels.title)


def _every(labels: Labels) -> dict[str, Any]:
    step = -(-len(labels) // MOST_TICKS)
    return {
        "tickvals": list(range(0, len(labels), step)),
        "ticktext": [escape(text) for text in labels.texts[::step]],
    }


def _focus_shapes(
    at: tuple[int, int], shape: tuple[int, ...], row_role: str, palette: Palette
) -> list[dict[str, object]]:
    line = (
        outline((at[0], at[0]), (0, shape[1] - 1), palette.query, 2)
        if row_role == "query"
        else outline((0, shape[0] - 1), (at[1], at[1]), palette.query, 2)
    )
    return [line, outline((at[0], at[0]), (at[1], at[1]), palette.key, 2.5)]


def _titles(rows: Labels, columns: Labels, palette: Palette, raised: int) -> list[dict[str, object]]:
    side = {"font": {"size": 13, "color": palette.role_text(rows.role)}}
    top = {"font": {"size": 13, "color": palette.role_text(columns.role)}}
    return [
        note(f"{escape(columns.title)} →", 0, 1, xanchor="left", yanchor="bottom", yshift=raised, **top),
        note(f"{escape(rows.title)} ↓", 0, 1, xanchor="right", yanchor="bottom", xshift=-8, yshift=5, **side),
    ]


def _beside(
    statistics: Sequence[Statistic], marked: int, palette: Palette
) -> tuple[Trace, list[dict[str, object]]]:
    """The statistics as columns of a second x axis that shares y: aligned with the rows at every width."""
    cells = [(k, i, value) for k, s in enumerate(statistics) for i, value in enumerate(s.values)]
    numbers: Trace = {
        "type": "scatter",
        "x": [k for k, _, _ in cells],
        "y": [i for _, i, _ in cells],
        "mode": "text",
        "text": [value for _, _, value in cells],
        "textfont": {
            "size": 13 if len(statistics[0].values) <= 16 else 11,
            "color": [palette.query_text if i == marked else palette.ink for _, i, _ in cells],
        },
        "hoverinfo": "skip",
        "cliponaxis": False,
        "xaxis": "x2",
        "yaxis": "y",
    }
    font = {"size": 13, "color": palette.muted}
    titles = [
        note(s.title, k, 1, xref="x2", yanchor="bottom", yshift=5, font=font)
        for k, s in enumerate(statistics)
    ]
    return numbers, titles


def _under(statistics: Sequence[Statistic], marked: int, palette: Palette) -> list[dict[str, object]]:
    """The statistics as lines under the columns; annotations, since a second axis would take height."""
    notes = []
    for k, statistic in enumerate(statistics):
        shift = -26 * k - 4
        font = {"size": 13, "color": palette.muted}
        title = statistic.title.replace("<br>", " ")
        notes.append(note(title, 0, 0, xanchor="right", yanchor="top", xshift=-8, yshift=shift, font=font))
        for i, value in enumerate(statistic.values):
            text = f"<b>{value}</b>" if i == marked else value
            notes.append(note(text, i, 0, xref="x", yanchor="top", yshift=shift, font={"size": 14}))
    return notes
