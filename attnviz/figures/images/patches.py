"""Pictures cut into patches: one unit of the axes is one patch, so that numbers can be laid over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, Trace, axis, cells, hatch, heatmap, layout, note, outline
from attnviz.figures.grid import A_ROW, grid, lines_of, subplot
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette

TITLE = 24
GAP = 0.03
RING_ROOM = 0.01  # of the longer side, round the picture, or the outline of a patch at its edge were cut


@dataclass(frozen=True)
class Picture:
    """A picture as a data URI, and how many patches it has each way."""

    source: str
    rows: int
    columns: int
    patch_size: int


@dataclass(frozen=True)
class Overlay:
    """One number a patch (n,), to be laid over the picture on a scale from 0 to `limit`, and its title."""

    values: NDArray[np.floating]
    title: str
    limit: float
    bold: bool = False


def patch_picture(picture: Picture, *, chosen: int, palette: Palette, height: int, hover: str) -> Figure:
    """The picture with the lines between its patches; the chosen one is outlined.

    `hover` is a template of ours in which %{y} and %{x} are the patch's row and column.
    """
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": 2, "b": 2})
    figure_layout |= _axes(picture, "", (0.0, 1.0), (0.0, 1.0))
    figure_layout["shapes"] = [*_grid(picture, palette), *_ring(picture, chosen, palette, "")]
    patches = cells((picture.rows, picture.columns), hover=hover)
    return {"data": [_image(picture, ""), patches], "layout": figure_layout}


def overlays(
    picture: Picture,
    maps: Sequence[Overlay],
    *,
    chosen: int,
    palette: Palette,
    height: int,
    hover: str,
    hidden: str = "",
    opacity: float = 0.75,
) -> Figure:
    """The picture once for each overlay, at most four a row and never wider than a third of it.

    NaN leaves the picture bare, and there `hidden` is told; in `hover` %{z} is the number of a patch.
    """
    lines = lines_of(len(maps))
    figure_layout = layout(height * lines, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    between = TITLE / (height * lines - TITLE - 2)
    places = grid(len(maps), gap=GAP, between=between, least=A_ROW - 1)
    traces: list[Trace] = []
    shape = (picture.rows, picture.columns)
    for overlay, place in zip(maps, places, strict=True):
        suffix = place.suffix
        figure_layout |= _axes(picture, suffix, place.x, place.y)
        figure_layout["shapes"] += _ring(picture, chosen, palette, suffix)
        figure_layout["annotations"].append(_title(overlay, suffix, palette))
        values = overlay.values.reshape(shape)
        how: dict[str, Any] = {"palette": palette, "limit": overlay.limit, "weights": True, "gap": 0}
        traces += [
            _image(picture, suffix),
            heatmap(values, axes=suffix, hover=hover, **how) | {"opacity": opacity},
        ]
        if np.isnan(values).any():
            bare = hatch(np.isnan(values), palette, suffix, hover=hidden)
            traces.append(bare | {"opacity": 0})
    return {"data": traces, "layout": figure_layout}


def pixel_numbers(sources: Sequence[tuple[str, int, int]], *, palette: Palette, height: int) -> Figure:
    """Pictures side by side in square pixels: (data URI, pixels down, pixels across) of each."""
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": 2, "b": 2})
    total = sum(across / down for _, down, across in sources) + GAP * 4 * (len(sources) - 1)
    traces: list[Trace] = []
    at = 0.0
    for k, (source, down, across) in enumerate(sources):
        suffix = subplot(k)
        width = across / down / total
        picture = Picture(source, down, across, 1)
        figure_layout |= _axes(picture, suffix, (at, min(at + width, 1.0)), (0.0, 1.0))
        traces.append(_image(picture, suffix))
        at += width + GAP * 4 / total
    return {"data": traces, "layout": figure_layout}


def _image(picture: Picture, suffix: str) -> Trace:
    pixel = 1 / picture.patch_size
    first = (pixel - 1) / 2  # the middle of the first pixel, where patches have their middles at 0, 1, 2, ...
    return {
        "type": "image",
        "source": picture.source,
        "x0": first,
        "y0": first,
        "dx": pixel,
        "dy": pixel,
        "hoverinfo": "skip",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _axes(
    picture: Picture, suffix: str, across: tuple[float, float], down: tuple[float, float]
) -> dict[str, object]:
    square: dict[str, Any] = {"scaleanchor": f"y{suffix}", "constrain": "domain", "constraintoward": "left"}
    upright: dict[str, Any] = {"constrain": "domain", "constraintoward": "top"}
    margin = RING_ROOM * max(picture.rows, picture.columns)
    wide = [-0.5 - margin, picture.columns - 0.5 + margin]
    tall = [picture.rows - 0.5 + margin, -0.5 - margin]
    return {
        f"xaxis{suffix}": axis(picture.columns, across, anchor=f"y{suffix}", range=wide, **square),
        f"yaxis{suffix}": axis(picture.rows, down, anchor=f"x{suffix}", range=tall, **upright),
    }


def _grid(picture: Picture, palette: Palette) -> list[dict[str, object]]:
    """The lines between the patches."""
    rows, columns = picture.rows, picture.columns
    line = {"color": palette.surface, "width": 1.5}
    across = [(-0.5, columns - 0.5, y - 0.5, y - 0.5) for y in range(1, rows)]
    down = [(x - 0.5, x - 0.5, -0.5, rows - 0.5) for x in range(1, columns)]
    return [
        {"type": "line", "xref": "x", "yref": "y", "x0": a, "x1": b, "y0": c, "y1": d, "line": line}
        for a, b, c, d in (*across, *down)
    ]


def _ring(picture: Picture, chosen: int, palette: Palette, suffix: str) -> list[dict[str, object]]:
    """The chosen patch in the query's colour, on a wider line of the surface: seen on any picture."""
    row, column = divmod(chosen, picture.columns)
    return [
        outline((row, row), (column, column), colour, width, suffix)
        for colour, width in ((palette.surface, 6), (palette.query, 3))
    ]


def _title(overlay: Overlay, suffix: str, palette: Palette) -> dict[str, object]:
    text = f"<b>{escape(overlay.title)}</b>" if overlay.bold else escape(overlay.title)
    return note(
        text, 0, 1, xref=f"x{suffix} domain", yref=f"y{suffix} domain", xanchor="left", yanchor="bottom",
        yshift=3, font={"size": 13, "color": palette.ink if overlay.bold else palette.muted},
    )  # fmt: skip
