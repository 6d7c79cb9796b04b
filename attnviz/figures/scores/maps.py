"""A grid of maps, one column a score function: scores above, weights below."""

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
    in_blocks,
    layout,
    note,
    outline,
)
from attnviz.figures.grid import side_by_side, subplot
from attnviz.figures.labels import Labels, escape, number, text_width
from attnviz.figures.palette import Palette

GAP = 0.025  # between maps, as a share of the width
HEAD, TITLES = 24, 22  # pixels above each line of maps, and above the first
MOST_TICKS = 12
MOST_NUMBERS = 6


@dataclass(frozen=True, eq=False)
class MapLine:
    """One line of the grid: a matrix a function, all with the same rows and columns.

    Signed values have a scale of their own each, weights one from 0 to 1. `marks` is for each map the
    cell (row, column) to outline; the query's line is the row, or the column where `upright`. A cell without a
    number is hatched and says `masked` on hover.
    """

    name: str
    maps: tuple[NDArray[np.floating], ...]
    rows: Labels
    columns: Labels
    marks: tuple[tuple[int, int], ...]
    weights: bool = False
    upright: bool = False
    masked: str = ""


def score_maps(
    titles: Sequence[str], lines: Sequence[MapLine], *, palette: Palette, chosen: int, height: int = 190
) -> Figure:
    """The lines of maps, each about `height` pixels high; the title number `chosen` is bold."""
    count = len(titles)
    ticks = [line.rows for line in lines if len(line.rows) <= MOST_TICKS]
    left = 14 + max((text_width(rows.texts, 13) for rows in ticks), default=0)
    total = (height + HEAD) * len(lines)
    figure_layout = layout(total + TITLES, palette, {"l": left, "r": 4, "t": TITLES, "b": 2})
    across = side_by_side(count, GAP)
    traces: list[Trace] = []
    for k, line in enumerate(lines):
        top = 1 - (k * (height + HEAD) + HEAD) / total
        domain = (max(top - height / total, 0.0), top)
        for j, values in enumerate(line.maps):
            suffix = subplot(k * count + j)
            traces += _map(line, values, palette, suffix)
            place = (across[j], domain)
            _add_axes(figure_layout, line, values, place, suffix, palette, first=j == 0)
            _add_marks(figure_layout, line, values, line.marks[j], suffix, palette)
            _add_note(figure_layout, line, values, across[j][0], top, palette, named=j == 0)
    for j, title in enumerate(titles):
        text, colour = escape(title), palette.ink if j == chosen else palette.muted
        figure_layout["annotations"].append(
            note(
                f"<b>{text}</b>" if j == chosen else text,
                across[j][0],
                1,
                xanchor="left",
                yanchor="bottom",
                font={"size": 15, "color": colour},
            )
        )
    return {"data": traces, "layout": figure_layout}


def limit_of(values: NDArray[np.floating]) -> float:
    """The bound of one map's own scale."""
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max(initial=0.0)) or 1.0


def _map(line: MapLine, values: NDArray[np.floating], palette: Palette, suffix: str) -> list[Trace]:
    shown, _, _ = in_blocks(np.asarray(values, dtype=float))
    how: dict[str, Any] = {
        "palette": palette,
        "limit": 1.0 if line.weights else limit_of(values),
        "weights": line.weights,
    }
    gap = 1 if max(shown.shape) <= 24 else 0
    hover = "%{y} · %{x}<br>%{z:.4f}<extra></extra>"
    traces: list[Trace] = [heatmap(shown, gap=gap, axes=suffix, hover=hover, **how)]
    if np.isnan(shown).any():
        untold = f"%{{y}} · %{{x}}<br>{escape(line.masked)}<extra></extra>"
        traces.append(hatch(np.isnan(shown), palette, suffix, hover=untold))
    if shown.shape[1] <= MOST_NUMBERS and shown.shape[0] <= 2 * MOST_NUMBERS:
        digits = 1 if limit_of(values) >= 10 else 2
        traces.append(cell_numbers(shown, size=11, digits=digits, axes=suffix, **how))
    return traces


def _add_axes(
    figure_layout: dict[str, Any],
    line: MapLine,
    values: NDArray[np.floating],
    place: tuple[tuple[float, float], tuple[float, float]],
    suffix: str,
    palette: Palette,
    *,
    first: bool,
) -> None:
    shown, high, wide = in_blocks(np.asarray(values, dtype=float))
    n, m = shown.shape
    ticks = first and len(line.rows) <= MOST_TICKS
    marked = line.marks[0][0] if not line.upright else None
    figure_layout[f"xaxis{suffix}"] = axis(m, place[0], anchor=f"y{suffix}", labels=_thin(line.columns, wide))
    figure_layout[f"yaxis{suffix}"] = axis(
        n,
        place[1],
        reverse=True,
        anchor=f"x{suffix}",
        labels=_thin(line.rows, high),
        marked=marked if ticks else None,
        palette=palette,
        showticklabels=ticks,
        ticklabelstandoff=5,
        tickfont={"size": 13},
    )


def _thin(labels: Labels, step: int) -> Labels:
    return labels if step == 1 else Labels(labels.texts[::step], labels.wholes[::step], labels.role)


def _add_marks(
    figure_layout: dict[str, Any],
    line: MapLine,
    values: NDArray[np.floating],
    mark: tuple[int, int],
    suffix: str,
    palette: Palette,
) -> None:
    shown, high, wide = in_blocks(np.asarray(values, dtype=float))
    row, column = mark[0] // high, mark[1] // wide
    n, m = shown.shape
    rows, columns = ((0, n - 1), (column, column)) if line.upright else ((row, row), (0, m - 1))
    figure_layout["shapes"] += [
        outline(rows, columns, palette.query, 1.5, suffix),
        outline((row, row), (column, column), palette.key, 2, suffix),
    ]


def _add_note(
    figure_layout: dict[str, Any],
    line: MapLine,
    values: NDArray[np.floating],
    x: float,
    y: float,
    palette: Palette,
    *,
    named: bool,
) -> None:
    """The line's name above its first map, and above each map of scores the bound of its scale."""
    bound = "" if line.weights else f"±{number(limit_of(values))}"
    text = "  ".join(part for part in ([f"<b>{escape(line.name)}</b>"] if named else []) + [bound] if part)
    if text:
        font = {"size": 13, "color": palette.muted}
        figure_layout["annotations"].append(
            note(text, x, y, xanchor="left", yanchor="bottom", yshift=1, font=font)
        )
