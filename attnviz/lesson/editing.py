"""What a reader types into a grid becomes edits: numbers read leniently, cells put in and taken out."""

import unicodedata
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attnviz.core.drawn import MOST_DRAWN, read_drawn, write_drawn
from attnviz.lesson.edits import BY_TOKENS, LARGEST, Edit, Edits, fingerprint, sheet
from attnviz.lesson.lesson import Lesson, editable
from attnviz.lesson.settings import Settings

PLAIN = frozenset("0123456789.-+eE")


def read_number(text: str) -> tuple[float | None, str]:
    """The number a reader means, and the problem with it: "" for none, "number" or "large".

    Full-width digits, a true minus sign and blanks around it are understood; a decimal comma is not, since it may
    as well stand between thousands.
    """
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").strip()
    try:
        value = float(plain) if set(plain) <= PLAIN else None
    except ValueError:
        value = None
    if value is None:
        return None, "number"
    return (value, "") if abs(value) <= LARGEST else (None, "large")


def edit_of(plain: Lesson, edits: Edits, name: str) -> Edit:
    """The edit that is in force for an array of the lesson; `plain` is the lesson without edits."""
    sides = {"x": plain.tokens, "x_source": plain.source}
    tokens = fingerprint(sides[name].tokens) if name in BY_TOKENS else ""
    return edits.find(name, editable(plain)[name].shape, tokens)


def with_cells(
    plain: Lesson, edits: Edits, name: str, head: int, cells: Mapping[tuple[int, int], float | None]
) -> Edits:
    """The edits with these cells (row, column) of the head's matrix put in.

    None, or the number that stands there without edits, takes a cell out. Raises ValueError where the edits
    become too many.
    """
    array = editable(plain)[name]
    places = sheet(name, np.arange(array.size).reshape(array.shape), head)
    drawn = sheet(name, array, head)
    put = {
        int(places[at]): None if value is None or value == drawn[at] else value for at, value in cells.items()
    }
    return edits.put(edit_of(plain, edits, name).changed(put))


def without_sheet(plain: Lesson, edits: Edits, name: str, head: int) -> Edits:
    """The edits without those of the head's matrix."""
    array = editable(plain)[name]
    places = sheet(name, np.arange(array.size).reshape(array.shape), head)
    return edits.put(edit_of(plain, edits, name).changed(dict.fromkeys(places.ravel().tolist())))


def edited_sheet(lesson: Lesson, name: str, head: int) -> NDArray[np.bool_] | None:
    """Which cells of the head's matrix differ from the lesson without edits; None where none does."""
    cells = lesson.hand.cells.get(name)
    found = None if cells is None else sheet(name, cells, head)
    return found if found is not None and found.any() else None


def with_mask(settings: Settings, edits: Edits, keep: NDArray[np.bool_]) -> tuple[dict[str, str], Edits]:
    """The settings and edits that make `keep` (n, m) the mask: in the settings where it fits, else as an edit."""
    n, m = keep.shape
    edits = edits.put(Edit("keep", keep.shape, np.array([]), np.array([])))
    if max(n, m) <= MOST_DRAWN:
        return {"mask": "drawn", "drawn": write_drawn(keep)}, edits
    differs = np.flatnonzero(keep != read_drawn(settings.drawn, n, m))
    return {"mask": "drawn"}, edits.put(
        Edit("keep", keep.shape, differs, keep.reshape(-1)[differs].astype(np.float64))
    )
