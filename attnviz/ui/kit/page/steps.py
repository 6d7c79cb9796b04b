"""A lesson in steps: a question, a guess, then the measurement; or one step at a time, large, for a class.

The words of a step are `PAGE.STEP.title`, `.question`, `.guess_1` to `.guess_3`; what comes after
the guess is drawn by the page. Without a question the step is shown at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st
from markupsafe import Markup

from attnviz.ui.kit import state
from attnviz.ui.kit.page.back_and_on import back_and_on
from attnviz.ui.kit.page.pressed import pressed
from attnviz.ui.kit.session import session
from attnviz.ui.kit.text.prose import prose
from attnviz.words import Words

GUESSES = 3


@dataclass(frozen=True)
class Step:
    """One step: `draw` shows the measurement, `answer` says from the numbers which guess (1 to 3) was right.

    An answer of 0 says that it is not measured yet.

    `controls` are drawn above the measurement and stay while nothing is revealed; None for none.
    `values` are those of the placeholders in the title, the question and the guesses.
    """

    name: str
    draw: Callable[[], None]
    answer: Callable[[], int] | None = None
    controls: Callable[[], None] | None = None
    values: Mapping[str, object] = field(default_factory=dict)


def lesson(page: str, steps: Sequence[Step]) -> None:
    """The steps one below another; in presenter's mode one at a time, with one key to go on."""
    words = state.words()
    settings = state.settings()
    _bar(words, len(steps))
    if settings.present:
        number = min(settings.step, len(steps))
        with st.container(key="presenting"):  # large type: see style.css
            _step(page, number, steps[number - 1], words)
        return
    for number, step in enumerate(steps, start=1):
        _step(page, number, step, words)


def _bar(words: Words, count: int) -> None:
    """The title row: show all answers, presenter's mode, and there one step back or on."""
    settings = state.settings()
    at = min(settings.step, count)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lesson_bar"):
        if settings.present:
            st.html(
                Markup('<span class="av-muted">{}</span>').format(words("common.steps.at", at=at, all=count))
            )
        _on_or_off("reveal", ":material/visibility:", words)
        _on_or_off("present", ":material/slideshow:", words)
        if settings.present:
            back_and_on(
                words("common.steps.back"),
                words("common.steps.on"),
                key="icon_step",
                first=at <= 1,
                last=at >= count,
                move=lambda by: _move(by, count),
            )


def _on_or_off(name: str, icon: str, words: Words) -> None:
    """A button, not a toggle: while the focus is on one of those, Streamlit takes N and P for typing."""
    st.button(
        pressed(words(f"common.steps.{name}"), state.settings()[name]),
        icon=icon,
        type="tertiary",
        help=words(f"common.steps.{name}_help"),
        key=name,
        on_click=lambda: state.put(**{name: not state.settings()[name]}),
    )


def _move(by: int, count: int) -> None:
    """From where the reader is now, not from where the button was drawn: a quick N, N is two steps."""
    state.put(step=min(max(min(state.settings().step, count) + by, 1), count))


def _step(page: str, number: int, step: Step, words: Words) -> None:
    name = f"{page}.{step.name}"
    with st.container(key=f"step_{step.name}"):
        st.header(f"{number}. {words(f'{name}.title', **step.values)}", anchor=step.name)
        if step.controls is not None:
            step.controls()
        if f"{name}.question" not in words or step.answer is None:
            step.draw()
            return
        prose(words.html(f"{name}.question", **step.values))
        guess = _guess(name, step.values, words)
        if guess or state.settings().reveal:
            _verdict(name, step.values, guess, step.answer(), words)
            step.draw()


def _guess(name: str, values: Mapping[str, object], words: Words) -> int:
    """The reader's guess, 1 to 3, or 0 for none yet; kept for the session, whatever page is open."""
    guesses = session().guesses
    key = f"guess_{name}"
    kept = state.show(key, guesses.get(name) or None)

    def take() -> None:
        guesses[name] = st.session_state[key] or 0
        state.touch()

    st.segmented_control(
        words("common.steps.guess"),
        range(1, GUESSES + 1),
        format_func=lambda option: words(f"{name}.guess_{option}", **values),
        on_change=take,
        wrap=True,
        **kept,
    )
    return guesses.get(name, 0)


def _verdict(name: str, values: Mapping[str, object], guess: int, right: int, words: Words) -> None:
    if not right:
        if guess:
            waits = words.html("common.steps.waits", guess=words(f"{name}.guess_{guess}", **values))
            st.html(Markup('<p class="av-verdict">{}</p>').format(waits))
        return
    answer = words(f"{name}.guess_{right}", **values)
    if not guess:
        text = words.html("common.steps.answer", answer=answer)
    elif guess == right:
        text = words.html("common.steps.right", answer=answer)
    else:
        text = words.html("common.steps.wrong", guess=words(f"{name}.guess_{guess}", **values), answer=answer)
    st.html(Markup('<p class="av-verdict">{}</p>').format(text))
