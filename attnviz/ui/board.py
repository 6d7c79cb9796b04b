"""The board on the page: ask a cell, walk from cell to cell, close."""

from pathlib import Path

import streamlit as st

from attnviz.explain import Cell, explain
from attnviz.explain.reference import ask, asked_cell, from_text
from attnviz.lesson import Lesson
from attnviz.ui import state
from attnviz.ui.board_data import board_data
from attnviz.ui.scene import Scene

_ASSETS = Path(__file__).with_name("assets")
KEY = "board"


@st.cache_resource
def _component():  # type: ignore[no-untyped-def]  # Streamlit's type is not public
    """The component, registered once a process; html, css and js are constants."""
    return st.components.v2.component(
        "attnviz_board",
        html='<div class="board" role="region"></div>',
        css=(_ASSETS / "board.css").read_text(encoding="utf-8"),
        js=(_ASSETS / "board.js").read_text(encoding="utf-8"),
    )


def board(scene: Scene) -> None:
    """The arithmetic of the asked cell, or how to ask."""
    settings, focus = state.settings(), scene.focus
    if not settings.ask:
        return
    cell = asked_cell(settings.ask, scene.lesson, focus.head, focus.query, focus.key)
    if cell is None:
        return
    _component()(
        key=KEY,
        data=board_data(scene, explain(scene.lesson, cell)),
        on_asked_change=lambda: _asked(scene.lesson),
        on_closed_change=lambda: state.put(ask=""),
    )


def _asked(lesson: Lesson) -> None:
    """What comes back from the browser is data like any other: checked before it is used."""
    text = st.session_state[KEY].asked
    cell = from_text(text, lesson) if isinstance(text, str) else None
    if cell is None:
        st.session_state["fired"] = True
    else:
        ask_cell(cell)


def ask_cell(cell: Cell) -> None:
    """Ask about a cell; for callbacks."""
    state.put(**ask(cell))
