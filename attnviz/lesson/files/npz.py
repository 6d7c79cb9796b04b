"""NumPy's .npz without its dangers: nothing is unpickled, and no more unpacked than the file may hold."""

import io
import zipfile
import zlib
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.lesson.files.errors import LessonFileError, shortened
from attnviz.lesson.files.numbers import MOST_BYTES, TYPES, array_of

MOST_MEMBERS = 1000
LONGEST_HEADER = 10_000
MARK = b"PK"
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(data: bytes, names: Collection[str]) -> tuple[dict[str, NDArray[np.float64]], tuple[str, ...]]:
    """The arrays of these names that are in the file, and the names of whatever else is; LessonFileError."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise LessonFileError("", "zip", shortened(str(error))) from None
    with archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise LessonFileError("", "members", str(len(members)), most=MOST_MEMBERS)
        wanted = {f"{name}.npy": name for name in names}
        chosen = [member for member in members if member.filename in wanted]
        _check_members(chosen)
        arrays = {wanted[m.filename]: _array(wanted[m.filename], _unpacked(archive, m)) for m in chosen}
    return arrays, tuple(m.filename for m in members if m.filename not in wanted)


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    for member in members:
        if names.count(member.filename) > 1:
            raise LessonFileError(member.filename, "once", member.filename)
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise LessonFileError(member.filename, "deflated", f"method {member.compress_type}")
    size = sum(member.file_size for member in members)  # as it says; when unpacking it is held to it
    if size > MOST_BYTES:
        raise LessonFileError("", "unpacked", f"{size:,}", most=f"{MOST_BYTES:,}")


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(member) as file:
            return file.read(member.file_size + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise LessonFileError(member.filename, "zip", shortened(str(error))) from None


def _array(name: str, data: bytes) -> NDArray[np.float64]:
    file = io.BytesIO(data)
    shape, by_columns, dtype = _header(name, file)
    if dtype.hasobject:
        raise LessonFileError(name, "unpickled", str(dtype))
    if dtype.newbyteorder("<").str not in TYPES.values():
        raise LessonFileError(name, "type", shortened(str(dtype)), names=", ".join(TYPES))
    return array_of(name, data[file.tell() :], dtype, shape, order="F" if by_columns else "C")


def _header(name: str, file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        return HEADERS[version](file, max_header_size=LONGEST_HEADER)
    except Exception as error:  # a header is Python source: its parser raises whatever it likes
        raise LessonFileError(name, "npy", shortened(str(error))) from None
