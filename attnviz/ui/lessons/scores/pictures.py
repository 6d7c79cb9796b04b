"""The pictures of the page "How alike are a query and a key?": all score functions side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from attnviz.core.arrays import Array
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.explain.stations import hidden
from attnviz.figures.base import Figure
from attnviz.figures.curve_axes import Axis
from attnviz.figures.curve_parts import Curve, Panel
from attnviz.figures.curves import curve_chart
from attnviz.figures.labels import Labels, number
from attnviz.figures.scores.maps import MapLine, score_maps
from attnviz.figures.scores.surfaces import Landscape, score_surfaces
from attnviz.lab.scores.comparison import (
    Compared,
    along_angle,
    along_length,
    compare,
    head_parameters,
    rows_round,
)
from attnviz.lab.scores.surface import surface
from attnviz.lesson.settings import Settings
from attnviz.ui.kit.pictures.scene import Scene

LONGEST = 4.0  # times the query
POINTS = 121


@dataclass(frozen=True)
class Comparison:
    """All score functions on the queries `rows` of a scene; `at` is the place of the query in focus among them."""

    scene: Scene
    rows: slice
    found: tuple[Compared, ...]

    @property
    def at(self) -> int:
        return self.scene.focus.query - int(self.rows.start)

    @property
    def best(self) -> list[int | None]:
        """For each function the key to which the query in focus gives most; None where it may look at nothing."""
        rows = [compared.weights[self.at] for compared in self.found]
        return [int(row.argmax()) if row.any() else None for row in rows]


def comparison(scene: Scene) -> Comparison:
    """The comparison in the head in focus; of a long sentence only the queries round the focus."""
    rows = rows_round(len(scene.lesson.tokens.tokens), scene.focus.query)
    return Comparison(scene, rows, compare(scene.lesson, scene.focus.head, rows))


def names(scene: Scene) -> list[str]:
    """The score functions in the reader's language, in the order of SCORE_FUNCTIONS."""
    return [scene.words.either(f"common.score.{name}", name) for name in SCORE_FUNCTIONS]


def chosen(settings: Settings) -> int:
    """The place of the score function that is set at the left."""
    return list(SCORE_FUNCTIONS).index(settings.score)


def scores_and_weights(made: Comparison) -> Figure:
    """Two lines of maps: the scores of each function, and the weights that softmax makes of them."""
    scene = made.scene
    lines = [_line(made, "raw"), _line(made, "weights")]
    return score_maps(names(scene), lines, palette=scene.palette, chosen=chosen(scene.lesson.settings))


def self_and_cross(sides: Sequence[Comparison]) -> Figure:
    """Two lines of maps: the scores where the sentence looks at itself, and where it looks at another."""
    scene = sides[0].scene
    lines = [_line(made, name) for made, name in zip(sides, ("self", "cross"), strict=True)]
    return score_maps(names(scene), lines, palette=scene.palette, chosen=chosen(scene.lesson.settings))


def _line(made: Comparison, name: str) -> MapLine:
    """A line of maps, weights or scores, turned where tokens are columns; the mark is the best key."""
    scene, weights = made.scene, name == "weights"
    marks = tuple((made.at, 0 if key is None else key) for key in made.best)
    rows, columns = _part(scene.queries, made.rows), scene.keys
    unseen = hidden(scene.lesson.trace)[scene.focus.head, made.rows] if weights else np.False_
    shown = tuple(np.where(unseen, np.nan, c.weights if weights else c.scores) for c in made.found)
    if scene.columns:
        rows, columns, shown = columns, rows, tuple(m.T for m in shown)
        marks = tuple((key, query) for query, key in marks)
    return MapLine(
        scene.words(f"scores.{name}"),
        shown,
        rows,
        columns,
        marks,
        weights,
        upright=scene.columns,
        masked=scene.words("playground.masked_cell"),
    )


def _part(labels: Labels, rows: slice) -> Labels:
    return replace(labels, texts=labels.texts[rows], wholes=labels.wholes[rows])


