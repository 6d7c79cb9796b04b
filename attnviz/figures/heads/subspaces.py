"""The plane of each head: queries and keys as points, who looks at whom as lines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import layout, note
from attnviz.figures.grid import A_ROW, grid, lines_of
from attnviz.figures.labels import Labels, escape
from attnviz.figures.palette import Palette

TITLE = 26
GAP = 0.03
THICKEST = 14  # pixels for a weight of 1
MOST_LINES = 400  # in all panels; above this only the thickest of the focused query's lines are drawn
MOST_TEXTS = 14  # points of a kind that are named in a panel


@dataclass(frozen=True, eq=False)
class Panel:
    """One head: points in its plane, where zero lies, and its weights as lines from query to key."""

    query: NDArray[np.floating]  # (n, 2)
    key: NDArray[np.floating]  # (m, 2)
    origin: NDArray[np.floating]  # (2,)
    weights: NDArray[np.floating]  # (n, m)
    title: str
    subtitle: str


def subspace_panels(
    panels: Sequence[Panel], *, queries: Labels, keys: Labels, focus: int, head: int, palette: Palette
) -> go.Figure:
    """The heads' planes in rows of at most four; a line is THICKEST pixels times its weight thick.

    The lines of the query `focus` are in the query's colour, the others quiet; `head` is set in bold.
    """
    columns, rows = min(len(panels), A_ROW), lines_of(len(panels))
    height = 360 if columns <= 2 else 300 if rows == 1 else 240 * rows
    figure_layout = layout(height, palette, {"l": 2, "r": 2, "t": TITLE, "b": 2})
    every = all_lines(len(panels), len(queries), len(keys))
    most = max(MOST_LINES // len(panels), 1)
    places = grid(len(panels), gap=GAP, between=TITLE / (height - TITLE))
    traces: list[go.Scatter] = []
    for k, (panel, place) in enumerate(zip(panels, places, strict=True)):
        suffix = place.suffix
        figure_layout |= _axes(panel, (place.x, place.y), suffix)
        figure_layout["shapes"] += [
            _frame(suffix, palette),
            *_lines(panel, focus, every, most, suffix, palette),
        ]
        figure_layout["annotations"].append(_title(panel, k == head, suffix, palette))
        traces += _points(panel, queries, keys, focus, suffix, palette, columns <= 3)
    return go.Figure(data=traces, layout=figure_layout)


def _axes(
    panel: Panel, domains: tuple[tuple[float, float], tuple[float, float]], suffix: str
) -> dict[str, dict[str, object]]:
    """Both axes with one scale, so that angles and distances are true, and room for the names."""
    points = np.concatenate([panel.query, panel.key, panel.origin[None]])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.16 * max(float((high - low).max()), 1e-9)
    quiet = {"visible": False, "fixedrange": True}
    return {
        f"xaxis{suffix}": quiet
        | {
            "domain": list(domains[0]),
            "range": [float(low[0]) - margin, float(high[0]) + margin],
            "anchor": f"y{suffix}",
            "scaleanchor": f"y{suffix}",
        },
        f"yaxis{suffix}": quiet
        | {
            "domain": list(domains[1]),
            "range": [float(low[1]) - margin, float(high[1]) + margin],
            "anchor": f"x{suffix}",
        },
    }


def _frame(suffix: str, palette: Palette) -> dict[str, object]:
    domain = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "x0": 0, "x1": 1, "y0": 0, "y1": 1}
    return {"type": "rect", **domain, "line": {"color": palette.line, "width": 1}, "layer": "below"}


def all_lines(heads: int, n: int, m: int) -> bool:
    """Whether there is room for the lines of all queries, not only of the one in focus."""
    return heads * n * m <= MOST_LINES


def _lines(
    panel: Panel, focus: int, every: bool, most: int, suffix: str, palette: Palette
) -> list[dict[str, object]]:
    n = len(panel.weights)
    order = [i for i in range(n) if i != focus] * every + [focus]
    return [
        {
            "type": "line",
            "xref": f"x{suffix}",
            "yref": f"y{suffix}",
            "x0": float(panel.query[i, 0]),
            "y0": float(panel.query[i, 1]),
            "x1": float(panel.key[j, 0]),
            "y1": float(panel.key[j, 1]),
            "line": {
                "color": palette.query if i == focus else palette.muted,
                "width": THICKEST * float(panel.weights[i, j]),
            },
            "opacity": 0.75 if i == focus else 0.22,
            "layer": "below",
        }
        for i in order
        for j in np.argsort(-panel.weights[i], kind="stable")[:most].tolist()
        if panel.weights[i, j] > 0
    ]


def _points(
    panel: Panel, queries: Labels, keys: Labels, focus: int, suffix: str, palette: Palette, roomy: bool
) -> list[go.Scatter]:
    best = int(panel.weights[focus].argmax())
    shared = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "hovertemplate": "%{customdata}<extra></extra>"}
    origin = go.Scatter(
        x=panel.origin[:1],
        y=panel.origin[1:],
        mode="markers+text",
        text=["0"],
        textposition="middle right",
        textfont={"size": 12, "color": palette.muted},
        marker={"symbol": "cross-thin-open", "size": 9, "color": palette.muted},
        hoverinfo="skip",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )
    key = _cloud(panel.key, keys, best, "square", "bottom center", palette, roomy)
    query = _cloud(panel.query, queries, focus, "circle", "top center", palette, roomy)
    return [origin, go.Scatter(**key, **shared), go.Scatter(**query, **shared)]


def _cloud(
    points: NDArray[np.floating],
    labels: Labels,
    marked: int,
    symbol: str,
    side: str,
    palette: Palette,
    roomy: bool,
) -> dict[str, object]:
    """The points of one kind; where there are too many only the marked one is named."""
    named = len(labels) <= (MOST_TEXTS if roomy else MOST_TEXTS // 2)
    texts = [escape(text) if named or i == marked else "" for i, text in enumerate(labels.texts)]
    texts[marked] = f"<b>{texts[marked]}</b>"
    return {
        "x": points[:, 0],
        "y": points[:, 1],
        "mode": "markers+text",
        "text": texts,
        "textposition": side,
        "textfont": {"size": 13, "color": palette.role_text(labels.role)},
        "customdata": [escape(whole) for whole in labels.wholes],
        "marker": {
            "symbol": symbol,
            "color": palette.role(labels.role),
            "size": [11 if i == marked else 7 for i in range(len(labels))],
        },
        "cliponaxis": False,
    }


def _title(panel: Panel, bold: bool, suffix: str, palette: Palette) -> dict[str, object]:
    name = f"<b>{escape(panel.title)}</b>" if bold else escape(panel.title)
    text = f'{name}  <span style="color:{palette.muted}">{escape(panel.subtitle)}</span>'
    place = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "xanchor": "left", "yanchor": "bottom"}
    colour = palette.ink if bold else palette.muted
    return note(text, 0, 1, font={"size": 13, "color": colour}, yshift=3, **place)
