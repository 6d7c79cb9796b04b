"""What every part of the core needs to know about arrays: their type, and whether they are finite."""

from functools import lru_cache
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .checks import told

Array = NDArray[Any]

LARGEST = float(np.finfo(np.float64).max)


def as_array(name: str, values: ArrayLike) -> Array:
    """The values as an array; ValueError for rows of different lengths, and for entries that are hidden."""
    if values.__class__ is np.ndarray:
        return values
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    try:
        array = np.asarray(values)
    except Exception as error:  # whatever a foreign object raises when it is asked for its array
        raise ValueError(f"{name} must be an array, or lists of equal lengths; got {told(values)}") from error
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} must have all its entries; got a masked array, whose mask belongs into keep"
        )
    return array


def as_real(name: str, values: ArrayLike) -> Array:
    """The values as an array of floating-point numbers: integers and truth values become float64.

    Raises ValueError for anything that is not made of real numbers.
    """
    array = as_array(name, values)
    if array.dtype.kind == "f":
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind in "biu":
        return array.astype(np.float64)
    raise ValueError(f"{name} must be made of real numbers; got dtype {array.dtype}")


def floating(name: str, dtype: DTypeLike) -> np.dtype[Any]:
    """The type of numbers; ValueError unless it is one of floating-point numbers."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if dtype is None or found is None or found.kind != "f":
        raise ValueError(f"{name} must be a type of floating-point numbers, as np.float32; got {told(dtype)}")
    return found


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


def positive(
    name: str,
    value: object,
    expected: str = "a positive number",
    *,
    dtype: np.dtype[Any] | None = None,
    power: int = 1,
) -> float:
    """The value as a float; ValueError unless it is a finite number above 0.

    With a dtype, its power (and twice that) must be a number of this type too, so that dividing by it is safe.
    """
    number = _number(value)
    if 0.0 < number < inf:
        if dtype is None:
            return number
        low, high = _limits(dtype, power)
        if low <= number <= high:
            return number
        expected = f"{expected} from {low:.1e} to {high:.1e} ({dtype})"
    raise ValueError(f"{name} must be {expected}; got {told(value)}")


def finite(name: str, value: object) -> float:
    """The value as a float; ValueError unless it is a finite number."""
    number = _number(value)
    if isfinite(number):
        return number
    raise ValueError(f"{name} must be a finite number; got {told(value)}")


def _number(value: object) -> float:
    """The value as a float; NaN where it is none, or too large for one."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return nan
    try:
        return float(value)
    except OverflowError:
        return nan


@lru_cache(maxsize=32)
def _limits(dtype: np.dtype[Any], power: int) -> tuple[float, float]:
    """The least and the largest number that this type holds, with room for a factor of two in their power."""
    kind = np.finfo(dtype)
    low, high = max(float(kind.tiny), 5e-324), min(float(kind.max), LARGEST)
    return (low, high) if power == 1 else (2 * low ** (1 / power), high ** (1 / power) / 2)
