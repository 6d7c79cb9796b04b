"""A picture and its three channels side by side, one pixel marked in each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import axis, click_targets, layout, note, outline
from attnviz.figures.grid import side_by_side, subplot
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette

TITLE = 24
GAP = 0.03
FULL = ("#FF0000", "#00FF00", "#0000FF")


def picture_channels(
    image: NDArray[np.uint8],
    *,
    pixel: tuple[int, int],
    titles: Sequence[str],
    palette: Palette,
    height: int = 176,
) -> go.Figure:
    """The image (h, w, 3) and its red, green and blue channels, each on its own scale from 0 to 255.

    titles are those of the four; `pixel` is (row, column). A click on a pixel of the image is reported.
    """
    h, w = image.shape[:2]
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    traces: list[go.Image | go.Heatmap | go.Scatter | go.Scattergl] = [
        go.Image(z=image.tolist(), hoverinfo="skip")
    ]
    traces += [_channel(image[:, :, c], colour, str(c + 2)) for c, colour in enumerate(FULL)]
    traces.append(click_targets(h, w, size=4))
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
    return go.Figure(data=traces, layout=figure_layout)


def _channel(values: NDArray[np.uint8], colour: str, suffix: str) -> go.Heatmap:
    return go.Heatmap(
        z=np.ascontiguousarray(values, dtype=np.float32),
        zmin=0,
        zmax=255,
        colorscale=[[0, "#000000"], [1, colour]],
        showscale=False,
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        hovertemplate="%{z:.0f}<extra></extra>",
    )


def _ring(pixel: tuple[int, int], suffix: str) -> list[dict[str, object]]:
    """Two squares round the pixel, white in black: seen on every colour."""
    row, column = pixel
    return [
        outline((row - more, row + more), (column - more, column + more), colour, width, suffix)
        for more, colour, width in ((2, "#000000", 2), (1.4, "#FFFFFF", 1.5))
    ]
