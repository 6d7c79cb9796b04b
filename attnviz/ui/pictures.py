"""The pictures of each station: which arrays of the trace, with which labels, at which size."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.base import scale_of
from attnviz.figures.labels import Labels, number, number_labels, subscript, token_labels
from attnviz.figures.maps import MOST_NUMBERS, Statistic, attention_map
from attnviz.figures.matrices import Mark, Matrix, matrix_row
from attnviz.figures.multiples import head_maps
from attnviz.figures.palette import Palette
from attnviz.lesson import Lesson
from attnviz.ui.edit_marks import edit_marks
from attnviz.ui.real_vectors import seeded_marks
from attnviz.words import Words

MOST_CLICKABLE = 4096  # cells; each is a mark of its own in the browser
WIDE, FULL = 620, 1040  # pixels that the left column and the whole page give a picture at 1440


@dataclass(frozen=True)
class Focus:
    """The head, query and key that all panels mark, all counted from 0."""

    head: int
    query: int
    key: int


@dataclass(frozen=True)
class Picture:
    """What a station shows: the large figure, all heads beside (or under) it, the scale, the table.

    `full` says that the large figure takes the whole width; `least` is the width in pixels
    below which it scrolls. `limit` and `weights` describe the colour key of the heads. `matrices` names
    the matrices of the large figure in the order of its subplots, for clicks.
    """

    main: go.Figure
    heads: go.Figure | None
    limit: float
    weights: bool
    least: int = 0
    full: bool = False
    matrices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """A lesson seen in one language, theme and notation, with one focus."""

    lesson: Lesson
    focus: Focus
    words: Words
    palette: Palette

    @property
    def columns(self) -> bool:
        """Whether tokens are columns."""
        return self.lesson.settings.notation == "columns"

    @property
    def queries(self) -> Labels:
        """The tokens that look."""
        return token_labels(self.lesson.tokens.tokens, "query", self.words("playground.looks"))

    @property
    def keys(self) -> Labels:
        """The tokens that are looked at."""
        return token_labels(self.lesson.source.tokens, "key", self.words("playground.looked_at"))

    def head_names(self) -> list[str]:
        """The titles of all heads."""
        return [self.words("common.head_n", n=h + 1) for h in range(self.lesson.settings.num_heads)]

    def limit(self, *arrays: NDArray[np.floating]) -> float:
        """The bound of the scale shared by these arrays."""
        return scale_of(arrays)


def picture(stage: str, scene: Scene) -> Picture:
    """The picture of a station."""
    return PICTURES[stage](scene)


def cell_height(rows: int, budget: int, most: int = 64) -> int:
    """Pixels for a cell so that `rows` of them fill about `budget`, never below 5."""
    return max(5, min(most, budget // max(rows, 1)))


def matrix_picture(
    scene: Scene, matrices: list[Matrix], limit: float, cell: int, pixels: int, *, product: bool = True
) -> go.Figure:
    """Matrices side by side, turned where tokens are columns, and there a product in the other order."""
    matrices = [replace(m, clickable=m.values.size <= MOST_CLICKABLE) for m in matrices]
    if scene.columns and not product:
        matrices = [m.transposed() for m in matrices]
    elif scene.columns:
        turned = [m.transposed() for m in reversed(matrices)]
        signs = [m.sign for m in matrices]
        matrices = [replace(m, sign=sign) for m, sign in zip(turned, ["", *reversed(signs[1:])], strict=True)]
    return matrix_row(
        matrices,
        palette=scene.palette,
        limit=limit,
        cell=cell,
        pixels=pixels,
        focus={"query": scene.focus.query, "key": scene.focus.key},
    )


def _order(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """The factors and the result in the order in which they are drawn."""
    return names[::-1] if scene.columns else names


def _multiples(scene: Scene, matrices: NDArray[np.floating], limit: float, weights: bool) -> go.Figure:
    if scene.columns:
        matrices = np.swapaxes(matrices, 1, 2)
    return head_maps(
        matrices,
        titles=scene.head_names(),
        palette=scene.palette,
        limit=limit,
        weights=weights,
        head=scene.focus.head,
        line=scene.focus.query,
        along_rows=not scene.columns,
    )


def mean_picture(scene: Scene) -> go.Figure:
    """The mean of the heads' weights as one map: what libraries return, not what the layer passes on."""
    mean = scene.lesson.trace.weights.mean(axis=0)
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
    )


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
    return Picture(main, _multiples(scene, joined, limit, False), limit, False, least=least, matrices=names)


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
    return min(80 + 34 * (across + len(widths) - 1), WIDE) if across <= 30 else 0


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
    share = 0.64 if weights and not scene.columns else 1.0
    least = int(74 + 34 * many / share) if many <= MOST_NUMBERS else min(84 + 12 * many, 620)
    small = _multiples(scene, matrices, limit, weights)
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
        Statistic(scene.words("playground.looks_at"), tuple(number(v, 1) for v in spread(weights))),
    )


def spread(weights: NDArray[np.floating]) -> list[float]:
    """exp(entropy) of each row of weights, "looks at about so many tokens"; 0 for a row of zeros.

    Rows that do not sum to 1 (sigmoid) are taken as shares of their sum.
    """
    total = weights.sum(axis=-1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy = -(shares * logs).sum(axis=-1)
    return np.where(total[..., 0] > 0, np.exp(entropy), 0.0).tolist()


def _scores(scene: Scene) -> Picture:
    return _map(scene, scene.lesson.trace.scores, "scores", scene.words("playground.score"))


def _scaled(scene: Scene) -> Picture:
    return _map(scene, scene.lesson.trace.scaled, "scaled", scene.words("playground.stages.scaled"))


def _masked(scene: Scene) -> Picture:
    return _map(scene, masked(scene.lesson), "masked", scene.words("playground.stages.masked"))


def masked(lesson: Lesson) -> NDArray[np.floating]:
    """The scaled scores (H, n, m) with NaN where the mask keeps nothing: a masked cell has no number."""
    trace = lesson.trace
    return trace.scaled if trace.keep is None else np.where(trace.keep, trace.scaled, np.nan)


def _weights(scene: Scene) -> Picture:
    trace = scene.lesson.trace
    shown = trace.weights if trace.keep is None else np.where(trace.keep, trace.weights, np.nan)
    return _map(scene, shown, "weights", scene.words("playground.weight"), weights=True)


def _heads(scene: Scene) -> Picture:
    trace, h = scene.lesson.trace, scene.focus.head
    n, m = trace.weights.shape[1:]
    d_v = trace.value.shape[2]
    limit = scene.limit(trace.value, trace.head_outputs)
    coordinates = number_labels(d_v, symbol="v")
    matrices = [
        Matrix(
            trace.weights[h],
            scene.queries,
            number_labels(m) if not scene.columns else scene.keys,
            "A",
            marks=_query_mark(scene, m),
            weights=True,
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
    small = _multiples(scene, trace.head_outputs, limit, False)
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
    small = _multiples(scene, trace.head_outputs, limit, False)
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
    added = _multiples(scene, trace.contributions, most, False)
    names = _order(scene, ("concat", "w_o", "output"))
    return Picture(main, added, most, False, least=least, full=True, matrices=names)


def _output_sign(scene: Scene) -> str:
    sign = "=" if scene.lesson.trace.layer.b_o is None else "+ b ="
    return "+ x " + sign if scene.lesson.settings.residual else sign


PICTURES: dict[str, Callable[[Scene], Picture]] = {
    "x": _x,
    "qkv": _qkv,
    "scores": _scores,
    "scaled": _scaled,
    "masked": _masked,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "output": _output,
}
