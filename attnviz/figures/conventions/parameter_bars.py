"""Where the parameters of several models are: one bar a model, each part as its share of the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.base import FONT, layout
from attnviz.figures.labels import escape
from attnviz.figures.palette import Palette, cell_inks

BAR = 54
TOP, RIGHT = 4, 8
LEAST_SHARE = 0.05  # of a bar; a narrower part has no room for its number


@dataclass(frozen=True)
class Bar:
    """One model: its name, what stands over its bar at the right, and the count of each part."""

    name: str
    total: str
    parts: Mapping[str, int]


def parameter_bars(
    bars: Sequence[Bar], *, names: Mapping[str, str], roles: Mapping[str, str], palette: Palette
) -> go.Figure:
    """The bars one below another, each as wide as the picture; `names` gives the parts and their order.

    A part has the colour of its role; those without one follow in shades of the muted colour. Hover tells the count.
    """
    figure_layout = layout(BAR * len(bars) + TOP, palette, {"l": 2, "r": RIGHT, "t": TOP, "b": 2})
    quiet = {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "showticklabels": False,
        "automargin": False,
    }
    figure_layout |= {
        "barmode": "stack",
        "bargap": 0.5,
        "xaxis": quiet | {"range": [0, 1]},
        "yaxis": quiet | {"range": [len(bars) - 0.45, -0.75]},
    }
    plain = [part for part in names if part not in roles]
    traces: list[go.Bar | go.Scatter] = [
        _part(bars, part, names[part], _colour(part, plain, roles, palette), palette) for part in names
    ]
    traces.append(_titles([f"<b>{escape(bar.name)}</b>" for bar in bars], 0, "middle right", palette.ink))
    traces.append(_titles([escape(bar.total) for bar in bars], 1, "middle left", palette.muted))
    return go.Figure(data=traces, layout=figure_layout)


def _titles(texts: Sequence[str], x: float, position: str, colour: str) -> go.Scatter:
    """Text over the bars; a trace, for an annotation at the right edge moves when the font arrives."""
    return go.Scatter(
        x=[x] * len(texts),
        y=[row - 0.43 for row in range(len(texts))],
        mode="text",
        text=texts,
        textposition=position,
        textfont={"size": 14, "family": FONT, "color": colour},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _colour(part: str, plain: Sequence[str], roles: Mapping[str, str], palette: Palette) -> tuple[str, float]:
    if part in roles:
        return palette.role(roles[part]), 1.0
    return palette.muted, (0.62, 0.38, 0.2, 0.1)[min(plain.index(part), 3)]


def _ink(colour: tuple[str, float], palette: Palette) -> str:
    """A text colour that is legible on the part."""
    fill, opacity = colour
    if opacity < 1.0:
        return palette.ink
    return str(cell_inks(np.zeros(1), ((0, fill), (1, fill)))[0])


def _part(bars: Sequence[Bar], part: str, name: str, colour: tuple[str, float], palette: Palette) -> go.Bar:
    totals = [max(sum(bar.parts.values()), 1) for bar in bars]
    shares = [bar.parts.get(part, 0) / total for bar, total in zip(bars, totals, strict=True)]
    return go.Bar(
        x=shares,
        y=list(range(len(bars))),
        orientation="h",
        width=0.5,
        text=[f"{share:.0%}" if share >= LEAST_SHARE else "" for share in shares],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"size": 13, "family": FONT, "color": _ink(colour, palette)},
        customdata=[f"{escape(bar.name)}<br>{escape(name)}: {bar.parts.get(part, 0):,}" for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
        marker={"color": colour[0], "opacity": colour[1], "line": {"color": palette.surface, "width": 1}},
        name=escape(name),
    )
