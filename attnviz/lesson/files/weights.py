"""Weight matrices from a file become a lesson: its sizes are those of the arrays."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attnviz.core.parameters import PARAMETER_AXES
from attnviz.lesson.edits import MOST_CELLS, Edit, Edits
from attnviz.lesson.files.errors import LessonFileError, shortened
from attnviz.lesson.kinds import Notice, Whole
from attnviz.lesson.settings import KINDS, LIMIT_PRODUCT, Settings, change

Arrays = Mapping[str, NDArray[np.float64]]
MATRICES = tuple(name for name in PARAMETER_AXES if name.startswith("w_"))
SIZES = ("num_heads", "d_model", "d_k", "d_v")


def from_weights(
    arrays: Arrays, others: tuple[str, ...], settings: Settings
) -> tuple[Settings, Edits, tuple[Notice, ...]]:
    """`settings` in the sizes of the arrays, the arrays as edits, and what to say about it.

    Biases are on where one is given; a bias that is not given is then 0. `others` are names in the file that
    mean nothing here. Raises LessonFileError where a matrix is missing or shapes do not fit together.
    """
    sizes = _sizes(arrays)
    biases = [name for name in PARAMETER_AXES if name.startswith("b_")]
    with_bias = not arrays.keys().isdisjoint(biases)
    filled = dict(arrays)
    if with_bias:
        filled = {name: np.zeros([sizes[axis] for axis in PARAMETER_AXES[name]]) for name in biases} | filled
    count = sum(array.size for array in filled.values())
    if count > MOST_CELLS:
        raise LessonFileError("", "cells", f"{count:,}", most=f"{MOST_CELLS:,}")
    edits = Edits(tuple(Edit.whole(name, array) for name, array in filled.items()))
    # No preset may tie the sizes together; its own weights are all replaced.
    settings, notices = change(settings, edits="", preset="random", bias=with_bias, **sizes)
    told = ", ".join(f"{SHORT.get(name, name)} = {size}" for name, size in sizes.items())
    opened = Notice("edits", "opened", ", ".join(arrays), told)
    ignored = (Notice("edits", "ignored", shortened(", ".join(others)), ""),) if others else ()
    return settings, edits, (opened, *ignored, *notices)


def _sizes(arrays: Arrays) -> dict[str, int]:
    """The sizes that the matrices agree on, within the limits of the settings."""
    sizes: dict[str, int] = {}
    for name in (*MATRICES, *(name for name in arrays if name not in MATRICES)):
        axes = PARAMETER_AXES[name]
        words = f"({', '.join(SHORT.get(axis, axis) for axis in axes)})"
        if name not in arrays:
            raise LessonFileError(name, "array", axes=words)
        shape = arrays[name].shape
        if len(shape) != len(axes):
            raise LessonFileError(name, "axes", str(shape), axes=words)
        expected = tuple(sizes.get(axis, size) for axis, size in zip(axes, shape, strict=True))
        if shape != expected:
            raise LessonFileError(name, "shape", str(shape), axes=words, shape=expected)
        sizes |= zip(axes, shape, strict=True)
    _check_limits(sizes)
    return {name: sizes[name] for name in SIZES}


def _check_limits(sizes: Mapping[str, int]) -> None:
    for axis, size in sizes.items():
        kind = KINDS[axis]
        assert isinstance(kind, Whole)
        if not kind.low <= size <= kind.high:
            raise LessonFileError(SHORT.get(axis, axis), "side", str(size), low=kind.low, high=kind.high)
    product = sizes["num_heads"] * sizes["d_model"] * max(sizes["d_k"], sizes["d_v"])
    if product > LIMIT_PRODUCT:
        raise LessonFileError("H × d_model × d_k, d_v", "product", f"{product:,}", most=f"{LIMIT_PRODUCT:,}")


SHORT = {"num_heads": "H"}
