"""Masks as small patterns, one beside another: filled where a query may look."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, Trace, axis, heatmap, in_blocks, layout, note
from attnviz.figures.grid import grid
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette

TITLE = 40
GAP = 0.05


@dataclass(frozen=True, eq=False)
class Pattern:
    """One mask (n, m), True = may look; `bold` for the one that is in force."""

    keep: NDArray[np.bool_]
    title: str
    subtitle: str
    bold: bool = False


def mask_patterns(patterns: Sequence[Pattern], *, palette: Palette, height: int, a_row: int = 3) -> Figure:
    """The patterns in rows of `a_row`."""
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    places = grid(len(patterns), gap=GAP, between=TITLE / (height - TITLE), a_row=a_row)
    traces: list[Trace] = []
    for pattern, place in zip(patterns, places, strict=True):
        suffix = place.suffix
        shown, _, _ = in_blocks(np.where(pattern.keep, 1.0, np.nan))
        n, m = shown.shape
        traces.append(_cells(shown, palette, suffix, escape(pattern.title)))
        figure_layout[f"xaxis{suffix}"] = axis(m, place.x, anchor=f"y{suffix}")
        figure_layout[f"yaxis{suffix}"] = axis(n, place.y, reverse=True, anchor=f"x{suffix}")
        figure_layout["shapes"].append(_frame(pattern, suffix, palette))
        figure_layout["annotations"] += _titles(pattern, place.x[0], place.y[1], palette)
    return {"data": traces, "layout": figure_layout}


def _cells(shown: NDArray[np.floating], palette: Palette, suffix: str, name: str) -> Trace:
    """In the muted colour: these are truth values, not weights."""
    gap = 1 if max(shown.shape) <= 24 else 0
    cells = heatmap(shown, palette=palette, limit=1.0, weights=True, gap=gap, axes=suffix, name=name)
    return cells | {"colorscale": [[0, palette.muted], [1, palette.muted]], "opacity": 0.6}


def _frame(pattern: Pattern, suffix: str, palette: Palette) -> dict[str, object]:
    domain = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "x0": 0, "x1": 1, "y0": 0, "y1": 1}
    colour, width = (palette.ink, 2) if pattern.bold else (palette.line, 1)
    return {"type": "rect", **domain, "line": {"color": colour, "width": width}}


def _titles(pattern: Pattern, left: float, top: float, palette: Palette) -> list[dict[str, object]]:
    name = f"<b>{escape(pattern.title)}</b>" if pattern.bold else escape(pattern.title)
    place = {"xanchor": "left", "yanchor": "bottom"}
    colour = palette.ink if pattern.bold else palette.muted
    return [
        note(name, left, top, font={"size": 13, "color": colour}, yshift=17, **place),
        note(
            escape(pattern.subtitle), left, top, font={"size": 12, "color": palette.muted}, yshift=1, **place
        ),
    ]
