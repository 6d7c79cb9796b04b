"""Figures on the page: a key, alt text, clicks, the colour key, scrolling where they are wide."""

from collections.abc import Callable
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from markupsafe import Markup

from attnviz.figures.base import CONFIG
from attnviz.figures.labels import number
from attnviz.ui import style


def chart(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    least: int = 0,
    on_cell: Callable[[int, int, int], None] | None = None,
    on_point: Callable[[int], None] | None = None,
) -> None:
    """Draw a figure; where `least` is given, it scrolls inside its own container below so many pixels.

    `on_cell(row, column, axes)` is called before the next run when a cell is clicked; axes counts the
    subplots from 0. `on_point(number)` likewise, with the number of the clicked point in its trace.
    """
    options: dict[str, Any] = {"theme": None, "key": key, "config": CONFIG, "alt": alt}
    if on_cell is not None:
        _remember(key, _cells(figure, on_cell))
    elif on_point is not None:
        _remember(key, lambda point: on_point(int(point["point_index"])))
    if on_cell is not None or on_point is not None:
        options |= {"on_select": partial(_clicked, key), "selection_mode": "points"}
    if least:
        with st.container(key=f"wide_{key}"):
            st.html(style.wide(f"wide_{key}", least))
            st.plotly_chart(figure, **options)
    else:
        st.plotly_chart(figure, **options)


def _remember(key: str, react: Callable[[dict[str, Any]], None]) -> None:
    """Keep what a click on the chart does, for its key alone.

    Streamlit keeps the callback of every figure that a session has ever shown: were the figure, the scene or
    the lesson in there, each answer would be slower than the one before.
    """
    st.session_state.setdefault("charts", {})[key] = react


def _clicked(key: str) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points:
        st.session_state["charts"][key](points[0])
    else:  # a second click deselects: the state must still count as touched
        st.session_state["fired"] = True


def _cells(figure: go.Figure, on_cell: Callable[[int, int, int], None]) -> Callable[[dict[str, Any]], None]:
    axes = [_subplot(figure, str(trace.xaxis or "x")) for trace in figure.data]
    return lambda point: on_cell(round(point["y"]), round(point["x"]), axes[point["curve_number"]])


def _subplot(figure: go.Figure, axis: str) -> int:
    """The subplot of an x axis, counted from 0; an axis that lies over another belongs to the other's."""
    under = figure.layout[f"xaxis{axis[1:]}"].overlaying or axis
    return int(under[1:] or 1) - 1


def colour_key(limit: float, *, weights: bool, caption: str, title: str = "") -> None:
    """The colour scale as a gradient with its ends, under its title: a Plotly colour bar never aligns."""
    low = "0" if weights else number(-limit)
    high = "1" if weights and limit == 1 else number(limit)
    key = Markup('<div class="av-key"><span>{}</span><i class="{}"></i><span>{}</span><span>{}</span></div>')
    above = Markup('<span class="av-label">{}</span>').format(title) if title else Markup("")
    st.html(
        above + key.format(low, "weights" if weights else "signed", high, caption),
        width="content" if title else "stretch",
    )
