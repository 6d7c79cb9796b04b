"""Bytes become an array of finite numbers of one type and shape, or a message."""

import math
from typing import Any, Literal

import numpy as np

from ..arrays import Array
from .errors import ExchangeError

MOST_SIDE = 2**20

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
) -> Array:
    """The numbers in `data`; `upper_half`: each is the upper half of a float32, which it becomes.

    Numbers keep their type: what whole numbers mean, their names say. Raises ExchangeError where the bytes do not suit
    type and shape, or a number is not finite.
    """
    if not all(1 <= side <= MOST_SIDE for side in shape):
        raise ExchangeError(name, "sides", str(shape), most=MOST_SIDE)
    size = math.prod(shape) * dtype.itemsize
    if size != len(data):
        raise ExchangeError(name, "bytes", str(len(data)), count=size, shape=shape, dtype=dtype)
    raw = np.frombuffer(data, dtype)
    if upper_half:
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    array: Array = raw.astype(raw.dtype.newbyteorder("=")).reshape(shape, order=order)
    require_finite(name, array)
    return array


def require_finite(name: str, array: Array) -> None:
    """Raise ExchangeError, naming the first place, where a number is not finite."""
    good = np.isfinite(array)
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        raise ExchangeError(f"{name}{list(place)}", "finite", str(array[place]))
