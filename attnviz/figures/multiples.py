"""Small maps in one figure, at most four a row: all heads of a stage, or all stages of a head."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, Trace, axis, heatmap, in_blocks, layout, note, outline
from attnviz.figures.grid import grid, lines_of
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette

TITLE = 22
GAP = 0.05


@dataclass(frozen=True)
class Small:
    """One small map: values with their scale (0 to limit for weights, else -limit to limit).

    `row` and `column` are the line to outline in the query's colour, None for none; `subtitle`
    stands behind the title in a quieter shade.
    """

    values: NDArray[np.floating]
    title: str
    limit: float
    weights: bool = False
    bold: bool = False
    row: int | None = None
    column: int | None = None
    subtitle: str = ""
    role: str = ""


def small_maps(maps: Sequence[Small], *, palette: Palette, height: int) -> Figure:
    """The maps in rows of at most four, each with its title; a side of more than 64 is drawn in blocks."""
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    places = grid(len(maps), gap=GAP, between=TITLE / (height - TITLE))
    traces: list[Trace] = []
    for small, place in zip(maps, places, strict=True):
        suffix = place.suffix
        shown, high, wide = in_blocks(np.asarray(small.values, dtype=float))
        n, m = shown.shape
        gap = 1 if max(n, m) <= 24 else 0
        traces.append(
            heatmap(
                shown,
                palette=palette,
                limit=small.limit,
                weights=small.weights,
                gap=gap,
                axes=suffix,
                name=escape(small.title),
            )
        )
        figure_layout[f"xaxis{suffix}"] = axis(m, place.x, anchor=f"y{suffix}")
        figure_layout[f"yaxis{suffix}"] = axis(n, place.y, reverse=True, anchor=f"x{suffix}")
        figure_layout["annotations"].append(_title(small, place.x[0], place.y[1], palette))
        width = 2 if small.bold else 1
        if small.row is not None:
            line = small.row // high
            figure_layout["shapes"].append(outline((line, line), (0, m - 1), palette.query, width, suffix))
        if small.column is not None:
            line = small.column // wide
            figure_layout["shapes"].append(outline((0, n - 1), (line, line), palette.query, width, suffix))
    return {"data": traces, "layout": figure_layout}


def _title(small: Small, left: float, top: float, palette: Palette) -> dict[str, object]:
    text = escape(small.title)
    if small.bold:
        text = f"<b>{text}</b>"
    if small.subtitle:
        text += f'  <span style="color:{palette.muted}">{escape(small.subtitle)}</span>'
    colour = palette.role_text(small.role) if small.bold or small.role else palette.muted
    font = {"size": 13, "color": colour}
    return note(text, left, top, xanchor="left", yanchor="bottom", font=font, yshift=1)


def head_maps(
    matrices: NDArray[np.floating],
    *,
    titles: Sequence[str],
    palette: Palette,
    limit: float,
    weights: bool,
    head: int,
    line: int,
    along_rows: bool = True,
) -> Figure:
    """The matrices (H, n, m) as small maps on one scale; the focused head's title bold, the query outlined.

    `line` is the focused query, a row where `along_rows`, else a column (column notation).
    """
    maps = [
        Small(
            matrix,
            titles[h],
            limit,
            weights,
            bold=h == head,
            row=line if along_rows else None,
            column=None if along_rows else line,
        )
        for h, matrix in enumerate(matrices)
    ]
    lines = lines_of(len(maps))
    return small_maps(maps, palette=palette, height=180 if lines == 1 else min(118 * lines, 420))
