"""PyTorch's tensors as rows of matrices, with their numbers where there is room."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, scale_of
from attnviz.figures.grid import lines_of
from attnviz.figures.labels import Labels, number_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.figures.multiples import Small, small_maps
from attnviz.lab.notations.torch_walk import TorchWalk
from attnviz.ui.kit.pictures.scene import Scene, cell_height

HALF = 524  # pixels of the column beside the code at 1440
ROLES = ("query", "key", "value")
MOST_COLUMNS, MOST_ROWS, MOST_MAPS = 40, 40, 16


def tensor(step: str, way: TorchWalk, scene: Scene) -> tuple[Figure, int]:
    """The tensors of a step, and the width in pixels below which the picture scrolls."""
    matrices = TENSORS[step](way, scene)
    finite = [np.where(np.isfinite(m.values), m.values, np.nan) for m in matrices]
    matrices = [replace(m, values=v) for m, v in zip(matrices, finite, strict=True)]
    limit = scale_of(finite)
    wide, tall = sum(m.values.shape[1] for m in matrices), max(len(m.values) for m in matrices)
    if wide > MOST_COLUMNS or tall > MOST_ROWS or len(matrices) > 4:
        return small_row(matrices, limit, scene), 0
    least = 70 + (34 if wide <= 12 else 25) * (wide + len(matrices)) if wide <= 30 else 0
    figure = matrix_row(
        matrices,
        palette=scene.palette,
        limit=limit,
        cell=cell_height(tall, 460, 44),
        pixels=max(HALF, least),
        focus=roles_in_focus(scene),
    )
    return figure, least


def small_row(matrices: Sequence[Matrix], limit: float, scene: Scene) -> Figure:
    """The matrices as small maps without numbers, at most MOST_MAPS."""
    maps = [
        Small(
            m.values,
            m.title,
            1.0 if m.weights else limit,
            m.weights,
            role=m.role,
            row=next((mark.rows[0] for mark in m.marks), None),
            subtitle=f"{m.values.shape[0]} × {m.values.shape[1]}",
        )
        for m in matrices[:MOST_MAPS]
    ]
    lines = lines_of(len(maps))
    return small_maps(maps, palette=scene.palette, height=320 if lines == 1 else 170 * lines)


def seen_by(way: TorchWalk) -> NDArray[np.floating]:
    """The weights (1, H, n, m) with NaN where the mask hides the key."""
    return np.where(np.isneginf(way.masked), np.nan, way.weights)


def _heads(
    tensor: NDArray[np.floating], scene: Scene, columns: Labels, role: str = "", weights: bool = False
) -> list[Matrix]:
    """(1, H, n, columns) as one matrix a head."""
    names = [scene.words("common.head_n", n=h + 1) for h in range(tensor.shape[1])]
    marks, word = query_mark(scene, tensor.shape[3]), scene.words("playground.masked_cell")
    return [
        Matrix(values, scene.queries, columns, name, role, marks=marks, weights=weights, masked=word)
        for values, name in zip(tensor[0], names, strict=True)
    ]


def roles_in_focus(scene: Scene) -> dict[str, int]:
    """The focused token of each role, for matrix_row."""
    return {"query": scene.focus.query, "key": scene.focus.key}


def query_mark(scene: Scene, width: int) -> tuple[Mark, ...]:
    """The outline of the focused query, over so many columns."""
    row = scene.focus.query
    return (Mark((row, row), (0, width - 1), "query"),)


def _in_proj_weight(way: TorchWalk, scene: Scene) -> list[Matrix]:
    weight = way.parameters.in_proj_weight
    size = weight.shape[1]
    inputs = number_labels(size, symbol="x")
    names = ("W_q", "W_k", "W_v")
    if 3 * size > MOST_ROWS:
        return [
            Matrix(part, number_labels(size), inputs, name, role)
            for part, name, role in zip(np.split(weight, 3), names, ROLES, strict=True)
        ]
    rows = number_labels(3 * size)
    return [Matrix(weight, rows, inputs, "in_proj_weight", row_blocks=(size,) * 3, block_names=names)]


def _in_proj(way: TorchWalk, scene: Scene) -> list[Matrix]:
    size = way.x.shape[2]
    marks = query_mark(scene, size)
    if len(way.in_proj) == 1:
        columns = number_labels(3 * size)
        return [
            Matrix(
                way.in_proj[0][0], scene.queries, columns, "qkv", marks=query_mark(scene, 3 * size),
                column_blocks=(size,) * 3, block_names=("q", "k", "v"),
            )
        ]  # fmt: skip
    query, rest = way.in_proj
    return [
        Matrix(query[0], scene.queries, number_labels(size), "q", "query", marks=marks),
        Matrix(
            rest[0], scene.keys, number_labels(2 * size), "kv", column_blocks=(size,) * 2,
            block_names=("k", "v"), row_ticks=True,
        ),
    ]  # fmt: skip


def _chunk(way: TorchWalk, scene: Scene) -> list[Matrix]:
    size, heads = way.x.shape[2], way.parameters.num_heads
    return [
        Matrix(
            chunk[0],
            scene.queries if name == "q" else scene.keys,
            number_labels(size, symbol=name),
            name,
            role,
            marks=query_mark(scene, size) if name == "q" else (),
            column_blocks=(size // heads,) * heads,
            block_names=tuple(str(h + 1) for h in range(heads)),
        )
        for chunk, name, role in zip(way.chunks, "qkv", ROLES, strict=True)
    ]


def _permuted(way: TorchWalk, scene: Scene) -> list[Matrix]:
    """(1, n, H, head_dim) as it lies in memory: a block of H rows for each token."""
    n, heads, head_dim = way.permuted.shape[1:]
    at = scene.focus.query * heads
    return [
        Matrix(
            way.permuted[0].reshape(n * heads, head_dim),
            Labels(*_token_heads(scene, heads)),
            number_labels(head_dim),
            "heads",
            "value",
            row_blocks=(heads,) * n,
            block_names=scene.queries.texts,
            marks=(Mark((at, at + heads - 1), (0, head_dim - 1), "query"),),
        )
    ]


def _token_heads(scene: Scene, heads: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rows of _permuted, short and whole: each token with each head."""
    names = [scene.words("common.head_n", n=h + 1) for h in range(heads)]
    texts, wholes = scene.queries.texts, scene.queries.wholes
    return (
        tuple(f"{text}, {name}" for text in texts for name in names),
        tuple(f"{whole}, {name}" for whole in wholes for name in names),
    )


