"""A layer in a file, .npz or .safetensors: written by our names, read by those of any library that is known."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from ..arrays import Array
from . import npz, safetensors
from .errors import ExchangeError, shortened
from .names import chosen

MOST_BYTES = 2**31  # of the arrays of a layer, unpacked
LONGEST_MARK = 9  # bytes
HDF5 = b"\x89HDF"
FOREIGN = {
    ".h5": "hdf5",
    ".weights.h5": "hdf5",
    "data.pkl": "pickle",
}  # what else is a zip, by the end of a member

Archive = npz.Npz | safetensors.Safetensors


def open_archive(file: BinaryIO, most_members: int = npz.MOST_MEMBERS) -> Archive:
    """The arrays in a file, by what its first bytes say that it is; none is read yet.

    Raises ExchangeError for other kinds: HDF5 needs its own library, and a pickle is never loaded.
    """
    start = file.read(LONGEST_MARK)
    if start.startswith(HDF5):
        raise ExchangeError("", "hdf5", "HDF5")
    if safetensors.is_safetensors(start):
        return safetensors.Safetensors(file)
    if not start.startswith(npz.MARK):
        raise ExchangeError("", "kind", start.hex(" "))
    archive = npz.Npz(file, most_members)
    for name in archive.members:
        for end, expected in FOREIGN.items():
            if name.endswith(end):
                raise ExchangeError("", expected, shortened(name))
    return archive


def read_layer(
    path: str | os.PathLike[str], num_heads: int | None = None, layer: str | None = None
) -> dict[str, Array]:
    """Our parameters of the layer in a file, of the one with the prefix `layer` where there are several.

    Raises ExchangeError (a ValueError) for whatever is wrong with it, OSError where it cannot be opened.
    """
    with Path(path).open("rb") as file:
        archive = open_archive(file)
        found = chosen(archive.arrays, layer)
        return found.parameters(archive.read(tuple(found.names.values()), MOST_BYTES), num_heads)


def write_layer(path: str | os.PathLike[str], parameters: Mapping[str, Array]) -> None:
    """The parameters in a file, .npz or .safetensors by the end of its name; ExchangeError for another end or type."""
    end = Path(path).suffix
    if end not in WRITERS:
        raise ExchangeError("path", "kind", repr(os.fspath(path)))
    for name, array in parameters.items():
        if array.dtype.itemsize > 8:
            raise ExchangeError(name, "type", str(array.dtype), names="F64, F32, F16")
    with Path(path).open("wb") as file:
        WRITERS[end](file, parameters)


WRITERS = {".npz": npz.write_npz, ".safetensors": safetensors.write_safetensors}
