"""Curves on quiet axes, side by side; each curve carries its name, so that there is no legend to look up."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import FONT, layout, note
from attnviz.figures.labels import text_width
from attnviz.figures.palette import Palette

Numbers = NDArray[np.floating] | Sequence[float]
Trace: TypeAlias = go.Scatter | go.Bar
GAP = 0.06  # between panels, as a share of the width
LINE = 1.25  # of a line of text, in its font sizes


@dataclass(frozen=True)
class Type:
    """Font sizes in pixels: on a screen, or large for a class."""

    tick: int = 13
    name: int = 14

    @property
    def line(self) -> int:
        """The height of a line of names."""
        return round(LINE * self.name)


SCREEN, LARGE = Type(), Type(tick=17, name=19)


@dataclass(frozen=True)
class Axis:
    """From low to high, with `ticks` named `texts`; `title` stands beside the axis, horizontal."""

    title: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    def clip(self, values: Numbers) -> NDArray[np.floating]:
        """The values brought into the axis, so that a band or a logarithm has an end."""
        return np.asarray(np.clip(np.asarray(values, dtype=float), self.low, self.high))

    def place(self, value: float) -> float:
        """The value as an annotation wants it: its logarithm on a logarithmic axis."""
        return math.log10(value) if self.log else value

    def share(self, value: float) -> float:
        """Where a value lies between low (0) and high (1)."""
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return (at - low) / (high - low)


@dataclass(frozen=True, eq=False)
class Curve:
    """y over x: a line, or points, or both; `band` is (low, high), `errors` one length a point, both ways.

    `name` stands at the point number `at`, on its side `side` (a textposition of Plotly). A quiet curve is drawn
    in the muted colour. `hover` names it where the curve has no name.
    """

    x: Numbers
    y: Numbers
    name: str = ""
    at: int = -1
    side: str = "top left"
    quiet: bool = False
    dash: str = "solid"
    width: float = 2.5
    line: bool = True
    points: bool = False
    hollow: bool = False
    symbol: str = "circle"
    band: tuple[Numbers, Numbers] | None = None
    errors: Numbers | None = None
    hover: str = ""


@dataclass(frozen=True)
class Level:
    """A dotted line at one y, across the panel, named above its left end (or its right end)."""

    y: float
    name: str = ""
    right: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves on two axes; `place` is an x that is marked, `bars` are drawn behind them.

    `aside` stands quietly behind the title. `ends`: the names stand right of the panel, at the heights of the
    curves' ends, moved apart.
    """

    curves: tuple[Curve, ...]
    x: Axis
    y: Axis
    title: str = ""
    aside: str = ""
    levels: tuple[Level, ...] = ()
    place: float | None = None
    bars: go.Bar | None = None
    ends: bool = False


def curve_chart(
    panels: Sequence[Panel],
    *,
    palette: Palette,
    height: int,
    type_: Type = SCREEN,
    shared: bool = False,
    gap: float = GAP,
) -> go.Figure:
    """The panels in a row; where `shared`, only the first has the ticks and the title of the y axis."""
    top, bottom = round(1.9 * type_.line), round(2.7 * type_.line)
    right = 12 + (text_width(_names(panels[-1]), type_.name) if panels[-1].ends else 0)
    margin = {"l": _left(panels[0].y, type_), "r": right, "t": top, "b": bottom}
    figure_layout = layout(height, palette, margin)
    count = len(panels)
    wide = (1 - gap * (count - 1)) / count
    traces: list[Trace] = []
    for k, panel in enumerate(panels):
        suffix = str(k + 1) if k else ""
        domain = (k * (wide + gap), min(k * (wide + gap) + wide, 1.0))
        quiet = shared and k > 0
        traces += _traces(panel, palette, suffix)
        figure_layout[f"xaxis{suffix}"] = axis_of(panel.x, palette, type_) | {
            "domain": list(domain),
            "anchor": f"y{suffix}",
        }
        figure_layout[f"yaxis{suffix}"] = axis_of(panel.y, palette, type_, grid=True) | {
            "anchor": f"x{suffix}",
            "showticklabels": not quiet,
        }
        figure_layout["annotations"] += _titles(panel, palette, suffix, type_, quiet)
        figure_layout["annotations"] += _all_names(panel, palette, suffix, type_)
        if panel.ends:
            figure_layout["annotations"] += _end_names(panel, palette, suffix, type_, height - top - bottom)
    return go.Figure(data=traces, layout=figure_layout)


