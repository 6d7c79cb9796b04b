"""Words on a plane: labels that keep out of each other's way, and arrows between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import layout
from attnviz.figures.labels import escape, text_width
from attnviz.figures.palette import Palette

SIZE = 15  # of the labels
SIDE, ENDS = 70, 34  # pixels kept free for labels beside and above the outermost words
MARKER = 8
# Where a label may stand, best first: Plotly's name, and which way from the point (y upwards).
PLACES = {
    "top center": (0, 1),
    "bottom center": (0, -1),
    "middle right": (1, 0),
    "middle left": (-1, 0),
    "top right": (1, 1),
    "bottom right": (1, -1),
    "top left": (-1, 1),
    "bottom left": (-1, -1),
}


@dataclass(frozen=True)
class Spot:
    """A word at (x, y): "given" by the reader, "found" near the sum, "best" of these, or the "sum" itself."""

    x: float
    y: float
    label: str
    whole: str
    kind: Literal["given", "found", "best", "sum"] = "given"


@dataclass(frozen=True)
class Arrow:
    """From one point of the plane to another; a quiet one shows a difference that was given."""

    start: tuple[float, float]
    end: tuple[float, float]
    quiet: bool = False


def word_map(
    spots: Sequence[Spot],
    arrows: Sequence[Arrow] = (),
    *,
    palette: Palette,
    height: int = 420,
    pixels: int = 560,
) -> go.Figure:
    """The words as a map without axes, one unit as long in both directions.

    `pixels` is about how wide it will be drawn: labels are placed as if it were.
    """
    ends = [point for arrow in arrows for point in (arrow.start, arrow.end)]
    points = np.array([*((spot.x, spot.y) for spot in spots), *ends], dtype=float).reshape(-1, 2)
    centre, scale = _fit(points, pixels, height)
    half = np.array([pixels, height]) / 2 / scale
    at = (points - centre) * scale  # pixels from the middle, y upwards
    places = place_labels(
        at[: len(spots)], [text_width([spot.label], SIZE) for spot in spots], _way(at, len(spots))
    )
    figure_layout = layout(height, palette, {"l": 0, "r": 0, "t": 0, "b": 0})
    figure_layout |= {
        "xaxis": _axis(centre[0] - half[0], centre[0] + half[0]),
        "yaxis": _axis(centre[1] - half[1], centre[1] + half[1]) | {"scaleanchor": "x"},
        "annotations": [_arrow(arrow, palette) for arrow in arrows],
    }
    return go.Figure(data=[_words(spots, places, palette)], layout=figure_layout)


def place_labels(
    points: NDArray[np.floating], widths: Sequence[int], obstacles: NDArray[np.floating]
) -> list[str]:
    """For each point (in pixels, y upwards) the place of its label that overlaps least, in the order given.

    A label must keep clear of the points, of the labels placed before it and of the obstacles (k, 2).
    """
    boxes: list[NDArray[np.floating]] = []
    chosen = []
    solid = np.concatenate([points, obstacles])
    for point, width in zip(points, widths, strict=True):
        costs = [_cost(box, boxes, solid) for box in (_box(point, width, way) for way in PLACES.values())]
        best = int(np.argmin(costs))
        chosen.append(list(PLACES)[best])
        boxes.append(_box(point, width, list(PLACES.values())[best]))
    return chosen


def _fit(points: NDArray[np.floating], pixels: int, height: int) -> tuple[NDArray[np.floating], float]:
    """The middle of the points, and the pixels a unit may take."""
    if not len(points):
        return np.zeros(2), 1.0
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([pixels - 2 * SIDE, height - 2 * ENDS])
    spread = np.where(high > low, high - low, 1e-9)
    scale = float((room / spread).min())
    return (low + high) / 2, scale if scale < 1e8 else 1.0


def _box(point: NDArray[np.floating], width: int, way: tuple[int, int]) -> NDArray[np.floating]:
    """The rectangle (left, bottom, right, top) of a label beside a point."""
    high, off = SIZE * 1.25, MARKER / 2 + 2
    x = point[0] + way[0] * (width / 2 + (off if way[1] == 0 else 0))
    y = point[1] + way[1] * (high / 2 + off)
    return np.array([x - width / 2, y - high / 2, x + width / 2, y + high / 2])


def _cost(
    box: NDArray[np.floating], boxes: Sequence[NDArray[np.floating]], solid: NDArray[np.floating]
) -> float:
    """How much the box covers: square pixels of labels, and a fixed price for each point in it."""
    covered = 0.0
    for other in boxes:
        wide = min(box[2], other[2]) - max(box[0], other[0])
        high = min(box[3], other[3]) - max(box[1], other[1])
        covered += max(wide, 0.0) * max(high, 0.0)
    inside = (solid > box[:2] - MARKER / 2).all(axis=1) & (solid < box[2:] + MARKER / 2).all(axis=1)
    return covered + 60.0 * float(inside.sum())


def _way(at: NDArray[np.floating], spots: int) -> NDArray[np.floating]:
    """Points along the arrows, whose ends follow the spots: labels should not lie on them."""
    starts, ends = at[spots::2], at[spots + 1 :: 2]
    steps = np.linspace(0.0, 1.0, 15)[:, None, None]
    return np.asarray(starts + steps * (ends - starts)).reshape(-1, 2)


def _axis(low: float, high: float) -> dict[str, object]:
    return {"range": [float(low), float(high)], "visible": False, "fixedrange": True}


def _arrow(arrow: Arrow, palette: Palette) -> dict[str, object]:
    return {
        "x": arrow.end[0],
        "y": arrow.end[1],
        "ax": arrow.start[0],
        "ay": arrow.start[1],
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1,
        "arrowwidth": 1.5 if arrow.quiet else 2.5,
        "arrowcolor": palette.muted if arrow.quiet else palette.ink,
        "standoff": 6,
        "startstandoff": 6,
    }


def _words(spots: Sequence[Spot], places: Sequence[str], palette: Palette) -> go.Scatter:
    colours = [palette.muted if spot.kind == "found" else palette.ink for spot in spots]
    texts = [escape(spot.label) for spot in spots]
    return go.Scatter(
        x=[spot.x for spot in spots],
        y=[spot.y for spot in spots],
        mode="markers+text",
        text=[t if s.kind == "found" else f"<b>{t}</b>" for t, s in zip(texts, spots, strict=True)],
        textposition=list(places),
        textfont={"size": SIZE, "color": colours},
        marker={
            "size": [MARKER + 4 if spot.kind == "sum" else MARKER for spot in spots],
            "symbol": ["circle-open" if spot.kind == "sum" else "circle" for spot in spots],
            "color": colours,
            "line": {"width": [2 if spot.kind == "sum" else 0 for spot in spots], "color": colours},
        },
        customdata=[[escape(spot.whole)] for spot in spots],
        hovertemplate="%{customdata[0]}<extra></extra>",
        cliponaxis=False,
    )
