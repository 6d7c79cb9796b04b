"""A picture and its three channels side by side, one pixel marked in each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, Trace, axis, cells, heatmap, layout, note, outline
from attnviz.figures.grid import side_by_side, subplot
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette

TITLE = 24
GAP = 0.03
FULL = ("#FF0000", "#00FF00", "#0000FF")


def picture_channels(
    image: NDArray[np.uint8],
    *,
    source: str,
    pixel: tuple[int, int],
    titles: Sequence[str],
    palette: Palette,
    height: int = 176,
) -> Figure:
    """The image (h, w, 3) and its red, green and blue channels, each on its own scale from 0 to 255.

    `source` is the image as a data URI, `titles` are those of the four; `pixel` is (row, column).
    """
    h, w = image.shape[:2]
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    traces: list[Trace] = [{"type": "image", "source": source, "hoverinfo": "skip"}, cells((h, w))]
    traces += [_channel(image[:, :, c], colour, palette, str(c + 2)) for c, colour in enumerate(FULL)]
    for k, (title, across) in enumerate(zip(titles, side_by_side(4, GAP), strict=True)):
        suffix = subplot(k)
        square: dict[str, Any] = {
            "scaleanchor": f"y{suffix}",
            "constrain": "domain",
            "constraintoward": "left",
        }
        figure_layout[f"xaxis{suffix}"] = axis(w, across, anchor=f"y{suffix}", **square)
        figure_layout[f"yaxis{suffix}"] = axis(
            h, (0, 1), reverse=True, anchor=f"x{suffix}", constrain="domain", constraintoward="top"
        )
        font = {"size": 13, "color": palette.muted}
        place = {
            "xref": f"x{suffix} domain",
            "yref": f"y{suffix} domain",
            "xanchor": "left",
            "yanchor": "bottom",
        }
        figure_layout["annotations"].append(note(escape(title), 0, 1, font=font, yshift=2, **place))
        figure_layout["shapes"] += _ring(pixel, suffix)
    return {"data": traces, "layout": figure_layout}


def _channel(values: NDArray[np.uint8], colour: str, palette: Palette, suffix: str) -> Trace:
    hover = "%{z:.0f}<extra></extra>"
    drawn = heatmap(
        values.astype(np.float32), palette=palette, limit=255, weights=True, gap=0, axes=suffix, hover=hover
    )
    return drawn | {"colorscale": [[0, "#000000"], [1, colour]]}


def _ring(pixel: tuple[int, int], suffix: str) -> list[dict[str, object]]:
    """Two squares round the pixel, white in black: seen on every colour."""
    row, column = pixel
    return [
        outline((row - more, row + more), (column - more, column + more), colour, width, suffix)
        for more, colour, width in ((2, "#000000", 2), (1.4, "#FFFFFF", 1.5))
    ]
