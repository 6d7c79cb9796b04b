"""Change it by hand: the matrices that a station's numbers come from, each in a grid."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from attnviz.editing import edited_sheet, read_number, with_cells, with_mask, without_sheet
from attnviz.edits import AXES, LARGEST, NO_EDITS, sheet
from attnviz.lesson import Lesson, editable
from attnviz.ui import state
from attnviz.ui.edit_note import array_name
from attnviz.ui.edited import edits_of, put_edits
from attnviz.ui.lessons import lesson_of
from attnviz.ui.prose import label, note, notices
from attnviz.ui.scene import Scene
from attnviz.ui.table import Table, frame
from attnviz.words import Words

MOST_SAID = 5  # cells that a message names one by one
WIDTH = 72  # pixels of a column
HIGHEST = 420  # pixels of the grid; what is longer scrolls in it

_SCORES = ("score_w", "score_w_query", "score_w_key", "score_v", "w_q", "w_k")
EDITED_AT: dict[str, tuple[str, ...]] = {
    "x": ("x", "x_source"),
    "qkv": ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "scores": _SCORES,
    "scaled": _SCORES,
    "masked": ("keep",),
    "weights": (*_SCORES, "keep"),
    "heads": ("w_v", "b_v"),
    "concat": ("w_v", "b_v"),
    "output": ("w_o", "b_o"),
}


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


def edit_popover(stage: str, scene: Scene) -> None:
    """The button that opens the grids of the station."""
    words = scene.words
    box = st.popover(
        words("edit.edit"), icon=":material/edit:", type="tertiary", key="edit", on_change=state.touch
    )
    if not box.open:
        st.session_state.pop("refused", None)
        return
    names = [name for name in EDITED_AT[stage] if name in editable(scene.lesson)]
    with box, st.container(key="edit_box", gap="small"):
        name = _which(stage, names, words)
        _grid(scene, name)
        _refused(scene, name)
        note(words("edit.mask_hint" if name == "keep" else "edit.hint"))
        _resets(scene, name)


def _which(stage: str, names: list[str], words: Words) -> str:
    """The matrix to edit, picked where there are several."""
    if len(names) == 1:
        label(array_name(names[0], words))
        return names[0]
    chosen = st.segmented_control(
        words("edit.which"),
        names,
        format_func=lambda name: array_name(name, words).replace("_", "\\_"),
        required=True,
        default=names[0],
        label_visibility="collapsed",
        key=f"edit_{stage}",
    )
    return chosen if chosen in names else names[0]


def _grid(scene: Scene, name: str) -> None:
    head = scene.focus.head
    numbers = sheet(name, editable(scene.lesson)[name], head)  # tokens as rows
    target = (name, head if AXES[name][0] == "num_heads" else 0, scene.columns, numbers.shape)
    grid: Grid | None = st.session_state.get("grid")
    up_to_date = grid is not None and grid.target == target and np.array_equal(grid.expected, numbers)
    if grid is None or not up_to_date or grid.key not in st.session_state:
        count = st.session_state.get("grids", 0) + 1
        st.session_state["grids"] = count
        grid = Grid(target, f"grid_{count}", _frame(scene, name, numbers), numbers.copy(), numbers.copy())
        st.session_state["grid"] = grid
    st.data_editor(
        grid.shown,
        key=grid.key,
        width="content",
        height=min(HIGHEST, 35 * (len(grid.shown) + 1) + 3),
        disabled=["_index"],
        column_config={title: _column(name) for title in grid.shown.columns},
        on_change=_changed,
        args=(scene, name, grid),
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


def _changed(scene: Scene, name: str, grid: Grid) -> None:
    """Take over what was typed or pasted; what is no number is refused by name and changes nothing."""
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
    st.session_state["refused"] = refused
    try:
        expected = _put(scene, name, cells, grid)
    except ValueError:
        st.session_state["refused"] = [Refusal(name, array_name(name, scene.words), str(len(cells)), "many")]
        expected = None
        state.touch()
    # A cell that shows anything else than what now stands there: the grid is filled anew.
    if refused or expected is None or None in cells.values():
        st.session_state.pop("grid")
    else:
        st.session_state["grid"] = replace(grid, expected=expected)


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
            st.session_state["mask_before"] = settings.mask
        values, edits = with_mask(settings, edits_of(settings), expected)
        put_edits(edits, **values)
    else:
        edits = with_cells(_plain(scene), edits_of(settings), name, scene.focus.head, cells)
        put_edits(edits)
    return expected


def _plain(scene: Scene) -> Lesson:
    """The lesson on screen without edits."""
    plain = lesson_of(replace(scene.lesson.settings, edits=""))
    assert plain is not None  # its sentence has tokens, or nothing would be on screen
    return plain


def _refused(scene: Scene, name: str) -> None:
    """Which cells were not taken, and why; what stood there stands there still."""
    refused = [one for one in st.session_state.get("refused", []) if one.matrix == name]
    lines = [
        scene.words.html(
            f"edit.refused.{one.problem}", place=one.place, text=one.text[:40], most=f"{LARGEST:,.0f}"
        )
        for one in refused[:MOST_SAID]
    ]
    if len(refused) > MOST_SAID:
        lines.append(scene.words.html("edit.refused.more", n=len(refused) - MOST_SAID))
    notices([*lines, scene.words.html("edit.refused.kept")] if lines else [])


def _resets(scene: Scene, name: str) -> None:
    words, head = scene.words, scene.focus.head
    drawn = scene.lesson.settings.mask == "drawn"
    edited = drawn if name == "keep" else edited_sheet(scene.lesson, name, head) is not None
    title = array_name(name, words)
    if AXES[name][0] == "num_heads" and name != "w_o":
        title = f"{title}, {words('common.head_n', n=head + 1)}"
    with st.container(horizontal=True, gap="small", key="edit_resets"):
        st.button(
            words("edit.reset", name=title.replace("_", "\\_")),
            key="edit_reset",
            disabled=not edited,
            on_click=_reset,
            args=(scene, name),
        )
        st.button(
            words("edit.reset_all"),
            key="edit_reset_all",
            disabled=not (drawn or scene.lesson.settings.edits),
            on_click=lambda: put_edits(NO_EDITS, **_mask_before()),
        )


def _reset(scene: Scene, name: str) -> None:
    edits = edits_of(state.settings())
    if name == "keep":
        put_edits(edits.without(["keep"]), **_mask_before())
    else:
        put_edits(without_sheet(_plain(scene), edits, name, scene.focus.head))


def _mask_before() -> dict[str, str]:
    """The mask that was chosen before one was drawn."""
    if state.settings().mask != "drawn":
        return {}
    return {"mask": st.session_state.get("mask_before", "none"), "drawn": ""}
