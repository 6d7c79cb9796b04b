"""Weight matrices from a file become a lesson: its sizes are those of the arrays."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from attnviz.core.exchange.errors import shortened
from attnviz.core.exchange.files import open_archive
from attnviz.core.exchange.layouts import Layer
from attnviz.core.exchange.names import layers, unknown
from attnviz.core.exchange.own import AXES
from attnviz.lesson.edits import LARGEST, MOST_CELLS, Edit, Edits
from attnviz.lesson.files.errors import LessonFileError
from attnviz.lesson.kinds import Notice, Whole
from attnviz.lesson.settings import LIMIT_PRODUCT, Settings, change, find_setting

MOST_BYTES = 8 * MOST_CELLS + 65_536  # the headers with it
MOST_MEMBERS = 1000

Arrays = Mapping[str, NDArray[np.float64]]


def read_weights(data: bytes, settings: Settings) -> tuple[Settings, Edits, tuple[Notice, ...]]:
    """`settings` in the sizes of the first layer in the file, its arrays as edits, and what to say about it.

    Names are ours or another library's. Where the shapes do not say how many heads there are, as many as the
    settings have. Raises ExchangeError where a matrix is missing or shapes do not fit together.
    """
    archive = open_archive(io.BytesIO(data), MOST_MEMBERS)
    found = layers(archive.arrays)
    if not found:
        raise unknown(archive.arrays)
    layer = found[0]
    given = archive.read(tuple(layer.names.values()), MOST_BYTES)
    parameters = layer.parameters(given, settings.num_heads)
    arrays = {name: array.astype(np.float64) for name, array in parameters.items()}
    used = {archive.arrays[name] for name in layer.names.values()}
    ignored = [name for name in archive.members if name not in used]
    settings, edits, told, notices = _lesson(arrays, settings)
    opened = Notice("edits", "opened", ", ".join(layer.names.values()), told)
    return settings, edits, (opened, *_remarks(found, ignored, settings), *notices)


def _remarks(found: Sequence[Layer], ignored: Sequence[str], settings: Settings) -> list[Notice]:
    """What was taken for granted, and what was left aside."""
    remarks = []
    if found[0].layout.splits:
        remarks.append(Notice("edits", "heads_taken", "", str(settings.num_heads)))
    if len(found) > 1:
        remarks.append(Notice("edits", "first_layer", str(len(found)), shortened(found[0].title)))
    if ignored:
        remarks.append(Notice("edits", "ignored", shortened(", ".join(ignored)), ""))
    return remarks


def _lesson(arrays: Arrays, settings: Settings) -> tuple[Settings, Edits, str, tuple[Notice, ...]]:
    """The settings and edits, the sizes in words, and notices.

    Biases are on where one is given; a bias that is not given is then 0.
    """
    sizes = _sizes(arrays)
    biases = [name for name in AXES if name.startswith("b_")]
    with_bias = not arrays.keys().isdisjoint(biases)
    filled = dict(arrays)
    if with_bias:
        filled = {name: np.zeros([sizes[axis] for axis in AXES[name]]) for name in biases} | filled
    count = sum(array.size for array in filled.values())
    if count > MOST_CELLS:
        raise LessonFileError("", "cells", f"{count:,}", most=f"{MOST_CELLS:,}")
    for name, array in filled.items():
        _require_numbers(name, array)
    edits = Edits(tuple(Edit.whole(name, array) for name, array in filled.items()))
    told = ", ".join(f"{axis} = {size}" for axis, size in sizes.items())
    # No preset may tie the sizes together; its own weights are all replaced.
    by_name = {LONG.get(axis, axis): size for axis, size in sizes.items()}
    settings, notices = change(settings, edits="", preset="random", bias=with_bias, **by_name)
    return settings, edits, told, notices


def _require_numbers(name: str, array: NDArray[np.float64]) -> None:
    """Raise LessonFileError, naming the first place, where a number is too large for a lesson."""
    good = np.abs(array) <= LARGEST
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        raise LessonFileError(f"{name}{list(place)}", "number", str(array[place]), most=f"{LARGEST:,.0f}")


def _sizes(arrays: Arrays) -> dict[str, int]:
    """The sizes H, d_model, d_k, d_v that the matrices agree on, within the limits of the settings."""
    sizes: dict[str, int] = {}
    for name in (name for name in AXES if name in arrays):
        axes, shape = AXES[name], arrays[name].shape
        words = f"({', '.join(axes)})"
        if len(shape) != len(axes):
            raise LessonFileError(name, "axes", str(shape), axes=words)
        expected = tuple(sizes.get(axis, size) for axis, size in zip(axes, shape, strict=True))
        if shape != expected:
            raise LessonFileError(name, "shape", str(shape), axes=words, shape=expected)
        sizes |= zip(axes, shape, strict=True)
    _check_limits(sizes)
    return {axis: sizes[axis] for axis in ("H", "d_model", "d_k", "d_v")}


def _check_limits(sizes: Mapping[str, int]) -> None:
    for axis, size in sizes.items():
        kind = find_setting(LONG.get(axis, axis)).kind
        assert isinstance(kind, Whole)
        if not kind.low <= size <= kind.high:
            raise LessonFileError(axis, "side", str(size), low=kind.low, high=kind.high)
    product = sizes["H"] * sizes["d_model"] * max(sizes["d_k"], sizes["d_v"])
    if product > LIMIT_PRODUCT:
        raise LessonFileError("H × d_model × d_k, d_v", "product", f"{product:,}", most=f"{LIMIT_PRODUCT:,}")


LONG = {"H": "num_heads"}
