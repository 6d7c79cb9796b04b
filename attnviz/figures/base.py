"""What every matrix picture shares: quiet axes, heat maps with their scale, numbers, outlines.

A figure of matrices is a plain dict, {"data": [...], "layout": {...}}, in the vocabulary of Plotly: `go.Figure(figure)`
takes it, and vocabulary.py says which of its words our own renderer knows.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.labels import Labels, decimals, escape, number
from attnviz.figures.palette import Palette, cell_inks

FONT = "Inter, 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif"
CONFIG: dict[str, Any] = {"displayModeBar": False, "scrollZoom": False}
MOST_CELLS = 64  # per side; above this a picture shows blocks

Figure: TypeAlias = dict[str, Any]
Trace: TypeAlias = dict[str, Any]


def layout(height: int, palette: Palette, margin: dict[str, int]) -> dict[str, Any]:
    """The layout without axes: transparent, our font, no interaction but hover."""
    return {
        "height": height,
        "margin": {"pad": 0, **margin},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 15, "color": palette.ink},
        "hoverlabel": {
            "font": {"family": FONT, "size": 14, "color": palette.ink},
            "bgcolor": palette.surface,
            "bordercolor": palette.muted,
            "align": "left",
        },
        "hovermode": "closest",
        "dragmode": False,
        "showlegend": False,
        "shapes": [],
        "annotations": [],
    }


def axis(
    count: int,
    domain: tuple[float, float],
    *,
    reverse: bool = False,
    labels: Labels | None = None,
    marked: int | None = None,
    palette: Palette | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An axis with one unit a cell; with `labels`, one tick a cell, thinned where there is no room.

    The labels also serve the hover text, so an axis without visible ticks may still have them.
    """
    bounds = [count - 0.5, -0.5] if reverse else [-0.5, count - 0.5]
    base: dict[str, Any] = {
        "range": bounds,
        "domain": list(domain),
        "showgrid": False,
        "showline": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": False,
        "showticklabels": False,
    }
    if labels is not None:
        texts = [escape(text) for text in labels.texts]
        if marked is not None and palette is not None and 0 <= marked < len(texts):
            texts[marked] = (
                f'<b><span style="color:{palette.role_text(labels.role)}">{texts[marked]}</span></b>'
            )
        base |= {"tickmode": "array", "tickvals": list(range(count)), "ticktext": texts}
    return base | more


def scale_of(values: Sequence[NDArray[np.floating]]) -> float:
    """The bound of the diverging scale shared by `values`: the largest magnitude, or 1 where all is 0."""
    finite = [np.abs(v[np.isfinite(v)]) for v in values]
    largest = max((float(v.max()) for v in finite if v.size), default=0.0)
    return largest or 1.0


def heatmap(
    values: NDArray[np.floating],
    *,
    palette: Palette,
    limit: float,
    weights: bool,
    gap: int = 2,
    axes: str = "",
    hover: str | None = None,
    name: str = "",
) -> Trace:
    """One heat map; `weights` from 0 to `limit`, anything else from -limit to limit. NaN cells are gaps.

    `name`, escaped already, is what the map is called where its cells are not told one by one.
    """
    return {
        "type": "heatmap",
        "z": np.ascontiguousarray(values, dtype=np.float32),
        "zmin": 0 if weights else -limit,
        "zmax": limit,
        "colorscale": [list(stop) for stop in (palette.weights if weights else palette.signed)],
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        **({"name": name} if name else {}),
        **_on(axes, hover),
    }


def cells(shape: tuple[int, ...], *, axes: str = "", hover: str | None = None) -> Trace:
    """Cells without a number or colour of their own, over a picture: they only tell where the pointer is."""
    return {
        "type": "heatmap",
        "z": np.zeros(shape, np.float32),
        "opacity": 0,
        "showscale": False,
        **_on(axes, hover),
    }


def _on(axes: str, hover: str | None) -> dict[str, Any]:
    """The axes of a trace, and what the pointer hears there."""
    told = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    return {"xaxis": f"x{axes}", "yaxis": f"y{axes}", **told}


