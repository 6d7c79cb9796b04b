"""Bytes become an array of finite numbers of one type and shape, or a message."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attnviz.lesson.edits import LARGEST, MOST_CELLS
from attnviz.lesson.files.errors import LessonFileError

MOST_BYTES = 8 * MOST_CELLS + 65_536  # the headers with it

# The types of numbers by the names that .safetensors gives them; BF16 is the upper half of an F32.
TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}


def array_of(
    name: str,
    data: bytes,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    *,
    order: Literal["C", "F"] = "C",
    upper_half: bool = False,
) -> NDArray[np.float64]:
    """The numbers in `data` as float64; `upper_half`: each is the upper half of a float32.

    Raises LessonFileError where the bytes do not suit type and shape, or a number is not finite or too large.
    """
    if not all(1 <= side <= MOST_CELLS for side in shape):
        raise LessonFileError(name, "sides", str(shape), most=MOST_CELLS)
    size = math.prod(shape) * dtype.itemsize
    if size != len(data):
        raise LessonFileError(name, "bytes", str(len(data)), count=size, shape=shape, dtype=dtype)
    raw = np.frombuffer(data, dtype)
    if upper_half:
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):
        array = raw.astype(np.float64).reshape(shape, order=order)
    require_numbers(name, array)
    return array


def require_numbers(name: str, array: NDArray[np.float64]) -> None:
    """Raise LessonFileError, naming the first place, where a number is not finite or too large."""
    good = np.abs(array) <= LARGEST
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        raise LessonFileError(f"{name}{list(place)}", "number", str(array[place]), most=f"{LARGEST:,.0f}")
