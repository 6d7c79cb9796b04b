"""The score of one query over a whole plane of keys: a landscape, and the lines on which it is level."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lab.scores.comparison import ROUNDING, Parameters, head_parameters
from attnviz.lesson.settings import Settings

Path = Literal["lines", "circles", "rays"]
Shape = Literal["lines", "tilted", "rays", "circles", "flat", "curves"]

REACH = 3.0
SIDE = 49


@dataclass(frozen=True, eq=False)
class Surface:
    """The score of one query with every key of a square of the plane; `shape` is where it stays the same."""

    name: str
    axis: Array  # (side,)
    scores: Array  # (side, side), rows along the second coordinate
    shape: Shape


def surface(settings: Settings, score: str, head: int, query: Array) -> Surface:
    """The score function with d_k = 2 and this query (2,), over keys from -REACH to REACH each way."""
    parameters = head_parameters(settings, score, head, 2)
    axis = np.linspace(-REACH, REACH, SIDE)
    keys = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)  # (side * side, 2)
    scores = _over(score, query, keys, parameters).reshape(SIDE, SIDE)
    return Surface(score, axis, scores, contour_shape(score, query, parameters))


def contour_shape(score: str, query: Array, parameters: Parameters) -> Shape:
    """Where in the plane the score of this query stays the same, found by measuring along such lines.

    "lines": at right angles to q; "tilted": straight lines of another direction; "rays" from the origin;
    "circles" round q; "flat": everywhere; "curves": none of these.
    """
    rng = np.random.default_rng(0)
    keys = rng.normal(size=(24, 2))  # (24, 2)
    scores = _over(score, query, keys, parameters)
    limit = ROUNDING * max(1.0, float(np.abs(scores).max()))

    def constant(moved: Array) -> bool:
        return bool(np.abs(_over(score, query, moved, parameters) - scores).max() <= limit)

    across = _across(query)
    angles = np.linspace(0.3, 6.0, 24)
    from_query = keys - query
    circle = query + np.stack(
        [
            np.cos(angles) * from_query[:, 0] - np.sin(angles) * from_query[:, 1],
            np.sin(angles) * from_query[:, 0] + np.cos(angles) * from_query[:, 1],
        ],
        axis=-1,
    )
    if constant(rng.normal(size=(24, 2))):
        return "flat"
    if constant(keys + across):
        return "lines"
    if constant(2.5 * keys):
        return "rays"
    if constant(circle):
        return "circles"
    middle = _over(score, query, (keys + keys[::-1]) / 2, parameters)
    return "tilted" if np.abs(middle - (scores + scores[::-1]) / 2).max() <= limit else "curves"


def _over(score: str, query: Array, keys: Array, parameters: Parameters) -> Array:
    scores: Array = SCORE_FUNCTIONS[score].function(query[None], keys, **parameters)  # (1, keys)
    return np.asarray(scores[0])


def dot_is_constant_on(query: Array) -> Path:
    """Along which of the three the inner product with this query (2,) changes least: the measurement itself."""
    steps = np.linspace(0.0, 2.0 * np.pi, 60)
    start = np.array([1.0, 0.5])
    paths: dict[Path, Array] = {
        "lines": start + steps[:, None] * _across(query),
        "circles": np.hypot(*start) * np.stack([np.cos(steps), np.sin(steps)], axis=-1),
        "rays": (1 + steps[:, None]) * start,
    }
    spreads = {name: float(np.ptp(path @ query)) for name, path in paths.items()}
    return min(spreads, key=lambda name: spreads[name])


def _across(query: Array) -> Array:
    """The direction at right angles to a vector (2,), of length 1; any direction for the zero vector."""
    length = float(np.hypot(*query))
    return np.array([-query[1], query[0]]) / length if length else np.array([0.0, 1.0])
