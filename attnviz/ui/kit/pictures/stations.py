"""The pictures of each station: which arrays of the trace, with which labels, at which size."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attnviz.explain.stations import seen_weights
from attnviz.figures.labels import number_labels, subscript
from attnviz.figures.matrix import Mark, Matrix
from attnviz.ui.kit.pictures.edit_marks import edit_marks
from attnviz.ui.kit.pictures.pairs import masked_picture, scaled_picture, scores_picture, weights_picture
from attnviz.ui.kit.pictures.real_vectors import seeded_marks
from attnviz.ui.kit.pictures.scene import (
    FULL,
    WIDE,
    Picture,
    Scene,
    cell_height,
    head_pictures,
    matrix_picture,
)


def picture(stage: str, scene: Scene) -> Picture:
    """The picture of a station."""
    return PICTURES[stage](scene)


def _order(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """The factors and the result in the order in which they are drawn."""
    return names[::-1] if scene.columns else names


def _query_mark(scene: Scene, width: int, start: int = 0) -> tuple[Mark, ...]:
    row = scene.focus.query
    return (Mark((row, row), (start, start + width - 1), "query"),)


def _key_mark(scene: Scene, width: int) -> tuple[Mark, ...]:
    row = scene.focus.key
    return (Mark((row, row), (0, width - 1), "key"),)


def _x(scene: Scene) -> Picture:
    trace = scene.lesson.trace
    d_model = trace.x.shape[1]
    columns = number_labels(d_model, symbol="x")
    edited = scene.lesson.hand.cells
    marks = seeded_marks(scene.lesson, scene.lesson.tokens.tokens) + _query_mark(scene, d_model)
    marks += edit_marks(edited.get("x"))
    parts = [Matrix(trace.x, scene.queries, columns, "x", marks=marks)]
    if scene.lesson.cross:
        marks = seeded_marks(scene.lesson, scene.lesson.source.tokens) + _key_mark(scene, d_model)
        marks += edit_marks(edited.get("x_source"))
        parts.append(Matrix(trace.x_source, scene.keys, columns, "x′", marks=marks, row_ticks=True))
    limit = scene.limit(trace.x, trace.x_source)
    n = max(len(m.values) for m in parts)
    tall = d_model if scene.columns else n
    main = matrix_picture(scene, parts, limit, cell_height(tall, 330), WIDE, product=False)
    least = _least([d_model] * len(parts), scene.columns, n)
    names = ("x", "x_source") if scene.lesson.cross else ("x",)
    return Picture(main, None, limit, False, least=least, matrices=names)


def _qkv(scene: Scene) -> Picture:
    trace, h = scene.lesson.trace, scene.focus.head
    d_k, d_v = trace.query.shape[2], trace.value.shape[2]
    limit = scene.limit(trace.query, trace.key, trace.value)
    keys = scene.keys
    parts = [
        Matrix(
            trace.query[h],
            scene.queries,
            number_labels(d_k, symbol="q"),
            scene.words("playground.q"),
            "query",
            marks=_query_mark(scene, d_k),
        ),
        Matrix(
            trace.key[h],
            keys,
            number_labels(d_k, symbol="k"),
            scene.words("playground.k"),
            "key",
            marks=_key_mark(scene, d_k),
        ),
        Matrix(
            trace.value[h],
            keys,
            number_labels(d_v, symbol="v"),
            scene.words("playground.v"),
            "value",
            marks=_key_mark(scene, d_v),
        ),
    ]
    n = max(len(trace.query[h]), len(trace.key[h]))
    tall = max(d_k, d_v) if scene.columns else n
    main = matrix_picture(scene, parts, limit, cell_height(tall, 330), WIDE, product=False)
    joined = _side_by_side(trace.query, trace.key, trace.value)
    least = _least([d_k, d_k, d_v], scene.columns, n)
    names = ("query", "key", "value")
    return Picture(
        main, head_pictures(scene, joined, limit, False), limit, False, least=least, matrices=names
    )


def _side_by_side(*arrays: NDArray[np.floating]) -> NDArray[np.floating]:
    """The arrays (H, tokens, columns) with a blank column between; missing rows are blank."""
    heads, n = arrays[0].shape[0], max(a.shape[1] for a in arrays)
    parts: list[NDArray[np.floating]] = []
    for array in arrays:
        padded = np.full((heads, n, array.shape[2]), np.nan)
        padded[:, : array.shape[1]] = array
        parts += [padded, np.full((heads, n, 1), np.nan)]
    return np.concatenate(parts[:-1], axis=2)


def _least(widths: list[int], columns: bool, tokens: int) -> int:
    """The width below which a row of matrices scrolls, so that numbers stay legible on a phone."""
    across = tokens * len(widths) if columns else sum(widths)
    if across > 30:
        return 0
    cells = across + len(widths) - 1
    return min(80 + max(34 * cells, min(40 * cells, 500)), WIDE)  # 500: what a large screen has anyway


def _heads(scene: Scene) -> Picture:
    trace, h = scene.lesson.trace, scene.focus.head
    n, m = trace.weights.shape[1:]
    d_v = trace.value.shape[2]
    limit = scene.limit(trace.value, trace.head_outputs)
    coordinates = number_labels(d_v, symbol="v")
    matrices = [
        Matrix(
            seen_weights(scene.lesson.trace)[h],
            scene.queries,
            number_labels(m) if not scene.columns else scene.keys,
            "A",
            marks=_query_mark(scene, m),
            weights=True,
            masked=scene.words("playground.masked_cell"),
        ),
        Matrix(trace.value[h], scene.keys, coordinates, "V", "value", "×", marks=_key_mark(scene, d_v)),
        Matrix(
            trace.head_outputs[h],
            scene.queries,
            coordinates,
            scene.words("playground.head_output"),
            "value",
            "=",
            marks=_query_mark(scene, d_v),
        ),
    ]
    tall = max(m, d_v) if scene.columns else max(n, m)
    main = matrix_picture(scene, matrices, limit, cell_height(tall, 330), WIDE)
    least = _least([m, d_v, d_v], False, 0)
    names = _order(scene, ("weights", "value", "head_outputs"))
    small = head_pictures(scene, trace.head_outputs, limit, False)
    return Picture(main, small, limit, False, least=least, matrices=names)


def _concat_matrix(scene: Scene) -> Matrix:
    trace = scene.lesson.trace
    heads, _, d_v = trace.head_outputs.shape
    names = tuple(scene.head_names()) if heads <= 8 else tuple(str(h + 1) for h in range(heads))
    mark = _query_mark(scene, heads * d_v)
    return Matrix(
        trace.concat,
        scene.queries,
        number_labels(heads * d_v, symbol="c"),
        scene.words("playground.stages.concat"),
        "value",
        marks=mark,
        column_blocks=(d_v,) * heads,
        block_names=names,
    )


def _concat(scene: Scene) -> Picture:
    trace = scene.lesson.trace
    limit = scene.limit(trace.concat)
    n, width = trace.concat.shape
    tall = width if scene.columns else n
    main = matrix_picture(scene, [_concat_matrix(scene)], limit, cell_height(tall, 330, 44), WIDE)
    least = _least([width], scene.columns, n)
    small = head_pictures(scene, trace.head_outputs, limit, False)
    return Picture(main, small, limit, False, least=least, matrices=("concat",))


def _output(scene: Scene) -> Picture:
    trace = scene.lesson.trace
    heads, n, d_v = trace.head_outputs.shape
    d_model = trace.output.shape[1]
    w_o = trace.layer.w_o.reshape(heads * d_v, d_model)
    limit = scene.limit(trace.concat, w_o, trace.output)
    coordinates = number_labels(d_model, symbol="y")
    edited = scene.lesson.hand.cells.get("w_o")
    matrices = [
        _concat_matrix(scene),
        Matrix(
            w_o,
            number_labels(heads * d_v, symbol="c"),
            coordinates,
            "Wᴼ",
            sign="×",
            marks=edit_marks(None if edited is None else edited.reshape(w_o.shape)),
            row_blocks=(d_v,) * heads,
            block_names=tuple(f"W{subscript(h + 1)}ᴼ" for h in range(heads)),
        ),
        Matrix(
            trace.output,
            scene.queries,
            coordinates,
            scene.words("playground.stages.output"),
            "output",
            _output_sign(scene),
            marks=_query_mark(scene, d_model),
        ),
    ]
    tall = max(n, heads * d_v, d_model) if scene.columns else max(n, heads * d_v)
    main = matrix_picture(scene, matrices, limit, cell_height(tall, 280, 36), FULL)
    across = 3 * max(n, 1) if scene.columns else heads * d_v + 2 * d_model
    least = min(80 + 34 * across + 120, FULL) if across <= 32 else min(80 + 12 * across, FULL)
    most = scene.limit(trace.contributions)
    added = head_pictures(scene, trace.contributions, most, False)
    names = _order(scene, ("concat", "w_o", "output"))
    return Picture(main, added, most, False, least=least, full=True, matrices=names)


def _output_sign(scene: Scene) -> str:
    sign = "=" if scene.lesson.trace.layer.b_o is None else "+ b ="
    return "+ x " + sign if scene.lesson.settings.residual else sign


PICTURES: dict[str, Callable[[Scene], Picture]] = {
    "x": _x,
    "qkv": _qkv,
    "scores": scores_picture,
    "scaled": scaled_picture,
    "masked": masked_picture,
    "weights": weights_picture,
    "heads": _heads,
    "concat": _concat,
    "output": _output,
}