def length_curves(scene: Scene, stretch: float) -> go.Figure:
    """The score of the pair in focus while the query grows from 0 to LONGEST times its length."""
    factors = np.linspace(0.0, LONGEST, POINTS)
    x = Axis(scene.words("scores.change.times"), 0.0, LONGEST, ticks=(0, 1, 2, 3, 4), texts=tuple("01234"))
    curves = [(Curve(factors, along_length(*_pair(scene, score), factors)),) for score in SCORE_FUNCTIONS]
    return _panels(scene, curves, x, stretch)


def angle_curves(scene: Scene, turn: int) -> go.Figure:
    """The score of the pair in focus while both vectors (solid) or the query alone (dashed) are turned."""
    degrees = np.linspace(0.0, 360.0, POINTS)
    x = Axis(
        scene.words("scores.change.angle"),
        0.0,
        360.0,
        ticks=(0, 90, 180, 270),
        texts=("0°", "90°", "180°", "270°"),
    )
    curves = []
    for score in SCORE_FUNCTIONS:
        both, alone = (along_angle(*_pair(scene, score), np.radians(degrees), both=b) for b in (True, False))
        curves.append(
            (
                Curve(degrees, both, hover=scene.words("scores.change.both")),
                Curve(
                    degrees, alone, quiet=True, dash="dash", width=2, hover=scene.words("scores.change.alone")
                ),
            )
        )
    return _panels(scene, curves, x, turn)


def _pair(scene: Scene, score: str) -> tuple[str, Array, Array, dict[str, Array | float]]:
    """The score function, the query and the key in focus, and the function's parameters."""
    trace, focus = scene.lesson.trace, scene.focus
    parameters = head_parameters(scene.lesson.settings, score, focus.head, trace.query.shape[2])
    return score, trace.query[focus.head, focus.query], trace.key[focus.head, focus.key], parameters


def _panels(scene: Scene, curves: Sequence[tuple[Curve, ...]], x: Axis, place: float) -> go.Figure:
    """One panel a function, each with a y axis of its own, the slider's place marked."""
    panels: list[Panel] = []
    for title, drawn in zip(names(scene), curves, strict=True):
        values = np.concatenate([np.asarray(curve.y) for curve in drawn])
        panels.append(
            Panel(drawn, x if not panels else _without_title(x), nice_axis(values), title, place=place)
        )
    return curve_chart(panels, palette=scene.palette, height=200, gap=0.055)


def _without_title(axis: Axis) -> Axis:
    return Axis("", axis.low, axis.high, ticks=axis.ticks, texts=axis.texts)


def nice_axis(values: Array) -> Axis:
    """An axis round the values, with two to four round ticks; a flat curve gets room above and below."""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 1.0, high + 1.0
    room = 0.08 * (high - low)
    low, high = low - room, high + room
    step = _round_step((high - low) / 4)
    ticks = tuple(step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1))
    digits = max(0, -math.floor(math.log10(step)))
    return Axis("", low, high, ticks=ticks, texts=tuple(number(t, digits) for t in ticks))


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= least * 0.999)


def surfaces(scene: Scene, query: Array) -> go.Figure:
    """The landscapes of all functions for a query in the plane; the sentence's keys too where d_k is 2."""
    settings, head = scene.lesson.settings, scene.focus.head
    keys = scene.lesson.trace.key[head] if settings.d_k == 2 else None
    landscapes = []
    for title, score in zip(names(scene), SCORE_FUNCTIONS, strict=True):
        found = surface(settings, score, head, query)
        caption = scene.words(f"scores.surface.shape_{found.shape}")
        landscapes.append(Landscape(title, caption, found.axis, found.scores))
    return score_surfaces(
        landscapes,
        query=(float(query[0]), float(query[1])),
        keys=keys,
        names=scene.keys.wholes if keys is not None else (),
        palette=scene.palette,
        chosen=chosen(settings),
    )