def cell_numbers(
    values: NDArray[np.floating],
    *,
    palette: Palette,
    limit: float,
    weights: bool,
    size: int,
    digits: int = 2,
    axes: str = "",
) -> Trace:
    """The numbers of a matrix, one in each finite cell, in an ink legible on that cell."""
    rows, columns = np.nonzero(np.isfinite(values))
    inside = values[rows, columns]
    places = digits if weights else decimals(inside.tolist(), digits)
    shares = np.clip(inside / limit if weights else (inside / limit + 1) / 2, 0, 1)
    return {
        "type": "scatter",
        "x": columns.astype(np.int16),
        "y": rows.astype(np.int16),
        "mode": "text",
        "text": [number(value, places) for value in inside.tolist()],
        "textfont": {
            "size": size,
            "family": FONT,
            "color": cell_inks(shares, palette.weights if weights else palette.signed).tolist(),
        },
        **_on(axes, None),
    }


def hatch(masked: NDArray[np.bool_], palette: Palette, axes: str = "", *, hover: str | None = None) -> Trace:
    """A quiet stroke in every masked cell: blank would read as zero. `hover` is what such a cell tells."""
    y, x = np.nonzero(masked)
    return {
        "type": "scatter",
        "x": x.astype(np.int16),
        "y": y.astype(np.int16),
        "mode": "markers",
        "marker": {"symbol": "line-ne-open", "size": 9, "color": palette.muted, "opacity": 0.55},
        **_on(axes, hover),
    }


def hover_axes(rows: Labels, columns: Labels, domain: tuple[float, float], suffix: str) -> dict[str, Any]:
    """A pair of unseen axes over x and y with every label whole: shown labels are shortened, or thinned."""
    whole_rows, whole_columns = (replace(labels, texts=labels.wholes) for labels in (rows, columns))
    return {
        f"xaxis{suffix}": axis(len(columns), domain, labels=whole_columns, overlaying="x"),
        f"yaxis{suffix}": axis(len(rows), (0, 1), reverse=True, labels=whole_rows, overlaying="y"),
    }


def outline(
    rows: tuple[float, float], columns: tuple[float, float], colour: str, width: float, axes: str = ""
) -> dict[str, Any]:
    """A rectangle round the cells rows[0]..rows[1], columns[0]..columns[1] (both included)."""
    return {
        "type": "rect",
        "xref": f"x{axes}",
        "yref": f"y{axes}",
        "x0": columns[0] - 0.5,
        "x1": columns[1] + 0.5,
        "y0": rows[0] - 0.5,
        "y1": rows[1] + 0.5,
        "line": {"color": colour, "width": width},
        "layer": "above",
    }


def note(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """An annotation without an arrow; `text` is trusted or escaped already."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "xref": "paper", "yref": "paper", **more}


def in_blocks(values: NDArray[np.floating], most: int = MOST_CELLS) -> tuple[NDArray[np.floating], int, int]:
    """`values` with its last two axes in blocks so that at most `most` are left, and the block's sides.

    Each block shows its entry of largest magnitude (NaN where it has none), so that a peak is
    never averaged away.
    """
    high, wide = (-(-size // most) for size in values.shape[-2:])
    if high == wide == 1:
        return values, 1, 1
    n, m = values.shape[-2:]
    pad = [(0, 0)] * (values.ndim - 2) + [(0, -n % high), (0, -m % wide)]
    padded = np.pad(values, pad, constant_values=np.nan)
    blocks = padded.reshape(
        *values.shape[:-2], (n + pad[-2][1]) // high, high, (m + pad[-1][1]) // wide, wide
    )
    cells = np.moveaxis(blocks, -3, -2).reshape(*blocks.shape[:-3], blocks.shape[-2], -1)
    magnitudes = np.where(np.isfinite(cells), np.abs(cells), -1.0)
    index = magnitudes.argmax(axis=-1)[..., None]
    return np.take_along_axis(cells, index, axis=-1)[..., 0], high, wide
