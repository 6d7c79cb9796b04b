"""A picture becomes a lesson: patches, tokens, and the trace of the same layer that reads sentences."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.embedding import POSITIONS
from attnviz.core.layer import AttentionTrace
from attnviz.lab.images.images import Image, cut, embed_patches, patch_grid, patch_layer
from attnviz.lesson.lesson import call_arguments, make_layer
from attnviz.lesson.settings import Settings

Numbers = NDArray[np.floating]

SEEDS = range(12)
NOTHING = 1e-12  # a spread of weights or of pixels below this is rounding
CHEAP = 1024  # H * d_model * max(d_k, d_v) up to which a layer is drawn again for other seeds


@dataclass(frozen=True, eq=False)
class ImageLesson:
    """A picture, its patches as tokens, and all that attention makes of them; n = rows * columns."""

    settings: Settings
    image: Image  # (h, w, 3)
    patch_size: int
    rows: int
    columns: int
    patches: Numbers  # (n, p * p * 3), from 0 to 1
    layer: Numbers  # (p * p * 3, d_model)
    trace: AttentionTrace

    @property
    def count(self) -> int:
        """The number of patches, n."""
        return self.rows * self.columns


def make_image_lesson(settings: Settings, image: Image, patch_size: int) -> ImageLesson:
    """The lesson of a picture whose sides are multiples of patch_size; masks and positions go row by row."""
    rows, columns = patch_grid(image.shape, patch_size)
    patches = cut(image, patch_size)  # (n, p * p * 3)
    layer = patch_layer(patch_size, settings.d_model, settings.seed)  # (p * p * 3, d_model)
    trace = _trace(settings, patches, layer)
    return ImageLesson(settings, image, patch_size, rows, columns, patches, layer, trace)


def _trace(settings: Settings, patches: Numbers, layer: Numbers) -> AttentionTrace:
    n = len(patches)
    x = embed_patches(patches, layer) + POSITIONS[settings.position](n, settings.d_model)  # (n, d_model)
    return make_layer(settings)(x, **call_arguments(settings, n, n))


def likeness(lesson: ImageLesson) -> Numbers:
    """How alike two patches are, (n, n): minus the distance of their pixels."""
    difference = lesson.patches[:, None] - lesson.patches[None]  # (n, n, p * p * 3)
    return np.asarray(-np.sqrt(np.mean(difference**2, axis=2)))


def follows_likeness(lesson: ImageLesson) -> list[float]:
    """For each head the correlation of its weights with the likeness of the patches, from -1 to 1.

    Both are taken from their mean over each query's keys, since a query that may look at few gives each of them
    more. A patch's weight on itself and what the mask hides are left out; 0 where nothing varies.
    """
    apart = ~np.eye(lesson.count, dtype=bool)
    if lesson.trace.keep is not None:
        apart = apart & np.broadcast_to(lesson.trace.keep, lesson.trace.weights.shape[1:])
    alike = _from_mean(likeness(lesson), apart)
    return [_correlation(_from_mean(weights, apart), alike) for weights in lesson.trace.weights]


def _from_mean(values: Numbers, where: NDArray[np.bool_]) -> Numbers:
    """The values (n, n) at `where`, each less the mean of its row there."""
    count = np.maximum(where.sum(axis=1, keepdims=True), 1)
    mean = np.sum(values, axis=1, keepdims=True, where=where) / count
    return np.asarray((values - mean)[where])


def follows_likeness_by_seed(lesson: ImageLesson) -> list[float]:
    """The mean over the heads of follows_likeness, for this seed and, where layers are small, for twelve others."""
    settings = lesson.settings
    seeds = [settings.seed]
    if settings.num_heads * settings.d_model * max(settings.d_k, settings.d_v) <= CHEAP:
        seeds += [seed for seed in SEEDS if seed != settings.seed]
    return [float(np.mean(follows_likeness(_with(lesson, replace(settings, seed=seed))))) for seed in seeds]


def with_equal_projections(lesson: ImageLesson) -> ImageLesson:
    """The same picture seen by heads whose W^Q and W^K are equal: weight follows what is alike."""
    return _with(lesson, replace(lesson.settings, preset="similarity"))


def _with(lesson: ImageLesson, settings: Settings) -> ImageLesson:
    return make_image_lesson(settings, lesson.image, lesson.patch_size)


def _correlation(a: Numbers, b: Numbers) -> float:
    if a.size < 2 or np.ptp(a) < NOTHING or np.ptp(b) < NOTHING:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def repainted(lesson: ImageLesson, patch: int) -> tuple[Numbers, Numbers]:
    """How far the tokens x (n,) and the head outputs (H, n) move if one patch turns into its negative."""
    patches = lesson.patches.copy()
    patches[patch] = 1.0 - patches[patch]
    after = _trace(lesson.settings, patches, lesson.layer)
    x = np.linalg.norm(after.x - lesson.trace.x, axis=1)
    return x, np.linalg.norm(after.head_outputs - lesson.trace.head_outputs, axis=2)


def reordered(lesson: ImageLesson) -> tuple[float, float]:
    """How far x moves if red and blue change places together with their rows of the patch layer, and how far the
    output moves if the first and the last head do so with their blocks of W^O: 0 but for rounding.
    """
    pixels = lesson.patches.reshape(lesson.count, -1, 3)[..., ::-1].reshape(lesson.patches.shape)
    rows = lesson.layer.reshape(-1, 3, lesson.layer.shape[1])[:, ::-1].reshape(lesson.layer.shape)
    x = embed_patches(pixels, rows) - embed_patches(lesson.patches, lesson.layer)
    trace = lesson.trace
    order = np.arange(len(trace.head_outputs))[::-1]
    ours = np.matmul(trace.head_outputs, trace.layer.w_o).sum(axis=0)
    turned = np.matmul(trace.head_outputs[order], trace.layer.w_o[order]).sum(axis=0)
    return float(np.abs(x).max()), float(np.abs(turned - ours).max())
