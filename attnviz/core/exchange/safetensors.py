"""Hugging Face's .safetensors: a length, a header in JSON, and bytes.

The package of that name is a compiled one whose messages name no place; the format is this one page.
Source: https://github.com/huggingface/safetensors#format
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..arrays import Array
from .errors import ExchangeError, excerpt
from .numbers import TYPES, array_of
from .strict_json import Object, parse, require_object, require_once

PREFIX = 8  # bytes of the header's length
LONGEST_HEADER = 100_000_000  # bytes, as in the format's own library
METADATA = "__metadata__"
ALIGNED = 8  # bytes: where the numbers begin, so that a file can be mapped into memory


def is_safetensors(start: bytes) -> bool:
    """Whether a file begins as one: a length whose upper bytes are 0, which no text has, and an object."""
    return start[5:PREFIX] == bytes(3) and start[PREFIX : PREFIX + 1] == b"{"


class Safetensors:
    """A .safetensors that is open for reading: `arrays` maps the names of its arrays to themselves.

    Raises ExchangeError where the header is broken.
    """

    def __init__(self, file: BinaryIO) -> None:
        after = file.seek(0, 2) - PREFIX
        file.seek(0)
        length, most = int.from_bytes(file.read(PREFIX), "little"), min(after, LONGEST_HEADER)
        if length > most:
            raise ExchangeError("", "header", f"{length:,}", most=f"{most:,}")
        header = parse(file.read(length))
        if not isinstance(header, Object):
            raise ExchangeError("$", "object", excerpt(header), names="w_q, w_k, …")
        require_once(header, "$")
        self._file, self._header, self._begin, self._size = file, header, PREFIX + length, after - length
        self.members = tuple(name for name in header if name != METADATA)
        self.arrays = {name: name for name in self.members}

    def read(self, names: Collection[str], most_bytes: int) -> dict[str, Array]:
        """The arrays of these names; ExchangeError where one is broken, or all take more than `most_bytes`."""
        found = {name: _entry(name, self._header[name], self._size) for name in names}
        spans = {name: span for name, (_, _, span) in found.items()}
        _check_apart(spans)
        size = sum(end - begin for begin, end in spans.values())
        if size > most_bytes:
            raise ExchangeError("", "unpacked", f"{size:,}", most=f"{most_bytes:,}")
        return {
            name: array_of(name, self._bytes(span), np.dtype(TYPES[kind]), shape, upper_half=kind == "BF16")
            for name, (kind, shape, span) in found.items()
        }

    def _bytes(self, span: tuple[int, int]) -> bytes:
        self._file.seek(self._begin + span[0])
        return self._file.read(span[1] - span[0])


def write_safetensors(file: BinaryIO, arrays: Mapping[str, Array]) -> None:
    """The arrays as a .safetensors, in their order."""
    kinds = {text: kind for kind, text in TYPES.items() if kind != "BF16"}
    header, at = {}, 0
    little = {name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for name, a in arrays.items()}
    for name, array in little.items():
        span = [at, at + array.nbytes]
        header[name] = {"dtype": kinds[array.dtype.str], "shape": list(array.shape), "data_offsets": span}
        at += array.nbytes
    packed = json.dumps(header).encode()
    packed += b" " * (-len(packed) % ALIGNED)
    file.write(len(packed).to_bytes(PREFIX, "little") + packed)
    for array in little.values():
        file.write(array.tobytes())


def _entry(name: str, value: Any, size: int) -> tuple[str, tuple[int, ...], tuple[int, int]]:
    """The type, the shape, and where the bytes of an array begin and end."""
    place = f"$.{name}"
    entry = require_object(value, place, ("dtype", "shape", "data_offsets"))
    kind = entry["dtype"]
    if not isinstance(kind, str) or kind not in TYPES:
        raise ExchangeError(f"{place}.dtype", "type", excerpt(kind), names=", ".join(TYPES))
    shape = _wholes(entry["shape"], f"{place}.shape")
    begin, end = _wholes(entry["data_offsets"], f"{place}.data_offsets", count=2)
    if not begin <= end <= size:
        raise ExchangeError(f"{place}.data_offsets", "offsets", f"[{begin}, {end}]", most=size)
    return kind, shape, (begin, end)


def _wholes(value: Any, place: str, count: int | None = None) -> tuple[int, ...]:
    if not isinstance(value, list) or count not in (None, len(value)):
        raise ExchangeError(place, "wholes", excerpt(value))
    for i, number in enumerate(value):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ExchangeError(f"{place}[{i}]", "wholes", excerpt(number))
    return tuple(value)


def _check_apart(spans: Mapping[str, tuple[int, int]]) -> None:
    last = 0
    for name, (begin, end) in sorted(spans.items(), key=lambda item: item[1]):
        if begin < last:
            raise ExchangeError(f"$.{name}.data_offsets", "apart", f"[{begin}, {end}]")
        last = end
