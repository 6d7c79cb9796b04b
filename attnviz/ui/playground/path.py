"""The path of stations, and one key to go on or back."""

import streamlit as st

from attnviz.explain.reference import moved
from attnviz.explain.stations import made
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import STAGES
from attnviz.ui.kit import state
from attnviz.ui.kit.page.back_and_on import back_and_on
from attnviz.words import Words


def path(lesson: Lesson | None) -> None:
    """All stations with their shapes, without a lesson their names; the selected one is shown below."""
    words = state.words()
    stage = state.settings().stage

    def name(stage: str) -> str:
        station = words(f"playground.stages.{stage}")
        return f"{station} *{shape(stage, lesson)}*" if lesson else station

    st.segmented_control(
        words("playground.path"),
        STAGES,
        format_func=name,
        required=stage in STAGES,
        label_visibility="collapsed",
        width="stretch",
        on_change=_go,
        **state.show("path", stage if stage in STAGES else None),
    )


def shape(stage: str, lesson: Lesson) -> str:
    """The shape of what a station makes, turned where tokens are columns."""
    arrays = made(lesson.trace, stage)
    leading = [str(size) for size in arrays[0].shape[:-2]]
    rows, columns = (", ".join(dict.fromkeys(str(a.shape[axis]) for a in arrays)) for axis in (-2, -1))
    if lesson.settings.notation == "columns":
        rows, columns = columns, rows
    sizes = [*leading, rows, columns]
    between = " × " if len("".join(sizes)) < 6 else "×"  # nine stations share a row
    return between.join(sizes)


def step_buttons(words: Words) -> None:
    """One station back or on, by button or by the keys P and N."""
    at = STAGES.index(state.settings().stage) if state.settings().stage in STAGES else -1
    back_and_on(
        words("playground.back"),
        words("playground.on"),
        key="icon",
        first=at <= 0,
        last=at == len(STAGES) - 1,
        move=_step,
    )


def _step(by: int) -> None:
    """From where the reader is now, not from where the button was drawn: a quick N, N is two steps."""
    stage = state.settings().stage
    at = STAGES.index(stage) if stage in STAGES else -1
    go(STAGES[min(max(at + by, 0), len(STAGES) - 1)])


def go(stage: str) -> None:
    """Go to a station; an open board goes along and asks about the cell in focus there."""
    state.put(**_going(stage))


def _going(stage: str) -> dict[str, str]:
    return {"stage": stage, "ask": moved(state.settings().ask, stage)}


def _go() -> None:
    chosen = st.session_state["path"]
    if chosen is not None:
        state.answer("path", **_going(chosen))
