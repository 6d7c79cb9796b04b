"""A lesson as it is looked at: language, theme, notation, focus; and matrices drawn in that view."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure, scale_of
from attnviz.figures.labels import Labels, token_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Matrix
from attnviz.figures.multiples import head_maps
from attnviz.figures.palette import Palette
from attnviz.lesson.lesson import Lesson
from attnviz.words import Words

WIDE, FULL = 620, 1040  # pixels that the left column and the whole page give a picture at 1440


@dataclass(frozen=True)
class Focus:
    """The head, query and key that all panels mark, all counted from 0."""

    head: int
    query: int
    key: int


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


def cell_height(rows: int, budget: int, most: int = 64) -> int:
    """Pixels for a cell so that `rows` of them fill about `budget`, never below 5."""
    return max(5, min(most, budget // max(rows, 1)))


def matrix_picture(
    scene: Scene, matrices: list[Matrix], limit: float, cell: int, pixels: int, *, product: bool = True
) -> Figure:
    """Matrices side by side, turned where tokens are columns, and there a product in the other order."""
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


def perplexity(weights: NDArray[np.floating]) -> list[float]:
    """exp(entropy) of each row of weights, "looks at about so many tokens"; 0 for a row of zeros.

    Rows that do not sum to 1 (sigmoid) are taken as shares of their sum.
    """
    total = weights.sum(axis=-1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy = -(shares * logs).sum(axis=-1)
    return [float(value) for value in np.where(total[..., 0] > 0, np.exp(entropy), 0.0)]


def seen_keys(scene: Scene) -> NDArray[np.bool_]:
    """Which keys (m,) the query in focus may look at."""
    trace, f = scene.lesson.trace, scene.focus
    keep = np.True_ if trace.keep is None else trace.keep
    seen: NDArray[np.bool_] = np.broadcast_to(keep, trace.scores.shape)[f.head, f.query]
    return seen


@dataclass(frozen=True)
class Picture:
    """What a station shows: the large figure, all heads beside (or under) it, the scale, the table.

    `full` says that the large figure takes the whole width; `least` is the width in pixels
    below which it scrolls. `limit` and `weights` describe the colour key of the heads. `matrices` names
    the matrices of the large figure in the order of its subplots, for clicks.
    """

    main: Figure
    heads: Figure | None
    limit: float
    weights: bool
    least: int = 0
    full: bool = False
    matrices: tuple[str, ...] = ()


def head_pictures(scene: Scene, matrices: NDArray[np.floating], limit: float, weights: bool) -> Figure:
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
