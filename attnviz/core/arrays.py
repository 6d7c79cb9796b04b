"""What every part of the core needs to know about arrays: their type, and whether they are finite."""

from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def as_real(name: str, values: ArrayLike) -> Array:
    """The values as an array of floating-point numbers: integers and truth values become float64.

    Raises ValueError for anything that is not made of real numbers.
    """
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind in "biu":
        return array.astype(np.float64)
    raise ValueError(f"{name} must be made of real numbers; got dtype {array.dtype}")


def computing_dtype(given: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which to compute: the one that was given, but at least float32."""
    return given if given.itemsize >= 4 else np.dtype(np.float32)


def is_finite(array: Array) -> bool:
    """Whether no entry is NaN or infinite."""
    # A finite sum of squares proves it in one pass; it may also overflow, hence the rest.
    return isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def require_finite(name: str, array: Array) -> None:
    """Raise ValueError, naming the stage and the first place, if an entry is NaN or infinite."""
    if not is_finite(array):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite; got {array[place]} at {place}")


def require_shape(name: str, array: Array, shape: tuple[int, ...], words: str) -> None:
    """Raise ValueError unless the array has this shape; `words` names its axes for the message."""
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {words} = {shape}; got {array.shape}")


def require_broadcast(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless the array broadcasts to exactly this shape (..., n, m)."""
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must broadcast to the shape (..., n, m) = {shape}; got {array.shape}")


def positive(name: str, value: object, expected: str = "a positive number") -> float:
    """The value as a float; ValueError unless it is a finite number above 0."""
    if isinstance(value, (int, float, np.integer, np.floating)) and 0.0 < value < inf:
        return float(value)
    raise ValueError(f"{name} must be {expected}; got {value!r}")
