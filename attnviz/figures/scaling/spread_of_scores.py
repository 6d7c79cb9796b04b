"""Pictures of random scores: their histogram over the normal curve, and the weights that softmax makes of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import layout, note
from attnviz.figures.curve_axes import SCREEN, Axis, Type, axis_of
from attnviz.figures.curve_parts import Curve, Level, Panel
from attnviz.figures.curves import curve_chart, curve_traces, rgba
from attnviz.figures.grid import one_below_another, subplot
from attnviz.figures.labels import number
from attnviz.figures.palette import Palette


@dataclass(frozen=True, eq=False)
class Bell:
    """A histogram as a density over its edges (bins + 1), and the normal curve to lay over it."""

    edges: NDArray[np.floating]
    density: NDArray[np.floating]
    curve_x: NDArray[np.floating]
    curve_y: NDArray[np.floating]
    title: str
    curve: str


def bells(
    parts: Sequence[Bell], *, palette: Palette, height: int, hover: str, type_: Type = SCREEN
) -> go.Figure:
    """The histograms one under another on *one* axis, so that a narrower one is seen to be narrower."""
    reach = max(float(abs(bell.edges[[0, -1]]).max()) for bell in parts)
    ticks = _nice_ticks(reach)
    x = Axis(
        "",
        -reach,
        reach,
        ticks=ticks,
        texts=tuple(number(t, 0) if t % 1 == 0 else number(t, 1) for t in ticks),
    )
    head, bottom = round(1.7 * type_.line), round(1.6 * type_.line)
    figure_layout = layout(height, palette, {"l": 8, "r": 12, "t": head, "b": bottom})
    figure_layout |= {"bargap": 0, "barmode": "overlay"}
    plot = height - head - bottom
    places = one_below_another(len(parts), head / plot)
    traces: list[go.Bar | go.Scatter] = []
    for k, (bell, down) in enumerate(zip(parts, places, strict=True)):
        suffix = subplot(k)
        y = Axis("", 0.0, 1.08 * float(max(bell.density.max(), bell.curve_y.max())))
        traces += [_bars(bell, palette, suffix, hover)]
        traces += curve_traces(Curve(bell.curve_x, bell.curve_y, hover=bell.curve), x, y, palette, suffix)
        figure_layout[f"xaxis{suffix}"] = axis_of(x, palette, type_) | {
            "anchor": f"y{suffix}",
            "showticklabels": k == len(parts) - 1,
        }
        figure_layout[f"yaxis{suffix}"] = axis_of(y, palette) | {
            "domain": list(down),
            "anchor": f"x{suffix}",
        }
        on = {
            "xref": f"x{suffix} domain",
            "yref": f"y{suffix} domain",
            "yanchor": "bottom",
            "xanchor": "left",
        }
        figure_layout["annotations"].append(
            note(bell.title, 0, 1, font={"size": type_.name, "color": palette.muted}, yshift=3, **on)
        )
    return go.Figure(data=traces, layout=figure_layout)


def weight_bars(
    rows: Sequence[NDArray[np.floating]],
    titles: Sequence[str],
    *,
    palette: Palette,
    height: int,
    key: str,
    weight: str,
    type_: Type = SCREEN,
) -> go.Figure:
    """The weights (m,) of one query, once for each rule, coloured as on the maps, with a line at 1/m."""
    m = len(rows[0])
    step = 1 if m <= 12 else 4 if m <= 32 else 8
    ticks = tuple(float(j) for j in range(0, m, step))
    x = Axis(key, -0.7, m - 0.3, ticks=ticks, texts=tuple(f"{j:.0f}" for j in ticks))
    y = share_axis(weight, m, high=1.0)
    panels = [
        Panel(
            (),
            x,
            y,
            title,
            levels=(Level(1 / m),),
            bars=_weights(row, palette, weight, key, type_),
        )
        for k, (row, title) in enumerate(zip(rows, titles, strict=True))
    ]
    return curve_chart(panels, palette=palette, height=height, type_=type_, shared=True)


def share_axis(title: str, m: int, high: float = 1.06) -> Axis:
    """From 0 to 1, with a tick at 1/m, where all m weights are equal."""
    ticks = {1 / m: f"1/{m}", 1.0: "1"} | ({0.5: "0.5"} if m > 2 else {})
    return Axis(title, 0.0, high, ticks=tuple(ticks), texts=tuple(ticks.values()))


def _weights(row: NDArray[np.floating], palette: Palette, weight: str, key: str, type_: Type) -> go.Bar:
    """Bars, the largest with its number."""
    most = int(row.argmax())
    return go.Bar(
        x=np.arange(len(row)),
        y=row.astype(np.float64),
        width=0.78,
        marker={
            "color": row.astype(np.float64),
            "colorscale": [list(stop) for stop in palette.weights],
            "cmin": 0,
            "cmax": 1,
            "line": {"width": 1, "color": rgba(palette.muted, 0.6)},
        },
        text=[number(float(v)) if j == most else "" for j, v in enumerate(row)],
        textposition="outside",
        textfont={"size": type_.name, "color": palette.ink},
        textangle=0,
        constraintext="none",
        cliponaxis=False,
        hovertemplate=f"{key} %{{x}}<br>{weight} %{{y:.4f}}<extra></extra>",
    )


def _bars(bell: Bell, palette: Palette, suffix: str, hover: str) -> go.Bar:
    return go.Bar(
        x=(bell.edges[1:] + bell.edges[:-1]) / 2,
        y=bell.density,
        width=np.diff(bell.edges),
        marker={"color": rgba(palette.muted, 0.38), "line": {"width": 0}},
        hovertemplate=f"%{{x:.3g}}<br>{hover} %{{y:.3g}}<extra></extra>",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def _nice_ticks(reach: float) -> tuple[float, ...]:
    """0 and two round numbers to each side, inside the reach."""
    power = 10.0 ** np.floor(np.log10(reach))
    step = max(s * power for s in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5, 5.0) if 2 * s * power <= reach)
    return (-2 * step, -step, 0.0, step, 2 * step)
