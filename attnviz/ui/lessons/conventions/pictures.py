"""The pictures of the page about notations: one product in rows and columns, two readings of a mask, flat weights."""

from dataclasses import replace

from attnviz.explain.stations import seen_weights
from attnviz.figures.base import Figure, scale_of
from attnviz.figures.labels import number_labels
from attnviz.figures.maps import attention_map
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.lab.notations.torch_walk import TorchWalk
from attnviz.ui.kit.pictures.scene import WIDE, Scene, cell_height
from attnviz.ui.lessons.conventions.torch_pictures import (
    MOST_COLUMNS,
    MOST_ROWS,
    query_mark,
    roles_in_focus,
    seen_by,
    small_row,
)


def products(scene: Scene) -> tuple[Figure, int]:
    """A V = O of the focused head in the scene's notation, and the width below which the picture scrolls."""
    trace, h = scene.lesson.trace, scene.focus.head
    n, m = trace.weights.shape[1:]
    d_v = trace.value.shape[2]
    row = scene.focus.key
    values = Matrix(trace.value[h], scene.keys, number_labels(d_v, symbol="v"), "V", "value")
    values = replace(values, marks=(Mark((row, row), (0, d_v - 1), "key"),))
    weights = Matrix(
        seen_weights(trace)[h],
        scene.queries,
        scene.keys,
        "A",
        marks=query_mark(scene, m),
        weights=True,
        masked=scene.words("playground.masked_cell"),
    )
    output = Matrix(
        trace.head_outputs[h], scene.queries, values.columns, "O", "value", marks=query_mark(scene, d_v)
    )
    matrices = [weights, replace(values, sign="×"), replace(output, sign="=")]
    if scene.columns:
        turned = [matrix.transposed() for matrix in reversed(matrices)]
        matrices = [replace(t, sign=sign) for t, sign in zip(turned, ("", "=", "×"), strict=True)]
    limit = scale_of([trace.value[h], trace.head_outputs[h]])
    tall, wide = max(n, m), m + 2 * d_v if not scene.columns else 2 * n + m
    if scene.columns:
        tall = max(m, d_v)
    if wide > 2 * MOST_COLUMNS or tall > MOST_ROWS:
        return small_row(matrices, limit, scene), 0
    cell = cell_height(tall, 220, 40)
    figure = matrix_row(
        matrices, palette=scene.palette, limit=limit, cell=cell, pixels=WIDE, focus=roles_in_focus(scene)
    )
    return figure, min(110 + 34 * (wide + 4), WIDE) if wide <= 30 else 0


def readings(scene: Scene, kept: TorchWalk, blocked: TorchWalk) -> tuple[Figure, int]:
    """The focused head's weights where a mask's True is read as may look, and as may not look."""
    h, (n, m) = scene.focus.head, kept.weights.shape[2:]
    names = ("reads_keep", "reads_block")
    matrices = [
        Matrix(
            seen_by(way)[0, h], scene.queries, scene.keys, scene.words(f"conventions.names.{name}"),
            marks=query_mark(scene, m), weights=True, masked=scene.words("playground.masked_cell"),
        )
        for way, name in zip((kept, blocked), names, strict=True)
    ]  # fmt: skip
    if m > MOST_COLUMNS // 2 or n > MOST_ROWS:
        return small_row(matrices, 1.0, scene), 0
    cell = cell_height(n, 330, 44)
    figure = matrix_row(
        matrices, palette=scene.palette, limit=1.0, cell=cell, pixels=WIDE, focus=roles_in_focus(scene)
    )
    return figure, min(max(90 + 26 * (2 * m + 1), 420), WIDE)


def flat_map(scene: Scene) -> Figure:
    """The weights of a scene's one head on the scale from 0 to 1."""
    return attention_map(
        seen_weights(scene.lesson.trace)[0],
        rows=scene.queries,
        columns=scene.keys,
        palette=scene.palette,
        limit=1.0,
        weights=True,
        focus=(scene.focus.query, scene.focus.key),
        height=400,
        name=scene.words("playground.weight"),
        masked=scene.words("playground.masked_cell"),
    )
