"""Lesson files and files of weights made byte by byte, sound ones and such as no program should write."""

import io
import json
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import MultiHeadAttention
from attnviz.lesson.settings import Settings

SIZES = {"num_heads": 3, "d_model": 7, "d_k": 2, "d_v": 5}
LAYER = MultiHeadAttention.random(**SIZES, seed=5, bias=True)
MATRICES = {name: array for name, array in LAYER.parameters().items() if name.startswith("w_")}
WORDS = Settings(sentence='猫 $5 <b>{}</b> \\ " \u2028 😀', query=2)


def file(**changes: Any) -> dict[str, Any]:
    """A sound lesson file as Python values, with some of them changed."""
    values = {"format": "attnviz lesson", "version": 1, "settings": {}, "edits": []}
    return {name: value for name, value in (values | changes).items() if value is not ...}


def one_edit(values: Any, matrix: Any = "w_q", **more: Any) -> dict[str, Any]:
    """A sound lesson file with one edit."""
    return file(edits=[{"matrix": matrix, "values": values, **more}])


def text(values: Any) -> bytes:
    """Python values as a JSON file."""
    return json.dumps(values).encode()


def npz(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members, as an .npz is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    """An array in NumPy's own format, pickled where it holds objects."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def npy_header(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """An .npy with a header as it is given."""
    padded = header.encode("latin1").ljust(117) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(padded)) + padded + data


def weights(**changes: Any) -> bytes:
    """An .npz of the four matrices with some replaced (... leaves one out; bytes are put in as they are)."""
    arrays = {name: value for name, value in (MATRICES | changes).items() if value is not ...}
    return npz({f"{n}.npy": a if isinstance(a, bytes) else npy(np.asarray(a)) for n, a in arrays.items()})


def tensors(header: Any = None, body: bytes | None = None, **changes: Any) -> bytes:
    """A .safetensors of the four matrices, by the format's own description, with entries changed."""
    entries, data = {}, b""
    for name, array in MATRICES.items():
        raw = array.tobytes()
        entries[name] = {
            "dtype": "F64",
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    for name, entry in changes.items():
        entries[name] = entries.get(name, {}) | entry if isinstance(entry, dict) else entry
    packed = json.dumps(entries).encode() if header is None else header
    return len(packed).to_bytes(8, "little") + packed + (data if body is None else body)


def bomb() -> bytes:
    """Two kilobytes or so that unpack to a gigabyte."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    size, out = 1 << 30, io.BytesIO()
    zeros = bytes(1 << 20)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w_q.npy", b"")
    packed = b"".join(stream.compress(zeros) for _ in range(64)) + stream.flush()
    return _with_stream(packed, size)


def lying_bomb() -> bytes:
    """64 MB that say they are 100 bytes."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(stream.compress(bytes(1 << 20)) for _ in range(64)) + stream.flush()
    return _with_stream(packed, 100)


def _with_stream(packed: bytes, size: int) -> bytes:
    name = b"w_q.npy"
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(packed), size, len(name), 0)
    local = b"PK\x03\x04" + common + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end


SOUND = text(file(settings={"sentence": "a"}, edits=[{"matrix": "w_q", "values": [[[0.5]]]}]))
