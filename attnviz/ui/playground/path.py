"""The path of stations, and one key to go on or back."""

import streamlit as st

from attnviz.explain.reference import moved
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
        **state.seed("path", stage if stage in STAGES else None),
    )


def shape(stage: str, lesson: Lesson) -> str:
    """The shape of what a station makes, turned where tokens are columns."""
    trace = lesson.trace
    shapes = {
        "x": trace.x.shape,
        "qkv": trace.query.shape,
        "scores": trace.scores.shape,
        "scaled": trace.scaled.shape,
        "masked": trace.scaled.shape,
        "weights": trace.weights.shape,
        "heads": trace.head_outputs.shape,
        "concat": trace.concat.shape,
        "output": trace.output.shape,
    }
    *leading, rows, columns = (str(size) for size in shapes[stage])
    if stage == "qkv":  # Q, K and V differ where n and m or d_k and d_v do
        rows, columns = (
            ", ".join(dict.fromkeys(str(a.shape[axis]) for a in (trace.query, trace.key, trace.value)))
            for axis in (1, 2)
        )
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
