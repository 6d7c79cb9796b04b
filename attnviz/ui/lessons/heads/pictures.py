"""The pictures of the page about heads: which arrays of the trace, with which labels."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.explain.stations import seen_weights
from attnviz.figures.base import Figure
from attnviz.figures.grid import lines_of
from attnviz.figures.heads.channels import picture_channels
from attnviz.figures.heads.length_bars import length_bars
from attnviz.figures.heads.subspaces import Panel, subspace_panels
from attnviz.figures.labels import number_labels, subscript
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.figures.multiples import Small, head_maps, small_maps
from attnviz.lab.heads.heads import head_counts, without_heads
from attnviz.lab.images.images import IMAGES, SIDE, Image
from attnviz.lab.words.plane import Plane, principal_plane
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import WIDE_VALUES, Settings
from attnviz.ui.kit.pictures.png import data_uri
from attnviz.ui.kit.pictures.scene import FULL, Scene, cell_height
from attnviz.ui.lessons.heads.knobs import HeadsKnobs

MOST_ADDENDS = 4  # heads whose contributions stand in one row, with the signs of the sum


def image_of(settings: Settings) -> tuple[Image, tuple[int, int]]:
    """The chosen picture and the (row, column) of the chosen pixel."""
    knobs = settings.of(HeadsKnobs)
    return IMAGES[knobs.channel_image](), divmod(knobs.pixel, SIDE)


def channels(scene: Scene) -> Figure:
    """The picture and its three channels."""
    image, pixel = image_of(scene.lesson.settings)
    titles = [scene.words(f"heads.channels.{name}") for name in ("picture", "red", "green", "blue")]
    return picture_channels(image, source=data_uri(image), pixel=pixel, titles=titles, palette=scene.palette)


def views(scene: Scene) -> Figure:
    """Every head's outputs, small, the query in focus outlined."""
    outputs = scene.lesson.trace.head_outputs
    return head_maps(
        np.swapaxes(outputs, 1, 2) if scene.columns else outputs,
        titles=scene.head_names(),
        palette=scene.palette,
        limit=scene.limit(outputs),
        weights=False,
        head=scene.focus.head,
        line=scene.focus.query,
        along_rows=not scene.columns,
    )


def plane_of(scene: Scene, h: int) -> Plane:
    """The plane in which a head's queries and keys together differ most."""
    trace = scene.lesson.trace
    return principal_plane(np.concatenate([trace.query[h], trace.key[h]]))


def planes(scene: Scene) -> go.Figure:
    """Queries and keys of each head in its plane."""
    trace = scene.lesson.trace
    panels = []
    for h, name in enumerate(scene.head_names()):
        seen = plane_of(scene, h)
        query, key = seen.project(trace.query[h]), seen.project(trace.key[h])  # (n, 2), (m, 2)
        share = scene.words("heads.planes.share", share=f"{seen.share:.0%}")
        zero = seen.project(np.zeros(trace.query.shape[2]))
        panels.append(Panel(query, key, zero, trace.weights[h], name, share))
    return subspace_panels(
        panels,
        queries=scene.queries,
        keys=scene.keys,
        focus=scene.focus.query,
        head=scene.focus.head,
        palette=scene.palette,
    )


def block_sum(scene: Scene) -> tuple[Figure, int]:
    """What each head adds, as a sum where there are few heads, else small; and the least width in pixels."""
    trace = scene.lesson.trace
    heads, n, d_model = trace.contributions.shape
    if heads > MOST_ADDENDS:
        shown = np.swapaxes(trace.contributions, 1, 2) if scene.columns else trace.contributions
        figure = head_maps(
            shown,
            titles=scene.head_names(),
            palette=scene.palette,
            limit=scene.limit(trace.contributions),
            weights=False,
            head=scene.focus.head,
            line=scene.focus.query,
            along_rows=not scene.columns,
        )
        return figure, 0
    signs = ["", *["+"] * (heads - 1), _sum_sign(scene)]
    numbers = [subscript(h + 1) for h in range(heads)]
    names = [f"W{h}ᴼO{h}" if scene.columns else f"O{h}W{h}ᴼ" for h in numbers]
    matrices = [_tokens(scene, trace.contributions[h], names[h], sign=signs[h]) for h in range(heads)]
    matrices.append(
        _tokens(scene, trace.output, scene.words("playground.stages.output"), "output", sign=signs[-1])
    )
    return _plain_row(scene, matrices, (n, d_model))


