"""NumPy's .npz without its dangers: nothing is unpickled, and no more unpacked than was allowed."""

import io
import zipfile
import zlib
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..arrays import Array
from .errors import ExchangeError, shortened
from .numbers import TYPES, array_of

MOST_MEMBERS = 100_000
LONGEST_HEADER = 10_000
MARK = b"PK"
SUFFIX = ".npy"
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Npz:
    """An .npz that is open for reading.

    `members` are all that is in it by the file's own names, `arrays` those of them that can be arrays, by the names
    of the arrays. Raises ExchangeError where it is no sound one, or has more than `most_members`.
    """

    def __init__(self, file: BinaryIO, most_members: int = MOST_MEMBERS) -> None:
        try:
            self._archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise ExchangeError("", "zip", shortened(str(error))) from None
        self._infos = self._archive.infolist()
        if len(self._infos) > most_members:
            raise ExchangeError("", "members", str(len(self._infos)), most=most_members)
        self.members = tuple(info.filename for info in self._infos)
        self.arrays = {name.removesuffix(SUFFIX): name for name in self.members if name.endswith(SUFFIX)}

    def read(self, names: Collection[str], most_bytes: int) -> dict[str, Array]:
        """The arrays of these names; ExchangeError where one is broken, or all take more than `most_bytes`."""
        wanted = {self.arrays[name]: name for name in names}
        chosen = [info for info in self._infos if info.filename in wanted]
        _check(chosen, most_bytes)
        return {wanted[i.filename]: _array(wanted[i.filename], self._unpacked(i)) for i in chosen}

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        try:
            with self._archive.open(info) as file:
                return file.read(info.file_size + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise ExchangeError(info.filename, "zip", shortened(str(error))) from None


def write_npz(file: BinaryIO, arrays: Mapping[str, Array]) -> None:
    """The arrays as an .npz, not compressed: drawn numbers would hardly become fewer."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            out = io.BytesIO()
            np.lib.format.write_array(out, array, allow_pickle=False)
            archive.writestr(name + SUFFIX, out.getbuffer())


def _check(infos: list[zipfile.ZipInfo], most_bytes: int) -> None:
    names = [info.filename for info in infos]
    for info in infos:
        if names.count(info.filename) > 1:
            raise ExchangeError(info.filename, "once", info.filename)
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ExchangeError(info.filename, "deflated", f"method {info.compress_type}")
    size = sum(info.file_size for info in infos)  # as it says; when unpacking it is held to it
    if size > most_bytes:
        raise ExchangeError("", "unpacked", f"{size:,}", most=f"{most_bytes:,}")


def _array(name: str, data: bytes) -> Array:
    file = io.BytesIO(data)
    shape, by_columns, dtype = _header(name, file)
    if dtype.hasobject:
        raise ExchangeError(name, "unpickled", str(dtype))
    if dtype.newbyteorder("<").str not in TYPES.values():
        raise ExchangeError(name, "type", shortened(str(dtype)), names=", ".join(TYPES))
    return array_of(name, data[file.tell() :], dtype, shape, order="F" if by_columns else "C")


def _header(name: str, file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        return HEADERS[version](file, max_header_size=LONGEST_HEADER)
    except Exception as error:  # a header is Python source: its parser raises whatever it likes
        raise ExchangeError(name, "npy", shortened(str(error))) from None
