"""Hugging Face's .safetensors: a length, a header in JSON, and bytes.

The package of that name is a compiled one whose messages name no place; the format is this one page.
Source: https://github.com/huggingface/safetensors#format
"""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.lesson.files.errors import LessonFileError, excerpt
from attnviz.lesson.files.numbers import TYPES, array_of
from attnviz.lesson.files.strict_json import Object, parse, require_object, require_once

PREFIX = 8  # bytes of the header's length
METADATA = "__metadata__"


def is_safetensors(data: bytes) -> bool:
    """Whether it begins as one: a length whose upper bytes are 0, which no text has, and an object."""
    return data[5:PREFIX] == bytes(3) and data[PREFIX : PREFIX + 1] == b"{"


def read_safetensors(
    data: bytes, names: Collection[str]
) -> tuple[dict[str, NDArray[np.float64]], tuple[str, ...]]:
    """The arrays of these names that are in the file, and the names of whatever else is; LessonFileError."""
    length = int.from_bytes(data[:PREFIX], "little")
    if length > len(data) - PREFIX:
        raise LessonFileError("", "header", f"{length:,}", most=f"{len(data) - PREFIX:,}")
    header = parse(data[PREFIX : PREFIX + length])
    if not isinstance(header, Object):
        raise LessonFileError("$", "object", excerpt(header), names=", ".join(names))
    require_once(header, "$")
    numbers = data[PREFIX + length :]
    found = {name: _entry(name, header[name], len(numbers)) for name in header if name in names}
    _check_apart({name: span for name, (_, _, span) in found.items()})
    arrays = {
        name: array_of(name, numbers[slice(*span)], np.dtype(TYPES[kind]), shape, upper_half=kind == "BF16")
        for name, (kind, shape, span) in found.items()
    }
    return arrays, tuple(name for name in header if name not in names and name != METADATA)


def _entry(name: str, value: Any, size: int) -> tuple[str, tuple[int, ...], tuple[int, int]]:
    """The type, the shape, and where the bytes of an array begin and end."""
    place = f"$.{name}"
    entry = require_object(value, place, ("dtype", "shape", "data_offsets"))
    kind = entry["dtype"]
    if not isinstance(kind, str) or kind not in TYPES:
        raise LessonFileError(f"{place}.dtype", "type", excerpt(kind), names=", ".join(TYPES))
    shape = _wholes(entry["shape"], f"{place}.shape")
    begin, end = _wholes(entry["data_offsets"], f"{place}.data_offsets", count=2)
    if not begin <= end <= size:
        raise LessonFileError(f"{place}.data_offsets", "offsets", f"[{begin}, {end}]", most=size)
    return kind, shape, (begin, end)


def _wholes(value: Any, place: str, count: int | None = None) -> tuple[int, ...]:
    if not isinstance(value, list) or count not in (None, len(value)):
        raise LessonFileError(place, "wholes", excerpt(value))
    for i, number in enumerate(value):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise LessonFileError(f"{place}[{i}]", "wholes", excerpt(number))
    return tuple(value)


def _check_apart(spans: dict[str, tuple[int, int]]) -> None:
    last = 0
    for name, (begin, end) in sorted(spans.items(), key=lambda item: item[1]):
        if begin < last:
            raise LessonFileError(f"$.{name}.data_offsets", "apart", f"[{begin}, {end}]")
        last = end
