"""A chart of one curve, and what stands in a chart, for the tests of its parts."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.curve_axes import Axis
from attnviz.figures.curve_parts import Curve, Panel
from attnviz.figures.curves import curve_chart
from attnviz.figures.palette import LIGHT

X = Axis("steps", 1, 4096, log=True, ticks=(1, 64, 4096), texts=("1", "64", "4096"))
Y = Axis("loss", 0.0, 2.0, ticks=(0, 1, 2), texts=("0", "1", "2"))
WIDTHS = np.array([1.0, 8.0, 512.0])
FALLING = np.array([1.5, 1.0, 0.25])
CURVE = Curve(WIDTHS, FALLING, "falling", at=1)


def chart(*panels: Panel, **how: Any) -> go.Figure:
    """A chart of these panels, 300 pixels high."""
    options: dict[str, Any] = {"palette": LIGHT, "height": 300} | how
    return curve_chart(panels, **options)


def named(figure: go.Figure) -> dict[str, Any]:
    """The words in a chart, by their text."""
    return {note.text: note for note in figure.layout.annotations}


def line_of(figure: go.Figure, name: str) -> Any:
    """The one trace whose hover text begins with this name."""
    (found,) = [t for t in figure.data if t.hovertemplate and t.hovertemplate.startswith(name)]
    return found