def _sum_sign(scene: Scene) -> str:
    sign = "=" if scene.lesson.trace.layer.b_o is None else "+ b ="
    return "+ x " + sign if scene.lesson.settings.residual else sign


def muting(scene: Scene, muted: Sequence[int]) -> tuple[Figure, int]:
    """The output - the output without the muted heads = the change; and the least width in pixels."""
    trace = scene.lesson.trace
    left = without_heads(trace, muted)
    matrices = [
        _tokens(scene, trace.output, scene.words("heads.mute.all"), "output"),
        _tokens(scene, left, scene.words("heads.mute.left"), "output", sign="−"),
        _tokens(scene, trace.output - left, scene.words("heads.mute.change"), sign="="),
    ]
    n, d_model = trace.output.shape
    return _plain_row(scene, matrices, (n, d_model))


def shares(scene: Scene, muted: Sequence[int]) -> go.Figure:
    """How far the outputs move, on average over the tokens, if one head is muted alone."""
    lengths = np.linalg.norm(scene.lesson.trace.contributions, axis=2).mean(axis=1)  # (H,)
    hollow = [h in muted for h in range(len(lengths))]
    return length_bars(lengths.tolist(), scene.head_names(), hollow=hollow, palette=scene.palette)


def _tokens(scene: Scene, values: NDArray[np.floating], title: str, role: str = "", sign: str = "") -> Matrix:
    row, width = scene.focus.query, values.shape[1]
    marks = (Mark((row, row), (0, width - 1), "query"),)
    columns = number_labels(width, symbol="y")
    return Matrix(values, scene.queries, columns, title, role, sign, marks)


def _plain_row(scene: Scene, matrices: list[Matrix], shape: tuple[int, int]) -> tuple[Figure, int]:
    """The matrices in the order of a sum, which column notation does not turn round."""
    n, d_model = shape[::-1] if scene.columns else shape
    if scene.columns:
        matrices = [matrix.transposed() for matrix in matrices]
    figure = matrix_row(
        matrices,
        palette=scene.palette,
        limit=scene.limit(*(matrix.values for matrix in matrices)),
        cell=cell_height(n, 280, 36),
        pixels=FULL,
        focus={"query": scene.focus.query},
    )
    across = len(matrices) * (d_model + 2)
    return figure, min(90 + (34 if across <= 40 else 12) * across, FULL)


def nearest_count(settings: Settings) -> int:
    """The number of heads that divides d_model and is nearest to the one that is set; above 1 where it can be."""
    counts = head_counts(settings.d_model)
    several = [count for count in counts if count > 1] or [1]
    return min(several, key=lambda count: (abs(count - settings.num_heads), count))


def split(settings: Settings, heads: int) -> Settings:
    """The settings with so many heads of d_model / H numbers each, weights at random."""
    size = settings.d_model // heads
    preset = "random" if settings.preset in WIDE_VALUES else settings.preset
    return replace(settings, num_heads=heads, d_k=size, d_v=size, preset=preset, head=1)


def one_or_several(scene: Scene, lessons: Sequence[Lesson]) -> Figure:
    """The weights of all heads of each lesson, one lesson after the other, on one scale."""
    maps = [
        Small(
            weights.T if scene.columns else weights,
            title,
            1.0,
            weights=True,
            row=None if scene.columns else scene.focus.query,
            column=scene.focus.query if scene.columns else None,
        )
        for lesson in lessons
        for weights, title in zip(seen_weights(lesson.trace), _titles(scene, lesson), strict=True)
    ]
    lines = lines_of(len(maps))
    return small_maps(maps, palette=scene.palette, height=min(190 * lines, 640))


def _titles(scene: Scene, lesson: Lesson) -> list[str]:
    heads = lesson.settings.num_heads
    return [scene.words("heads.one.map", n=h + 1, all=heads) for h in range(heads)]
