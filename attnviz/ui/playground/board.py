"""The board on the page: ask a cell, walk from cell to cell, close."""

import streamlit as st

from attnviz.explain import Cell
from attnviz.explain.in_lesson import explain_in
from attnviz.explain.reference import ask, asked_at, asked_cell, from_text
from attnviz.lesson.lesson import Lesson
from attnviz.ui.kit import state
from attnviz.ui.kit.component import component
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import note
from attnviz.ui.playground.board_data import board_data

KEY = "board"


def board(scene: Scene) -> None:
    """The arithmetic of the asked cell, or how to ask."""
    settings, focus = state.settings(), scene.focus
    if not settings.ask:
        return
    cell = asked_cell(settings.ask, scene.lesson.trace, focus.head, focus.query, focus.key)
    if cell is None:
        note(scene.words("board.none", asked=settings.ask))
        return
    component(KEY, "region")(
        key=KEY,
        data=board_data(scene, explain_in(scene.lesson, cell)),
        on_asked_change=lambda: _asked(scene.lesson),
        on_closed_change=lambda: state.put(ask=""),
    )


def ask_button(stage: str, scene: Scene) -> None:
    """How to ask about a cell, where none is asked; a click here or A asks about the one in focus."""
    if not scene.lesson.settings.ask:
        st.button(
            scene.words("board.ask"),
            type="tertiary",
            shortcut="A",
            wrap=True,
            key="ask",
            on_click=lambda: state.put(ask=asked_at(stage)),
        )


def _asked(lesson: Lesson) -> None:
    """What comes back from the browser is data like any other: checked before it is used."""
    text = st.session_state[KEY].asked
    cell = from_text(text, lesson.trace) if isinstance(text, str) else None
    if cell is None:
        state.touch()
    else:
        ask_cell(cell)


def ask_cell(cell: Cell) -> None:
    """Ask about a cell; for callbacks."""
    state.put(**ask(cell))
