"""The traces of a figure by what they draw."""

from typing import Any

import plotly.graph_objects as go


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
