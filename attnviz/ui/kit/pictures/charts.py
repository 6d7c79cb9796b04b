"""Figures on the page: a key, alt text, clicks, the colour key, scrolling where they are wide."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from markupsafe import Markup
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attnviz.figures.base import CONFIG
from attnviz.figures.labels import number
from attnviz.ui.kit import state, style
from attnviz.ui.kit.session import session

MOST_DRAWINGS = 3  # of a chart, that a browser on a slow line may still show


@dataclass
class Drawing:
    """A chart as it was once drawn: what a click on it does, where its clicks are held, the last one answered."""

    number: int
    react: Callable[[dict[str, Any]], None]
    id: str
    answered: Any = None


@dataclass
class Drawings:
    """Of each chart the last few drawings that this session was shown."""

    by_chart: dict[str, list[Drawing]] = field(default_factory=dict)


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
    subplots from 0. `on_point(number)` likewise, with the number of the clicked point in its trace. They are
    kept for a while: they must hold no figure, scene or lesson.
    """
    options: dict[str, Any] = {"theme": None, "key": key, "config": CONFIG, "alt": alt}
    drawing = None
    if on_cell is not None:
        drawing = _drawing(key, _cells(figure, on_cell))
    elif on_point is not None:
        drawing = _drawing(key, lambda point: on_point(int(point["point_index"])))
    if drawing is not None:
        options |= {"on_select": partial(_clicked, key, drawing.number), "selection_mode": "points"}
    if least:
        with st.container(key=style.wide(key, least)):
            st.plotly_chart(figure, **options)
    else:
        st.plotly_chart(figure, **options)
    if drawing is not None:
        drawing.id = _id(key)


def _drawings(key: str) -> list[Drawing]:
    """The last drawings of a chart, the one last clicked or made at the end.

    Streamlit keeps the callback of every figure that a session has ever shown: were the figure, the scene or
    the lesson in there, each answer would be slower than the one before. So it knows a key and a number only,
    and what we keep, of a few, are functions that hold none of these either.
    """
    return session().of(Drawings).by_chart.setdefault(key, [])


def _drawing(key: str, react: Callable[[dict[str, Any]], None]) -> Drawing:
    drawings = _drawings(key)
    drawing = Drawing(1 + max((old.number for old in drawings), default=0), react, id=key)
    drawings[:] = [*drawings, drawing][-MOST_DRAWINGS:]
    return drawing


def _id(key: str) -> str:
    """What Streamlit calls the chart just drawn: another name for every figure, which its clicks come under."""
    ctx = get_script_run_ctx()
    names = ctx.shared.widget_ids_this_run.snapshot() if ctx else ()
    return next((name for name in names if name.endswith(f"-{key}")), key)


def _clicked(key: str, number: int) -> None:
    """Answer a click on the drawing of this number, which the browser may show while the next is on its way."""
    state.clicked()
    drawings, ctx = _drawings(key), get_script_run_ctx()
    drawing = next((old for old in drawings if old.number == number), None)
    if drawing is None or ctx is None:
        return
    drawings.remove(drawing)
    drawings.append(drawing)
    points = ctx.session_state[drawing.id]["selection"]["points"]
    # No points: a second click has deselected. Those answered last: the browser says again what we have heard,
    # for Streamlit forgets the clicks of a figure that is gone.
    if points and points != drawing.answered:
        drawing.react(points[0])
    drawing.answered = points


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
