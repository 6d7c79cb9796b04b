"""The axes that curves stand on: from where to where, with which ticks, in letters of which size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.labels import text_width
from attnviz.figures.palette import Palette

Numbers = NDArray[np.floating] | Sequence[float]
LINE = 1.25  # of a line of text, in its font sizes


@dataclass(frozen=True)
class Type:
    """Font sizes in pixels: on a screen, or large for a class."""

    tick: int = 13
    name: int = 14

    @property
    def line(self) -> int:
        """The height of a line of names."""
        return round(LINE * self.name)


SCREEN, LARGE = Type(), Type(tick=17, name=19)


@dataclass(frozen=True)
class Axis:
    """From low to high, with `ticks` named `texts`; `title` stands beside the axis, horizontal."""

    title: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    def clip(self, values: Numbers) -> NDArray[np.floating]:
        """The values brought into the axis, so that a band or a logarithm has an end."""
        return np.asarray(np.clip(np.asarray(values, dtype=float), self.low, self.high))

    def place(self, value: float) -> float:
        """The value as an annotation wants it: its logarithm on a logarithmic axis."""
        return math.log10(value) if self.log else value

    def share(self, value: float) -> float:
        """Where a value lies between low (0) and high (1)."""
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return (at - low) / (high - low)


def axis_of(axis: Axis, palette: Palette, type_: Type = SCREEN, *, grid: bool = False) -> dict[str, Any]:
    """The Plotly axis: its ticks and, where wanted, hair lines across; nothing else."""
    bounds = [math.log10(axis.low), math.log10(axis.high)] if axis.log else [axis.low, axis.high]
    ticks = {"tickmode": "array", "tickvals": list(axis.ticks), "ticktext": list(axis.texts)}
    return {
        "type": "log" if axis.log else "linear",
        "range": bounds,
        "showgrid": grid,
        "gridcolor": palette.line,
        "gridwidth": 1,
        "showline": False,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 6,
        "tickfont": {"size": type_.tick, "color": palette.muted},
        "fixedrange": True,
        "automargin": False,
        **(ticks if axis.ticks else {"showticklabels": False}),
    }


def tick_room(y: Axis, type_: Type) -> int:
    """Pixels for the tick labels of a y axis."""
    return 14 + text_width(y.texts, type_.tick) if y.texts else 8
