"""Curves on quiet axes, side by side; each curve carries its name, so that there is no legend to look up."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.base import layout
from attnviz.figures.curve_axes import SCREEN, Axis, Type, axis_of, tick_room
from attnviz.figures.curve_names import end_names, names_in_place, titles
from attnviz.figures.curve_parts import Curve, Panel
from attnviz.figures.grid import side_by_side, subplot
from attnviz.figures.labels import text_width
from attnviz.figures.palette import Palette

Trace: TypeAlias = go.Scatter | go.Bar
GAP = 0.06  # between panels, as a share of the width


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
    margin = {"l": tick_room(panels[0].y, type_), "r": right, "t": top, "b": bottom}
    figure_layout = layout(height, palette, margin)
    traces: list[Trace] = []
    for k, (panel, across) in enumerate(zip(panels, side_by_side(len(panels), gap), strict=True)):
        suffix = subplot(k)
        quiet = shared and k > 0
        traces += _traces(panel, palette, suffix)
        figure_layout[f"xaxis{suffix}"] = axis_of(panel.x, palette, type_) | {
            "domain": list(across),
            "anchor": f"y{suffix}",
        }
        figure_layout[f"yaxis{suffix}"] = axis_of(panel.y, palette, type_, grid=True) | {
            "anchor": f"x{suffix}",
            "showticklabels": not quiet,
        }
        figure_layout["annotations"] += titles(panel, palette, suffix, type_, quiet)
        figure_layout["annotations"] += names_in_place(panel, palette, suffix, type_)
        if panel.ends:
            figure_layout["annotations"] += end_names(panel, palette, suffix, type_, height - top - bottom)
    return go.Figure(data=traces, layout=figure_layout)


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


def rgba(colour: str, share: float) -> str:
    """A colour of the palette, as much of it as `share` (0 to 1)."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


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


def _names(panel: Panel) -> list[str]:
    return [curve.name for curve in panel.curves if curve.name]


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
