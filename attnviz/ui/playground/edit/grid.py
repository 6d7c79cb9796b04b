"""A grid of numbers that a reader types or pastes into: the session's edits follow, the grid stays where it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from attnviz.lesson.editing import read_number, with_cells, with_mask
from attnviz.lesson.edits import AXES, LARGEST, sheet
from attnviz.lesson.lesson import Lesson, editable
from attnviz.ui.kit import state
from attnviz.ui.kit.array_names import array_name
from attnviz.ui.kit.edited import edits_of, put_edits
from attnviz.ui.kit.page.lessons import lesson_of
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.table import Table, frame
from attnviz.ui.kit.session import session
from attnviz.ui.kit.text.prose import notices

MOST_SAID = 5  # cells that a message names one by one
WIDTH = 78  # pixels of a column


@dataclass(frozen=True)
class Grid:
    """A grid on screen: what it was filled with, and what the lesson must hold if it is up to date."""

    target: tuple[Any, ...]
    key: str
    shown: pd.DataFrame  # as on screen: texts, or truth values
    start: NDArray[Any]  # the numbers it was filled with, tokens as rows
    expected: NDArray[Any]


@dataclass(frozen=True)
class Refusal:
    """A cell whose text was not taken, for a message."""

    matrix: str
    place: str
    text: str
    problem: str


@dataclass
class Editing:
    """What a session remembers of its grids; nothing of it is in the link."""

    open: bool = False
    grids: int = 0
    """How many there have been."""
    grid: Grid | None = None
    """The one that is up to date."""
    typing: tuple[Scene, str, Grid] | None = None
    """The scene on screen, the matrix in the grid, and the grid."""
    refused: list[Refusal] = field(default_factory=list)
    mask_before: str = "none"
    """The mask that was chosen before one was drawn."""


def editing() -> Editing:
    """What this session remembers of its grids."""
    return session().of(Editing)


def grid(scene: Scene, name: str, *, highest: int) -> None:
    """The matrix called `name` (of the focused head) in a grid of at most so many pixels.

    The same grid stays on screen while its reader types, and with it the cell they are at; where the lesson
    holds anything else than the grid shows, another one takes its place.
    """
    head = scene.focus.head
    numbers = sheet(name, editable(scene.lesson)[name], head)  # tokens as rows
    owner = head if AXES[name][0] == "num_heads" else 0
    target = (name, owner, scene.columns, _labels(scene, name, numbers.shape))
    here = editing()
    held = here.grid
    up_to_date = held is not None and held.target == target and np.array_equal(held.expected, numbers)
    if held is None or not up_to_date or held.key not in st.session_state:
        here.grids += 1
        held = Grid(
            target, f"grid_{here.grids}", _frame(scene, name, numbers), numbers.copy(), numbers.copy()
        )
        here.grid = held
    # Streamlit keeps the callback of every grid that a session has ever shown: it must not hold the scene.
    here.typing = (scene, name, held)
    st.data_editor(
        held.shown,
        key=held.key,
        width="content",
        height=min(highest, 35 * (len(held.shown) + 1) + 3),
        disabled=["_index"],
        column_config={title: _column(name) for title in held.shown.columns},
        on_change=_changed,
        alt=array_name(name, scene.words),
    )


def _column(name: str) -> Any:
    """Texts, not numbers: so what is no number arrives here too, and is answered."""
    if name == "keep":
        return st.column_config.CheckboxColumn(width=WIDTH)
    return st.column_config.TextColumn(width=WIDTH, alignment="right")


def _frame(scene: Scene, name: str, numbers: NDArray[Any]) -> pd.DataFrame:
    """The numbers as texts (the mask as truth values) with the names of rows and columns."""
    rows, columns = _labels(scene, name, numbers.shape)
    shown = frame(Table(name, numbers, rows, columns), scene.columns)
    return shown if name == "keep" else shown.map(_text)


def _text(value: float) -> str:
    """Four digits, which fit the column; a cell that still shows this text has not been changed."""
    return f"{value:.4g}"


def _labels(scene: Scene, name: str, shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rows, columns = (tuple(str(i) for i in range(size)) for size in shape)
    if name == "x":
        return scene.queries.wholes, columns
    if name == "x_source":
        return scene.keys.wholes, columns
    if name == "keep":
        return scene.queries.wholes, scene.keys.wholes
    if name == "w_o":
        d_v = scene.lesson.trace.value.shape[2]
        return tuple(f"{scene.head_names()[i // d_v]}, {i % d_v}" for i in range(shape[0])), columns
    return rows, columns


def _changed() -> None:
    """Take over what was typed or pasted; what is no number is refused by name and changes nothing."""
    here = editing()
    assert here.typing is not None  # the grid that was typed into
    scene, name, grid = here.typing
    edited: Mapping[int, Mapping[str, Any]] = st.session_state[grid.key]["edited_rows"]
    titles = {title: i for i, title in enumerate(grid.shown.columns)}
    cells: dict[tuple[int, int], Any] = {}
    refused: list[Refusal] = []
    for row, values in edited.items():
        for title, text in values.items():
            down, across = int(row), titles[title]
            at = (across, down) if scene.columns else (down, across)
            value, problem = _typed(text, grid, (down, across), at)
            if problem:
                place = scene.words("edit.place", row=grid.shown.index[down], column=title)
                refused.append(Refusal(name, place, str(text), problem))
            else:
                cells[at] = value
    here.refused = refused
    try:
        expected = _put(scene, name, cells, grid)
    except ValueError:
        here.refused = [Refusal(name, array_name(name, scene.words), str(len(cells)), "many")]
        expected = None
        state.touch()
    # A cell that shows anything else than what now stands there: the grid is filled anew.
    if refused or expected is None or None in cells.values():
        here.grid = None
    else:
        here.grid = replace(grid, expected=expected)


def _typed(text: Any, grid: Grid, place: tuple[int, int], at: tuple[int, int]) -> tuple[Any, str]:
    """The value meant by what a cell now holds, None for an emptied one; and the problem with it."""
    if text == grid.shown.iat[place]:
        return grid.start[at], ""
    if isinstance(text, bool):
        return text, ""
    if text is None or not str(text).strip():
        return None, ""
    return read_number(str(text))


def _put(scene: Scene, name: str, cells: Mapping[tuple[int, int], Any], grid: Grid) -> NDArray[Any]:
    """Put the cells into the session's edits; returns what the matrix must now hold."""
    settings = state.settings()
    expected = grid.start.copy()
    for at, value in cells.items():
        expected[at] = grid.start[at] if value is None else value
    if name == "keep":
        if settings.mask != "drawn":
            editing().mask_before = settings.mask
        values, edits = with_mask(settings, edits_of(settings), expected)
        put_edits(edits, **values)
    else:
        edits = with_cells(plain_lesson(scene), edits_of(settings), name, scene.focus.head, cells)
        put_edits(edits)
    return expected


def plain_lesson(scene: Scene) -> Lesson:
    """The lesson on screen without edits."""
    plain = lesson_of(replace(scene.lesson.settings, edits=""), scene.lesson.limit)
    assert plain is not None  # its sentence has tokens, or nothing would be on screen
    return plain


def refusals(scene: Scene, name: str) -> None:
    """Which cells were not taken, and why; what stood there stands there still."""
    refused = [one for one in editing().refused if one.matrix == name]
    lines = [
        scene.words.html(
            f"edit.refused.{one.problem}", place=one.place, text=one.text[:40], most=f"{LARGEST:,.0f}"
        )
        for one in refused[:MOST_SAID]
    ]
    if len(refused) > MOST_SAID:
        lines.append(scene.words.html("edit.refused.more", n=len(refused) - MOST_SAID))
    notices([*lines, scene.words.html("edit.refused.kept")] if lines else [])


def forget_refusals() -> None:
    """Say no more which cells were not taken."""
    editing().refused = []
