"""What a chart of curves is made of: curves and levels, on the two axes of a panel."""

from dataclasses import dataclass

import plotly.graph_objects as go

from attnviz.figures.curve_axes import Axis, Numbers


@dataclass(frozen=True, eq=False)
class Curve:
    """y over x: a line, or points, or both; `band` is (low, high), `errors` one length a point, both ways.

    `name` stands at the point number `at`, on its side `side` (a textposition of Plotly). A quiet curve is drawn
    in the muted colour. `hover` names it where the curve has no name.
    """

    x: Numbers
    y: Numbers
    name: str = ""
    at: int = -1
    side: str = "top left"
    quiet: bool = False
    dash: str = "solid"
    width: float = 2.5
    line: bool = True
    points: bool = False
    hollow: bool = False
    symbol: str = "circle"
    band: tuple[Numbers, Numbers] | None = None
    errors: Numbers | None = None
    hover: str = ""


@dataclass(frozen=True)
class Level:
    """A dotted line at one y, across the panel, named above its left end (or its right end)."""

    y: float
    name: str = ""
    right: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves on two axes; `place` is an x that is marked, `bars` are drawn behind them.

    `aside` stands quietly behind the title. `ends`: the names stand right of the panel, at the heights of the
    curves' ends, moved apart.
    """

    curves: tuple[Curve, ...]
    x: Axis
    y: Axis
    title: str = ""
    aside: str = ""
    levels: tuple[Level, ...] = ()
    place: float | None = None
    bars: go.Bar | None = None
    ends: bool = False
