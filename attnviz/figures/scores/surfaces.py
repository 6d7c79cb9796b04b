"""The score of one query over a plane of keys: one landscape a score function, with the query in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import layout, note, scale_of
from attnviz.figures.grid import side_by_side, subplot
from attnviz.figures.labels import escape, number
from attnviz.figures.palette import Palette

GAP = 0.02
TOP, BOTTOM = 46, 26
LEVELS = 11


@dataclass(frozen=True, eq=False)
class Landscape:
    """Scores over the keys (axis[column], axis[row]); `caption` says in words where they are level."""

    title: str
    caption: str
    axis: NDArray[np.floating]  # (side,)
    scores: NDArray[np.floating]  # (side, side)


def score_surfaces(
    landscapes: Sequence[Landscape],
    *,
    query: tuple[float, float],
    keys: NDArray[np.floating] | None,
    names: Sequence[str],
    palette: Palette,
    chosen: int,
    height: int = 290,
) -> go.Figure:
    """The landscapes in a row, each on its own scale round 0, with level lines; the arrow is the query.

    `keys` (m, 2) are drawn as points, called `names` on hover; None for none. Both directions have the same unit.
    """
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TOP, "b": BOTTOM})
    traces: list[go.Contour | go.Scatter] = []
    for k, (landscape, across) in enumerate(zip(landscapes, side_by_side(len(landscapes), GAP), strict=True)):
        suffix = subplot(k)
        limit = scale_of([landscape.scores])
        traces.append(_contours(landscape, limit, palette, suffix))
        traces.append(_points(np.zeros((1, 2)), [""], palette.muted, suffix, size=5))
        if keys is not None:
            traces.append(_points(keys, names, palette.key, suffix, size=9))
        figure_layout[f"xaxis{suffix}"] = _axis(landscape) | {
            "domain": list(across),
            "anchor": f"y{suffix}",
            "constrain": "domain",
        }
        figure_layout[f"yaxis{suffix}"] = _axis(landscape) | {
            "anchor": f"x{suffix}",
            "scaleanchor": f"x{suffix}",
            "constrain": "domain",
        }
        figure_layout["annotations"] += _notes(landscape, limit, palette, suffix, bold=k == chosen)
        figure_layout["annotations"].append(_arrow(query, palette.query, suffix))
        figure_layout["shapes"].append(_rim(query, palette.surface, suffix))
    return go.Figure(data=traces, layout=figure_layout)


def _contours(landscape: Landscape, limit: float, palette: Palette, suffix: str) -> go.Contour:
    low, high = float(landscape.scores.min()), float(landscape.scores.max())
    step = (high - low) / LEVELS or 1.0
    return go.Contour(
        x=np.asarray(landscape.axis, dtype=np.float32),
        y=np.asarray(landscape.axis, dtype=np.float32),
        z=np.asarray(landscape.scores, dtype=np.float32),
        zmin=-limit,
        zmax=limit,
        colorscale=[list(stop) for stop in palette.signed],
        showscale=False,
        contours={"coloring": "heatmap", "start": low + step / 2, "end": high, "size": step},
        line={"width": 0.8, "color": palette.muted},
        hovertemplate="k = (%{x:.2f}, %{y:.2f})<br>%{z:.3f}<extra></extra>",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def _points(
    points: NDArray[np.floating], names: Sequence[str], colour: str, suffix: str, size: int
) -> go.Scatter:
    hover = "%{customdata[0]}<br>(%{x:.2f}, %{y:.2f})<extra></extra>"
    return go.Scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={"size": size, "color": colour, "line": {"width": 0}},
        customdata=[[escape(name)] for name in names],
        **({"hovertemplate": hover} if any(names) else {"hoverinfo": "skip"}),
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def _axis(landscape: Landscape) -> dict[str, Any]:
    ends = [float(landscape.axis[0]), float(landscape.axis[-1])]
    return {"range": ends, "visible": False, "fixedrange": True}


def _notes(
    landscape: Landscape, limit: float, palette: Palette, suffix: str, *, bold: bool
) -> list[dict[str, Any]]:
    title = escape(landscape.title)
    on = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "xanchor": "left"}
    return [
        note(
            f"<b>{title}</b>" if bold else title,
            0,
            1,
            yanchor="bottom",
            yshift=20,
            font={"size": 15, "color": palette.ink if bold else palette.muted},
            **on,
        ),
        note(
            f"±{number(limit)}",
            0,
            1,
            yanchor="bottom",
            yshift=2,
            font={"size": 13, "color": palette.muted},
            **on,
        ),
        note(
            escape(landscape.caption),
            0,
            0,
            yanchor="top",
            yshift=-4,
            font={"size": 13, "color": palette.muted},
            **on,
        ),
    ]


def _rim(query: tuple[float, float], colour: str, suffix: str) -> dict[str, Any]:
    """A line under the arrow, which lies on its own colour too; it ends before the arrow's head."""
    end = {"x0": 0, "y0": 0, "x1": 0.8 * query[0], "y1": 0.8 * query[1]}
    line = {"color": colour, "width": 7}
    return {"type": "line", "xref": f"x{suffix}", "yref": f"y{suffix}", "line": line, **end}


def _arrow(query: tuple[float, float], colour: str, suffix: str) -> dict[str, Any]:
    return {
        "x": query[0],
        "y": query[1],
        "ax": 0,
        "ay": 0,
        "xref": f"x{suffix}",
        "yref": f"y{suffix}",
        "axref": f"x{suffix}",
        "ayref": f"y{suffix}",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 3,
        "arrowcolor": colour,
    }
