"""Maps of weights with the scale and without as d_k grows, played in the browser without asking the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import Trace, axis, cell_numbers, heatmap, layout, note
from attnviz.figures.curve_axes import SCREEN, Axis, Type, axis_of
from attnviz.figures.curve_names import apart, text_trace
from attnviz.figures.curve_parts import Curve
from attnviz.figures.curves import curve_traces, rgba
from attnviz.figures.grid import subplot
from attnviz.figures.labels import Labels, escape, number, text_width
from attnviz.figures.palette import Palette, cell_inks

MAPS, CURVES = (0.0, 0.63), (0.7, 0.92)  # the shares of the width
STRIP, TICKS, TITLE = 48, 22, 26  # pixels: the row of buttons, the labels of the keys, a map's title
MILLISECONDS = 380  # a frame
LEAST_CELL = 40  # pixels that a number needs
WIDE = 640  # pixels that the maps have at 1440


@dataclass(frozen=True)
class Names:
    """The words in the picture; `here` is on the button that goes back to the chosen d_k."""

    scaled: str
    unscaled: str
    heads: tuple[str, ...]
    play: str
    pause: str
    here: str
    largest: str
    weight: str


@dataclass(frozen=True, eq=False)
class Hardening:
    """scaled and unscaled (d_k, H, rows, columns), their mean largest weights (d_k,), and the chosen place."""

    d_k: tuple[int, ...]
    scaled: NDArray[np.floating]
    unscaled: NDArray[np.floating]
    largest_scaled: NDArray[np.floating]
    largest_unscaled: NDArray[np.floating]
    here: int

    def maps(self, place: int) -> list[NDArray[np.floating]]:
        """All maps at one d_k, those with the scale first."""
        return [*self.scaled[place], *self.unscaled[place]]

    def ends(self, place: int) -> list[float]:
        """The mean largest weight at one d_k, with the scale and without."""
        return [float(self.largest_scaled[place]), float(self.largest_unscaled[place])]


def hardening(
    sweep: Hardening, *, rows: Labels, columns: Labels, names: Names, palette: Palette, type_: Type = SCREEN
) -> go.Figure:
    """Above the maps with the scale, below those without, beside them the mean largest weight against d_k.

    There is one frame for each d_k; the buttons under the picture's top play them all, pause, and go back to the
    chosen one.
    """
    heads, n, m = sweep.scaled.shape[1:]
    tall = max(min(30 * n, 176 if type_ == SCREEN else 140), 12 * n, 60)
    high = STRIP + TICKS + 2 * (TITLE + tall) + 8
    left = 14 + max(text_width(rows.texts, type_.tick), text_width([f"{rows.title} ↓"], type_.tick))
    figure_layout = layout(high, palette, {"l": left, "r": 14, "t": STRIP + TICKS + TITLE, "b": 4})
    plot = high - STRIP - TICKS - TITLE - 4
    numbered = WIDE / heads / m >= LEAST_CELL and tall / n >= 18
    for k in range(2 * heads):
        figure_layout |= _map_axes(k, heads, tall / plot, rows, columns, palette, type_)
        figure_layout["annotations"].append(_title(k, heads, names, palette, type_))
    figure_layout["annotations"] += _sides(rows, columns, heads, palette, type_)
    figure_layout |= _curve_axes(2 * heads + 1, palette, type_, names, figure_layout, 1 - 26 / plot)
    figure_layout["updatemenus"] = [_buttons(names, str(sweep.d_k[sweep.here]), palette, type_, left)]
    numbers = _numbers(sweep, palette, type_) if numbered else []
    traces = [*_maps(sweep, names, palette), *numbers, *_marks(sweep, palette, type_)]
    frames = [
        {"name": str(d_k), "data": _changes(sweep, place, numbered, palette), "traces": [*range(len(traces))]}
        for place, d_k in enumerate(sweep.d_k)
    ]
    lines = _lines(sweep, names, palette, type_, str(2 * heads + 1))
    return go.Figure(data=[*traces, *lines], layout=figure_layout, frames=frames)


def _maps(sweep: Hardening, names: Names, palette: Palette) -> list[Trace]:
    """The maps of the chosen d_k, those with the scale first."""
    hover = f"%{{y}} → %{{x}}<br>{names.weight} %{{z:.3f}}<extra></extra>"
    gap = 2 if sweep.scaled.shape[2] <= 8 else 1
    return [
        heatmap(m, axes=subplot(k), hover=hover, gap=gap, palette=palette, limit=1.0, weights=True)
        for k, m in enumerate(sweep.maps(sweep.here))
    ]


def _numbers(sweep: Hardening, palette: Palette, type_: Type) -> list[Trace]:
    how: dict[str, Any] = {"palette": palette, "limit": 1.0, "weights": True, "size": type_.tick}
    return [cell_numbers(m, axes=subplot(k), **how) for k, m in enumerate(sweep.maps(sweep.here))]


def _marks(sweep: Hardening, palette: Palette, type_: Type) -> list[go.Scatter]:
    """A line at the chosen d_k, the points on the two curves, and the d_k in figures."""
    d_k, ends = sweep.d_k[sweep.here], sweep.ends(sweep.here)
    suffix = subplot(2 * sweep.scaled.shape[1])
    on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "hoverinfo": "skip"}
    line = {"color": rgba(palette.muted, 0.45), "width": 1.5}
    dots = {"size": 11, "color": [palette.ink, palette.muted]}
    return [
        go.Scatter(x=[d_k, d_k], y=[0, 1.0], mode="lines", line=line, **on),
        go.Scatter(x=[d_k, d_k], y=ends, mode="markers", marker=dots, **on),
        text_trace(_said(d_k), d_k, 1.09, palette.ink, type_.name + 4, _side(d_k), suffix),
    ]


def _changes(sweep: Hardening, place: int, numbered: bool, palette: Palette) -> list[dict[str, Any]]:
    """What a frame changes in each of these traces, and nothing else: whole traces would be ten times the work."""
    d_k, maps = sweep.d_k[place], sweep.maps(place)
    changes: list[dict[str, Any]] = [{"type": "heatmap", "z": m.astype(np.float32)} for m in maps]
    if numbered:
        for m in maps:
            inks = cell_inks(m.ravel(), palette.weights).tolist()
            texts = [number(value) for value in m.ravel().tolist()]
            changes.append({"type": "scatter", "text": texts, "textfont": {"color": inks}})
    changes.append({"type": "scatter", "x": [d_k, d_k]})
    changes.append({"type": "scatter", "x": [d_k, d_k], "y": sweep.ends(place)})
    changes.append({"type": "scatter", "x": [d_k], "text": [_said(d_k)], "textposition": _side(d_k)})
    return changes


def _said(d_k: int) -> str:
    return f"<b> dₖ = {d_k} </b>"


def _side(d_k: int) -> str:
    """Left of its line or right of it, wherever the picture has room."""
    return "middle left" if d_k > 16 else "middle right"


def _map_axes(
    k: int, heads: int, tall: float, rows: Labels, columns: Labels, palette: Palette, type_: Type
) -> dict[str, Any]:
    """The axes of the map number k: in each of the two rows, one a head."""
    suffix = subplot(k)
    below, head = divmod(k, heads)
    gap = 0.03 if heads > 1 else 0.0
    wide = (MAPS[1] - gap * (heads - 1)) / heads
    left = head * (wide + gap)
    x = axis(len(columns), (left, left + wide), labels=columns, palette=palette)
    x |= {"anchor": f"y{suffix}", "side": "top", "ticklabelstandoff": 2}
    x |= {"tickfont": {"size": min(type_.tick, 15), "color": palette.muted}, "tickangle": 0}
    x |= {"showticklabels": not below and _ticked(columns, heads)}
    domain = (0.0, tall) if below else (1 - tall, 1.0)
    y = axis(len(rows), domain, reverse=True, labels=rows, palette=palette)
    y |= {"anchor": f"x{suffix}", "ticklabelstandoff": 4, "showticklabels": head == 0}
    y |= {"tickfont": {"size": type_.tick if len(rows) <= 8 else 10, "color": palette.muted}}
    return {f"xaxis{suffix}": x, f"yaxis{suffix}": y}


def _ticked(columns: Labels, heads: int) -> bool:
    """Whether there is room for the tokens above the maps."""
    return len(columns) <= 8 and heads <= 2


def _title(k: int, heads: int, names: Names, palette: Palette, type_: Type) -> dict[str, Any]:
    suffix = subplot(k)
    below, head = divmod(k, heads)
    rule = names.unscaled if below else names.scaled
    text = f"<b>{rule}</b>  " if head == 0 else ""
    text += f'<span style="color:{palette.muted}">{escape(names.heads[head])}</span>'
    where = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "xanchor": "left", "yanchor": "bottom"}
    font = {"size": type_.name, "color": palette.ink}
    return note(text, 0, 1, font=font, yshift=2 if below else TICKS, **where)


def _sides(rows: Labels, columns: Labels, heads: int, palette: Palette, type_: Type) -> list[dict[str, Any]]:
    """Who looks, beside the first row of maps, and who is looked at, above its last map."""
    last = subplot(heads - 1)
    down = {"size": type_.tick, "color": palette.role_text(rows.role)}
    across = {"size": type_.tick, "color": palette.role_text(columns.role)}
    raised = TICKS + 1 if _ticked(columns, heads) else 3
    first, end = ({"xref": f"x{k} domain", "yref": f"y{k} domain", "yanchor": "bottom"} for k in ("", last))
    return [
        note(f"{escape(rows.title)} ↓", 0, 1, xanchor="right", xshift=-6, yshift=3, font=down, **first),
        note(f"{escape(columns.title)} →", 1, 1, xanchor="right", yshift=raised, font=across, **end),
    ]


def _curve_axes(
    number: int, palette: Palette, type_: Type, names: Names, figure_layout: dict[str, Any], top: float
) -> dict[str, Any]:
    x, y = _axes(names)
    bottom = 0.115
    across = {"domain": list(CURVES), "anchor": f"y{number}"}
    up = {"domain": [bottom, top], "anchor": f"x{number}"}
    font = {"size": type_.tick, "color": palette.muted}
    where = {"xref": "paper", "yref": "paper", "font": font}
    figure_layout["annotations"].append(
        note(names.largest, CURVES[0], 1, xanchor="left", yanchor="bottom", yshift=TICKS, **where)
    )
    return {
        f"xaxis{number}": axis_of(x, palette, type_) | across,
        f"yaxis{number}": axis_of(y, palette, type_, grid=True) | up,
    }


def _axes(names: Names) -> tuple[Axis, Axis]:
    ticks = (1, 8, 64, 512)
    x = Axis("dₖ", 0.85, 600, log=True, ticks=ticks, texts=tuple(map(str, ticks)))
    return x, Axis(names.largest, 0.0, 1.16, ticks=(0, 0.5, 1), texts=("0", "0.5", "1"))


def _lines(sweep: Hardening, names: Names, palette: Palette, type_: Type, suffix: str) -> list[Any]:
    """The two curves, named beside their ends."""
    axes = _axes(names)
    scaled = Curve(sweep.d_k, sweep.largest_scaled, hover=names.scaled)
    unscaled = Curve(sweep.d_k, sweep.largest_unscaled, hover=names.unscaled, quiet=True, dash="dash")
    heights = apart([float(sweep.largest_scaled[-1]), float(sweep.largest_unscaled[-1])], 0.1, 0.0, 1.0)
    traces: list[Any] = []
    for curve, height in zip((scaled, unscaled), heights, strict=True):
        colour = palette.muted if curve.quiet else palette.ink
        traces += curve_traces(curve, *axes, palette, suffix)
        traces.append(
            text_trace(f" {curve.hover}", sweep.d_k[-1], height, colour, type_.name, "middle right", suffix)
        )
    return traces


def _buttons(names: Names, here: str, palette: Palette, type_: Type, left: int) -> dict[str, Any]:
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    moving = still | {"frame": {"duration": MILLISECONDS, "redraw": True}, "fromcurrent": False}
    buttons: Sequence[tuple[str, list[Any]]] = (
        (f"▶ {names.play}\u2002", [None, moving]),
        (names.pause, [[None], still]),
        (names.here, [[here], still]),
    )
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "pad": {"b": TICKS + TITLE + 6, "l": 0, "r": 0, "t": 0},
        "bgcolor": palette.surface,
        "bordercolor": palette.line,
        "font": {"size": type_.name, "color": palette.ink},
        "buttons": [{"label": text, "method": "animate", "args": args} for text, args in buttons],
    }
