"""The words in a chart of curves: titles, and the names of curves and levels where they stand."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from attnviz.figures.base import FONT, note
from attnviz.figures.curve_axes import LINE, Type, tick_room
from attnviz.figures.curve_parts import Panel
from attnviz.figures.palette import Palette


def titles(panel: Panel, palette: Palette, suffix: str, type_: Type, quiet: bool) -> list[dict[str, Any]]:
    """The panel's title and the y axis's at the top left, the x axis's at the bottom right."""
    on = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "yanchor": "bottom"}
    font = {"size": type_.name, "color": palette.muted}
    parts = [f'<b><span style="color:{palette.ink}">{panel.title}</span></b>'] if panel.title else []
    parts += [panel.aside] if panel.aside else []
    parts += [panel.y.title] if panel.y.title and not quiet else []
    shift = 0 if panel.title else 8 - tick_room(panel.y, type_)
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


def names_in_place(panel: Panel, palette: Palette, suffix: str, type_: Type) -> list[dict[str, Any]]:
    """The names of levels, above their ends, and of curves, each at its point unless the panel has them at the ends."""
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


def end_names(panel: Panel, palette: Palette, suffix: str, type_: Type, pixels: int) -> list[dict[str, Any]]:
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
