"""Inputs tied to settings: a whole number, a number, a choice, a text, a switch, and setups that change many."""

from typing import Any

import streamlit as st

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.kinds import Choice, Real, Text, Whole
from attnviz.lesson.settings import find_setting
from attnviz.lesson.setups import setup
from attnviz.ui.kit import state
from attnviz.words import Words


def put_setup(name: str) -> None:
    """Put a setup into the settings; for callbacks. One that needs a sentence has it in each language."""
    words = state.words()
    sentence = f"common.setup.{name}_sentence"
    state.put(**setup(name), **({"sentence": words(sentence)} if sentence in words else {}))


def whole(name: str, words: Words, *, place: str = "w", **look: Any) -> None:
    """A whole number with steppers.

    A second one on the page needs a `place` of its own; `look` goes to the widget as it is.
    """
    kind = find_setting(name).kind
    assert isinstance(kind, Whole)
    st.number_input(
        words(f"common.controls.{name}"),
        kind.low,
        kind.high,
        state.settings()[name],  # what an emptied box goes back to; else it would be the smallest number
        step=1,
        **{"help": words(f"common.help.{name}")} | look,
        **state.widget(name, place=place),
    )


def real(name: str, words: Words) -> None:
    """A number with decimals."""
    kind = find_setting(name).kind
    assert isinstance(kind, Real)
    st.number_input(
        _label(name, words),
        kind.low,
        kind.high,
        float(state.settings()[name]),
        step=0.1,
        format="%g",
        help=words.either(f"common.help.{name}", "") or None,
        **state.widget(name, float(state.settings()[name])),
    )


def choice(name: str, words: Words, *, side_by_side: bool = False, place: str = "w", **look: Any) -> None:
    """One of a few names: a list, or where `side_by_side` all of them side by side; `place` and `look` as in `whole`."""
    kind = find_setting(name).kind
    assert isinstance(kind, Choice)

    auto = _automatic(name, words)

    def shown(option: str) -> str:
        return words.either(f"common.{name}.{option}", option, auto=auto)

    label = words(f"common.controls.{name}")
    common: dict[str, Any] = {
        "format_func": shown,
        "help": words(f"common.help.{name}"),
        **state.widget(name, place=place, shown=shown(state.settings()[name])),
    }
    if side_by_side:
        st.segmented_control(label, kind.options, required=True, **{"width": "stretch"} | common | look)
    else:
        st.selectbox(label, kind.options, filter_mode=None, **common | look)


def _label(name: str, words: Words) -> str:
    """What a setting is called at its control; a parameter without words by its letter or its name."""
    found = [score.numbers[name] for score in SCORE_FUNCTIONS.values() if name in score.numbers]
    return words.either(f"common.controls.{name}", found[0].letter or name if found else name)


def text(name: str, words: Words) -> None:
    """A line of text."""
    kind = find_setting(name).kind
    assert isinstance(kind, Text)
    st.text_input(
        words(f"common.controls.{name}"),
        max_chars=kind.longest,
        help=words(f"common.help.{name}"),
        autocomplete="off",
        **state.widget(name, typed=True),
    )


def switch(name: str, words: Words) -> None:
    """On or off."""
    st.toggle(words(f"common.controls.{name}"), help=words(f"common.help.{name}"), **state.widget(name))


def _automatic(name: str, words: Words) -> str:
    """What "auto" stands for just now, in words."""
    settings = state.settings()
    if name == "scale":
        return words(f"common.scale.{SCORE_FUNCTIONS[settings.score].default_scale}")
    if name == "embedding":
        return words(
            "common.embedding.integer" if settings.preset == "integers" else "common.embedding.normal"
        )
    return ""
