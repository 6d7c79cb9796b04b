"""One array put in by hand, as it stands in a lesson file.

{"matrix": "w_q", "values": [null, [[null, 0.5], ...]]}: nested lists, one level an axis (tokens are rows), in
which null, at any level, leaves what is there as it is.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.exchange.errors import excerpt
from attnviz.core.exchange.strict_json import Object, require_object
from attnviz.lesson.edits import AXES, BY_TOKENS, FINGERPRINT, LARGEST, LONGEST_SIDE, SIDES, Edit
from attnviz.lesson.files.errors import LessonFileError


def read_entry(value: Any, place: str, sentences: Mapping[str, str]) -> Edit:
    """The edit written in `value`, which stands at `place`; LessonFileError where it is none.

    `sentences` are the fingerprints of the sentences that x and x_source belong to where it does not say.
    """
    entry = require_object(value, place, ("matrix", "values"), ("tokens",))
    name = entry["matrix"]
    if not isinstance(name, str) or name not in AXES:
        raise LessonFileError(f"{place}.matrix", "names", excerpt(name), names=", ".join(AXES))
    shape: list[int | None] = [None] * len(AXES[name])
    cells: list[tuple[tuple[int, ...], float]] = []
    _collect(entry["values"], name, f"{place}.values", (), shape, cells)
    if not cells:
        raise LessonFileError(f"{place}.values", "some", excerpt(entry["values"]))
    sides = tuple(side or 0 for side in shape)  # a number was found, so every side is known
    at = np.ravel_multi_index(tuple(np.array([index for index, _ in cells]).T), sides)
    tokens = _tokens(name, entry, f"{place}.tokens", sentences)
    return Edit(name, sides, at, np.array([number for _, number in cells]), tokens)


def write_entry(edit: Edit) -> str:
    """The edit as an object of JSON."""
    array = np.full(edit.shape, np.nan)
    array.reshape(-1)[edit.at] = edit.values
    head = {"matrix": edit.name} | ({"tokens": edit.tokens} if edit.tokens else {})
    return f'{json.dumps(head)[:-1]}, "values": {json.dumps(_nested(array))}}}'


def _nested(array: NDArray[np.float64]) -> Any:
    """The array as nested lists with null for NaN, and for a list in which nothing else stands."""
    if array.ndim == 0:
        return None if np.isnan(array) else float(array)
    return None if np.isnan(array).all() else [_nested(part) for part in array]


def _tokens(name: str, entry: Object, place: str, sentences: Mapping[str, str]) -> str:
    """The fingerprint of the sentence an edit is for: that of the file's own sentence where none is given."""
    if name not in BY_TOKENS:
        if "tokens" in entry:
            raise LessonFileError(place, "absent", excerpt(entry["tokens"]), names=", ".join(BY_TOKENS))
        return ""
    text = entry.get("tokens", sentences[name])
    if not isinstance(text, str) or len(text) != 2 * FINGERPRINT or set(text) - set("0123456789abcdef"):
        raise LessonFileError(place, "fingerprint", excerpt(text), count=2 * FINGERPRINT)
    return text


def _collect(
    value: Any,
    name: str,
    place: str,
    index: tuple[int, ...],
    shape: list[int | None],
    cells: list[tuple[tuple[int, ...], float]],
) -> None:
    """Gather the numbers below `value`, learning the sides of the array from the first list of each axis."""
    if value is None:
        return
    axis = len(index)
    if axis == len(shape):
        cells.append((index, _number(value, name, place)))
        return
    most = SIDES.get(AXES[name][axis], LONGEST_SIDE)
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise LessonFileError(place, "sublist", excerpt(value), axis=AXES[name][axis], most=most)
    if shape[axis] not in (None, len(value)):
        raise LessonFileError(place, "length", excerpt(value), axis=AXES[name][axis], count=shape[axis])
    shape[axis] = len(value)
    for i, inner in enumerate(value):
        _collect(inner, name, f"{place}[{i}]", (*index, i), shape, cells)


def _number(value: Any, name: str, place: str) -> float:
    if name == "keep":
        if isinstance(value, bool | int | float) and value in (0, 1):
            return float(value)
        raise LessonFileError(place, "bit", excerpt(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise LessonFileError(place, "number", excerpt(value), most=f"{LARGEST:,.0f}")
    return float(value)
