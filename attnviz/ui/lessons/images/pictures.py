"""The pictures of the page about images: what of a picture's lesson is drawn, with which words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, scale_of
from attnviz.figures.images.patches import Overlay, Picture, overlays, patch_picture, pixel_numbers
from attnviz.figures.labels import Labels, number_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Matrix
from attnviz.figures.palette import PALETTES, Palette
from attnviz.lab.images.image_lesson import ImageLesson
from attnviz.lab.images.images import Image
from attnviz.ui.kit.pictures.png import data_uri
from attnviz.ui.kit.pictures.scene import FULL
from attnviz.ui.lessons.images.uploads import faint
from attnviz.words import Words

TALL = 400  # pixels of the large picture at most
MOST_WIDTH = 600
MOST_SHOWN = 64  # numbers of a token


@dataclass(frozen=True)
class View:
    """A picture's lesson seen in one language and theme, with one patch and one head in focus."""

    lesson: ImageLesson
    patch: int
    head: int
    words: Words
    theme: str

    @property
    def palette(self) -> Palette:
        """The colours of the theme."""
        return PALETTES[self.theme]

    @property
    def dark(self) -> bool:
        """Whether the page is dark."""
        return self.theme == "dark"

    def patch_name(self, patch: int | None = None) -> str:
        """A patch by its number, the one in focus where none is given."""
        return self.words("images.patch_n", n=self.patch if patch is None else patch)

    def head_name(self, head: int) -> str:
        """A head by its number, counted from 0 here and from 1 on screen."""
        return self.words("common.head_n", n=head + 1)

    def hover(self, told: str = "") -> str:
        """The hover template of a patch, and what is told of it beside its place."""
        place = self.words("images.hover", row="%{y}", column="%{x}")
        return f"{place}<br>{told}<extra></extra>" if told else f"{place}<extra></extra>"


def _picture(view: View, image: Image) -> Picture:
    lesson = view.lesson
    return Picture(data_uri(image), lesson.rows, lesson.columns, lesson.patch_size)


def picture(view: View) -> Figure:
    """The whole picture with the lines between its patches."""
    height = min(TALL, MOST_WIDTH * view.lesson.rows // view.lesson.columns) + 4
    return patch_picture(
        _picture(view, view.lesson.image),
        chosen=view.patch,
        palette=view.palette,
        height=max(height, 60),
        hover=view.hover(),
    )


def zoom(view: View) -> Figure:
    """The chosen patch enlarged, and its numbers in their own colours, three a pixel."""
    p = view.lesson.patch_size
    pixels = np.rint(view.lesson.patches[view.patch] * 255).astype(np.uint8).reshape(p, p, 3)
    return pixel_numbers(
        [(data_uri(pixels), p, p), (data_uri(apart(pixels)), p, 3 * p)], palette=view.palette, height=136
    )


def apart(pixels: Image) -> Image:
    """Each pixel as three, one a channel in its own colour: (p, p, 3) -> (p, 3 p, 3)."""
    p, across = pixels.shape[:2]
    split = pixels[:, :, :, None] * np.eye(3, dtype=np.uint8)  # (p, p, 3, 3)
    return np.asarray(split.reshape(p, 3 * across, 3), np.uint8)


def token_row(view: View) -> tuple[Figure, int]:
    """The token of the chosen patch, and the width below which it scrolls."""
    x = view.lesson.trace.x
    shown = x[view.patch : view.patch + 1, :MOST_SHOWN]  # (1, d_model)
    names = Labels((view.patch_name(),), (view.patch_name(),), "query")
    matrix = Matrix(shown, names, number_labels(shown.shape[1], symbol="x"), "x")
    wide, cell = shown.shape[1], 34
    if view.lesson.settings.notation == "columns":
        matrix, wide, cell = matrix.transposed(), 1, max(6, min(24, 300 // shown.shape[1]))
    figure = matrix_row([matrix], palette=view.palette, limit=scale_of([x]), cell=cell, pixels=FULL // 2)
    return figure, min(120 + 34 * wide, FULL // 2) if wide <= 12 else 0


def _maps(view: View, maps: list[Overlay], number: str) -> Figure:
    lesson = view.lesson
    width = 250 if len(maps) > 3 else 340
    height = max(60, min(300, width * lesson.rows // lesson.columns)) + 26
    return overlays(
        _picture(view, faint(lesson.image, dark=view.dark)),
        maps,
        chosen=view.patch,
        palette=view.palette,
        height=height,
        hover=view.hover(f"{number} %{{z:.4f}}"),
        hidden=view.hover(view.words("playground.masked_cell")),
    )


def least(view: View, more: int = 0) -> int:
    """The width in pixels below which the maps of all heads, and `more`, scroll."""
    return 200 * min(max(len(view.lesson.trace.weights) + more, 3), 4)


def looks(view: View) -> tuple[Figure, float]:
    """The weights of the chosen patch over the picture, once a head; and the end of their scale."""
    trace = view.lesson.trace
    weights = trace.weights[:, view.patch]  # (H, n)
    limit = float(weights.max()) or 1.0
    if trace.keep is not None:
        kept = np.broadcast_to(trace.keep, trace.weights.shape)[:, view.patch]
        weights = np.where(kept, weights, np.nan)
    maps = [Overlay(row, view.head_name(h), limit, h == view.head) for h, row in enumerate(weights)]
    return _maps(view, maps, view.words("images.weight")), limit


def moves(view: View, x: NDArray[np.floating], heads: NDArray[np.floating]) -> tuple[Figure, float]:
    """How far x (n,) and the heads' outputs (H, n) move, over the picture; and the end of the heads' scale."""
    limit = scale_of([heads])
    maps = [Overlay(x, view.words("images.channels.x"), scale_of([x]))]
    maps += [Overlay(row, view.head_name(h), limit, h == view.head) for h, row in enumerate(heads)]
    return _maps(view, maps, view.words("images.change")), limit
