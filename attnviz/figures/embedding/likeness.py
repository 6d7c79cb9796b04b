"""Every word against every other: a table of inner products or cosines as a picture."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, Trace, axis, cell_numbers, heatmap, layout
from attnviz.figures.labels import Labels, text_width
from attnviz.figures.palette import Palette

MOST_LEVEL = 6  # words up to which the labels above stand level
MOST_NUMBERS = 12


def likeness_map(
    matrix: NDArray[np.floating],
    *,
    labels: Labels,
    palette: Palette,
    limit: float,
    digits: int,
    height: int = 420,
) -> Figure:
    """The matrix (words, words) on the scale -limit to limit, the same words down and across."""
    n = len(labels)
    level = n <= MOST_LEVEL
    left, top = 14 + text_width(labels.texts), 30 if level else 16 + text_width(labels.texts, 14)
    figure_layout = layout(height, palette, {"l": left, "r": 4, "t": top, "b": 2})
    shown: dict[str, Any] = {"labels": labels, "showticklabels": True}
    figure_layout |= {
        "xaxis": axis(n, (0, 1), side="top", tickangle=0 if level else -90, tickfont={"size": 14}, **shown),
        "yaxis": axis(n, (0, 1), reverse=True, ticklabelstandoff=6, tickfont={"size": 14}, **shown),
    }
    how: dict[str, Any] = {"palette": palette, "limit": limit, "weights": False}
    hover = "%{y}, %{x}<br>%{z:.4f}<extra></extra>"
    traces: list[Trace] = [heatmap(matrix, gap=2 if n <= MOST_NUMBERS else 1, hover=hover, **how)]
    if n <= MOST_NUMBERS:
        traces.append(cell_numbers(matrix, size=13 if n <= 10 else 11, digits=digits, **how))
    return {"data": traces, "layout": figure_layout}