def _concat(way: TorchWalk, scene: Scene) -> list[Matrix]:
    heads, head_dim, size = way.parameters.num_heads, way.parameters.head_dim, way.x.shape[2]
    names = tuple(scene.words("common.head_n", n=h + 1) for h in range(heads))
    return [
        Matrix(
            way.concat[0], scene.queries, number_labels(size), "concat", "value", marks=query_mark(scene, size),
            column_blocks=(head_dim,) * heads, block_names=names,
        )
    ]  # fmt: skip


def _out_proj_weight(way: TorchWalk, scene: Scene) -> list[Matrix]:
    size = way.x.shape[2]
    return [
        Matrix(way.parameters.out_proj_weight, number_labels(size), number_labels(size), "out_proj.weight")
    ]


def _output(way: TorchWalk, scene: Scene) -> list[Matrix]:
    size = way.x.shape[2]
    columns, marks = number_labels(size, symbol="y"), query_mark(scene, size)
    return [Matrix(way.output[0], scene.queries, columns, "output", "output", marks=marks)]


def _equal(way: TorchWalk, scene: Scene) -> list[Matrix]:
    trace = scene.lesson.trace
    ours = trace.output - trace.x if trace.residual else trace.output
    size = ours.shape[1]
    columns, marks = number_labels(size, symbol="y"), query_mark(scene, size)
    name = scene.words("conventions.torch.ours")
    return [
        Matrix(way.output[0], scene.queries, columns, "PyTorch", "output", marks=marks),
        Matrix(ours, scene.queries, columns, name, "output", marks=marks),
    ]


TENSORS: dict[str, Callable[[TorchWalk, Scene], list[Matrix]]] = {
    "in_proj_weight": _in_proj_weight,
    "in_proj": _in_proj,
    "chunk": _chunk,
    "view": lambda w, s: _heads(w.query, s, number_labels(w.parameters.head_dim, symbol="q"), "query"),
    "scores": lambda w, s: _heads(w.scores, s, s.keys),
    "scaled": lambda w, s: _heads(w.scaled, s, s.keys),
    "masked": lambda w, s: _heads(w.masked, s, s.keys),
    "weights": lambda w, s: _heads(seen_by(w), s, s.keys, weights=True),
    "head_outputs": lambda w, s: _heads(w.head_outputs, s, number_labels(w.parameters.head_dim), "value"),
    "permute": _permuted,
    "concat": _concat,
    "out_proj_weight": _out_proj_weight,
    "out_proj": _output,
    "equal": _equal,
}