def axis_of(axis: Axis, palette: Palette, type_: Type = SCREEN, *, grid: bool = False) -> dict[str, Any]:
    """The Plotly axis: its ticks and, where wanted, hair lines across; nothing else."""
    bounds = [math.log10(axis.low), math.log10(axis.high)] if axis.log else [axis.low, axis.high]
    ticks = {"tickmode": "array", "tickvals": list(axis.ticks), "ticktext": list(axis.texts)}
    return {
        "type": "log" if axis.log else "linear",
        "range": bounds,
        "showgrid": grid,
        "gridcolor": palette.line,
        "gridwidth": 1,
        "showline": False,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 6,
        "tickfont": {"size": type_.tick, "color": palette.muted},
        "fixedrange": True,
        "automargin": False,
        **(ticks if axis.ticks else {"showticklabels": False}),
    }


def curve_traces(curve: Curve, x: Axis, y: Axis, palette: Palette, suffix: str = "") -> list[go.Scatter]:
    """The band of a curve, then the curve."""
    colour = palette.muted if curve.quiet else palette.ink
    on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    traces = []
    if curve.band is not None:
        traces.append(_band(curve, y, colour, on))
    mode = "+".join(["lines"] * curve.line + ["markers"] * curve.points)
    marker = {"size": 7, "symbol": curve.symbol, "color": palette.surface if curve.hollow else colour}
    marker["line"] = {"width": 2 if curve.hollow else 0, "color": colour}
    called = curve.hover or curve.name
    traces.append(
        go.Scatter(
            x=np.asarray(curve.x, dtype=np.float64),
            y=np.asarray(curve.y, dtype=np.float64),
            mode=mode or "lines",
            line={"color": colour, "width": curve.width, "dash": curve.dash},
            marker=marker,
            error_y=_errors(curve, colour),
            hovertemplate=f"{called}<br>{x.title} %{{x:.6~g}}<br>{y.title} %{{y:.3g}}<extra></extra>",
            **on,
        )
    )
    return traces


def text_trace(
    text: str, x: float, y: float, colour: str, size: int, side: str = "top left", suffix: str = ""
) -> go.Scatter:
    """Words at a point in the data: unlike an annotation it needs no logarithms, and frames can move it."""
    return go.Scatter(
        x=[x],
        y=[y],
        mode="text",
        text=[text],
        textposition=side,
        textfont={"size": size, "color": colour, "family": FONT},
        hoverinfo="skip",
        cliponaxis=False,
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def rgba(colour: str, share: float) -> str:
    """A colour of the palette, as much of it as `share` (0 to 1)."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def apart(heights: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """The heights moved apart by at least `least`, order kept, inside low to high where there is room."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = [0.0] * len(heights)
    floor = low
    for i in order:
        moved[i] = max(heights[i], floor)
        floor = moved[i] + least
    ceiling = high
    for i in reversed(order):
        moved[i] = min(moved[i], ceiling)
        ceiling = moved[i] - least
    return moved


def _traces(panel: Panel, palette: Palette, suffix: str) -> list[Trace]:
    x, y = panel.x, panel.y
    traces: list[Trace] = []
    if panel.bars is not None:
        traces.append(panel.bars.update(xaxis=f"x{suffix}", yaxis=f"y{suffix}"))
    if panel.place is not None:
        traces.append(_straight([panel.place] * 2, [y.low, y.high], palette.muted, "solid", suffix, 0.45))
    across = [x.low, x.high]
    traces += [_straight(across, [level.y] * 2, palette.muted, "dot", suffix) for level in panel.levels]
    drawn = [trace for curve in panel.curves for trace in curve_traces(curve, x, y, palette, suffix)]
    return traces + sorted(drawn, key=lambda trace: not trace.fill)  # no band covers a line


def _all_names(panel: Panel, palette: Palette, suffix: str, type_: Type) -> list[dict[str, Any]]:
    """The names of levels, above their ends, and of curves, each at its point."""
    notes = []
    for level in panel.levels:
        if level.name:
            at, side = (panel.x.high, "top left") if level.right else (panel.x.low, "top right")
            shown = _name(level.name, at, level.y, side, palette.muted, type_.tick, panel, suffix)
            notes.append(shown | {"xshift": 0, "yshift": 1})
    for curve in panel.curves:
        if curve.name and not panel.ends:
            x, y = float(curve.x[curve.at]), float(curve.y[curve.at])
            colour = palette.muted if curve.quiet else palette.ink
            notes.append(_name(curve.name, x, y, curve.side, colour, type_.name, panel, suffix))
    return notes


def _name(
    text: str, x: float, y: float, side: str, colour: str, size: int, panel: Panel, suffix: str
) -> dict[str, Any]:
    """A name beside a point, on the side that a textposition of Plotly says."""
    vertical, horizontal = side.split()
    up, right = (
        {"top": 1, "middle": 0, "bottom": -1}[vertical],
        {"left": -1, "center": 0, "right": 1}[horizontal],
    )
    return note(
        text,
        panel.x.place(x),
        panel.y.place(float(panel.y.clip([y])[0])),
        xref=f"x{suffix}",
        yref=f"y{suffix}",
        xanchor={-1: "right", 0: "center", 1: "left"}[right],
        yanchor={-1: "top", 0: "middle", 1: "bottom"}[up],
        xshift=6 * right if up == 0 else 3 * right,
        yshift=5 * up,
        font={"size": size, "color": colour},
    )


def _straight(
    x: list[float], y: list[float], colour: str, dash: str, suffix: str, share: float = 1.0
) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": rgba(colour, share), "width": 1.5, "dash": dash},
        hoverinfo="skip",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def _band(curve: Curve, y: Axis, colour: str, on: dict[str, str]) -> go.Scatter:
    assert curve.band is not None
    x = np.asarray(curve.x, dtype=float)
    low, high = y.clip(curve.band[0]), y.clip(curve.band[1])
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(colour, 0.16),
        hoverinfo="skip",
        **on,
    )


