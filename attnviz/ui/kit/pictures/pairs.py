"""The pictures of the stations that have a number for each query and key: scores to weights."""

import numpy as np
from numpy.typing import NDArray

from attnviz.explain.stations import masked, seen_mean, seen_weights
from attnviz.figures.base import Figure
from attnviz.figures.labels import number
from attnviz.figures.maps import MOST_NUMBERS, SHARE, Statistic, attention_map
from attnviz.ui.kit.pictures.scene import Picture, Scene, head_pictures, perplexity


def mean_picture(scene: Scene) -> Figure:
    """The mean of the heads' weights as one map: what libraries return, not what the layer passes on."""
    mean = seen_mean(scene.lesson.trace)
    rows, columns, at = scene.queries, scene.keys, (scene.focus.query, scene.focus.key)
    if scene.columns:
        mean, rows, columns, at = mean.T, columns, rows, at[::-1]
    return attention_map(
        mean,
        rows=rows,
        columns=columns,
        palette=scene.palette,
        limit=1.0,
        weights=True,
        focus=at,
        height=min(60 + 44 * len(rows), 340),
        name=scene.words("playground.mean"),
        masked=scene.words("playground.masked_cell"),
    )


def _map(
    scene: Scene, matrices: NDArray[np.floating], matrix_name: str, name: str, weights: bool = False
) -> Picture:
    h, (query, key) = scene.focus.head, (scene.focus.query, scene.focus.key)
    full = weights and (max(matrices.shape[1:]) <= MOST_NUMBERS or scene.lesson.settings.full_scale)
    limit = 1.0 if full else scene.limit(matrices)
    matrix = matrices[h]
    rows, columns, at = scene.queries, scene.keys, (query, key)
    if scene.columns:
        matrix, rows, columns, at = matrix.T, columns, rows, (key, query)
    main = attention_map(
        matrix,
        rows=rows,
        columns=columns,
        palette=scene.palette,
        limit=limit,
        weights=weights,
        focus=at,
        statistics=_statistics(scene) if weights else (),
        height=_map_height(len(rows), 0 if not (weights and scene.columns) else 80),
        name=name,
        masked=scene.words("playground.masked_cell"),
    )
    many = len(columns)
    share = SHARE if weights and not scene.columns else 1.0
    # Up to what a large screen has: there the statistics are seen without scrolling.
    cell = 34 if weights else 42  # 0.12, −0.12
    least = min(int(74 + cell * many / share), 600) if many <= MOST_NUMBERS else min(84 + 12 * many, 620)
    small = head_pictures(scene, matrices, limit, weights)
    return Picture(main, small, limit, weights, least=least, matrices=(matrix_name,))


def _map_height(rows: int, more: int) -> int:
    """As in the design 430, less for few rows (no cell taller than 76), more where labels need it."""
    return min(60 + 74 * rows, max(430, 60 + 15 * min(rows, 32))) + more


def _statistics(scene: Scene) -> tuple[Statistic, ...]:
    """Of each query: the sum of its weights, the largest one, and exp(entropy)."""
    weights = scene.lesson.trace.weights[scene.focus.head]
    return (
        Statistic(scene.words("playground.sum"), tuple(number(float(v)) for v in weights.sum(axis=1))),
        Statistic(scene.words("playground.max"), tuple(number(float(v)) for v in weights.max(axis=1))),
        Statistic(scene.words("playground.looks_at"), tuple(number(v, 1) for v in perplexity(weights))),
    )


def scores_picture(scene: Scene) -> Picture:
    return _map(scene, scene.lesson.trace.scores, "scores", scene.words("playground.score"))


def scaled_picture(scene: Scene) -> Picture:
    return _map(scene, scene.lesson.trace.scaled, "scaled", scene.words("playground.stages.scaled"))


def masked_picture(scene: Scene) -> Picture:
    return _map(scene, masked(scene.lesson.trace), "masked", scene.words("playground.stages.masked"))


def weights_picture(scene: Scene) -> Picture:
    return _map(
        scene, seen_weights(scene.lesson.trace), "weights", scene.words("playground.weight"), weights=True
    )
