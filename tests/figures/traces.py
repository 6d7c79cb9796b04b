"""Figures of matrices as Plotly sees them, and their traces by what they draw."""

from collections.abc import Callable
from typing import Any, ParamSpec

import plotly.graph_objects as go

from attnviz.figures.base import Figure, Trace
from attnviz.figures.vocabulary import payload

P = ParamSpec("P")


def in_plotly(draw: Callable[P, Figure]) -> Callable[P, go.Figure]:
    """The same function with a Plotly figure for the plain one: Plotly and our renderer both know all its words."""

    def drawn(*args: P.args, **kwargs: P.kwargs) -> go.Figure:
        figure = draw(*args, **kwargs)
        payload(figure)
        return go.Figure(figure)

    return drawn


def trace_in_plotly(draw: Callable[P, Trace]) -> Callable[P, Any]:
    """The same for a function that makes one trace."""

    def drawn(*args: P.args, **kwargs: P.kwargs) -> Any:
        return go.Figure(data=[draw(*args, **kwargs)]).data[0]

    return drawn


def heatmaps(figure: go.Figure) -> list[go.Heatmap]:
    """Its heat maps, in order."""
    return [trace for trace in figure.data if trace.type == "heatmap"]


def texts(figure: go.Figure) -> list[go.Scatter]:
    """Its numbers, a trace a matrix."""
    return _scatters(figure, "text")


def markers(figure: go.Figure) -> list[Any]:
    """Its points, seen and unseen."""
    return _scatters(figure, "markers")


def printed(figure: go.Figure, axes: str = "") -> dict[tuple[int, int], str]:
    """The numbers in the cells of one matrix, by row and column."""
    found = [trace for trace in texts(figure) if trace.xaxis == f"x{axes}"]
    return {(int(r), int(c)): text for t in found for r, c, text in zip(t.y, t.x, t.text, strict=True)}


def _scatters(figure: go.Figure, mode: str) -> list[Any]:
    return [trace for trace in figure.data if trace.type in ("scatter", "scattergl") and trace.mode == mode]