def _errors(curve: Curve, colour: str) -> dict[str, Any] | None:
    if curve.errors is None:
        return None
    return {
        "type": "data",
        "array": list(map(float, curve.errors)),
        "color": colour,
        "thickness": 1.5,
        "width": 4,
    }


def _titles(panel: Panel, palette: Palette, suffix: str, type_: Type, quiet: bool) -> list[dict[str, Any]]:
    """The panel's title and the y axis's at the top left, the x axis's at the bottom right."""
    on = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "yanchor": "bottom"}
    font = {"size": type_.name, "color": palette.muted}
    parts = [f'<b><span style="color:{palette.ink}">{panel.title}</span></b>'] if panel.title else []
    parts += [panel.aside] if panel.aside else []
    parts += [panel.y.title] if panel.y.title and not quiet else []
    shift = 0 if panel.title else 8 - _left(panel.y, type_)
    notes = (
        [note("  ".join(parts), 0, 1, xanchor="left", yshift=8, xshift=shift, font=font, **on)]
        if parts
        else []
    )
    if panel.x.title:
        below = on | {"yanchor": "top"}
        shift = -round(type_.tick * LINE) - 8
        notes.append(note(panel.x.title, 1, 0, xanchor="right", yshift=shift, font=font, **below))
    return notes


def _left(y: Axis, type_: Type) -> int:
    """Pixels for the tick labels of the y axis."""
    return 14 + text_width(y.texts, type_.tick) if y.texts else 8


def _names(panel: Panel) -> list[str]:
    return [curve.name for curve in panel.curves if curve.name]


def _end_names(panel: Panel, palette: Palette, suffix: str, type_: Type, pixels: int) -> list[dict[str, Any]]:
    """The names beside the ends of the curves."""
    named = [curve for curve in panel.curves if curve.name]
    heights = [pixels * panel.y.share(float(panel.y.clip([curve.y[-1]])[0])) for curve in named]
    moved = apart(heights, type_.line, 0, pixels)
    return [
        note(
            curve.name,
            1,
            height / pixels,
            xref=f"x{suffix} domain",
            yref=f"y{suffix} domain",
            xanchor="left",
            yanchor="middle",
            xshift=6,
            font={"size": type_.name, "color": palette.muted if curve.quiet else palette.ink},
        )
        for curve, height in zip(named, moved, strict=True)
    ]
