"""A few lengths as bars, one below another, each with its number."""

from collections.abc import Sequence

import plotly.graph_objects as go

from attnviz.figures.base import layout
from attnviz.figures.labels import escape, number, text_width
from attnviz.figures.palette import Palette

BAR = 26


def length_bars(
    values: Sequence[float], names: Sequence[str], *, hollow: Sequence[bool], palette: Palette
) -> go.Figure:
    """The values, none negative, as bars from 0; those marked `hollow` are outlines only."""
    left = 12 + text_width(names, 14)
    largest = max([*values, 1e-12])
    figure_layout = layout(BAR * len(values) + 8, palette, {"l": left, "r": 4, "t": 2, "b": 2})
    quiet = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "automargin": False}
    figure_layout["xaxis"] = quiet | {"range": [0, largest * 1.18], "showticklabels": False}
    figure_layout["yaxis"] = quiet | {
        "range": [len(values) - 0.5, -0.5],
        "tickvals": list(range(len(values))),
        "ticktext": [escape(name) for name in names],
        "tickfont": {"size": 14},
        "ticklabelstandoff": 6,
    }
    bars = go.Bar(
        x=list(values),
        y=list(range(len(values))),
        orientation="h",
        width=0.6,
        text=[number(value) for value in values],
        textposition="outside",
        textfont={"size": 13, "color": palette.ink},
        cliponaxis=False,
        hoverinfo="skip",
        marker={
            "color": ["rgba(0,0,0,0)" if empty else palette.muted for empty in hollow],
            "line": {"color": palette.muted, "width": 1.5},
        },
    )
    return go.Figure(data=[bars], layout=figure_layout)
