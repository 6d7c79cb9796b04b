"""The box for the second sentence, which gives keys and values."""

import streamlit as st

from attnviz.lab.decoding.decoding import with_source
from attnviz.lesson.settings import LIMIT_CHARACTERS
from attnviz.ui.kit import state


def source_box() -> None:
    """The source sentence, and a button that puts an example in or takes the sentence away."""
    words, settings = state.words(), state.settings()
    example = with_source(settings).source
    left, right = st.columns([4.1, 1], gap="small")
    with left:
        st.text_input(
            words("common.names.source"),
            max_chars=LIMIT_CHARACTERS,
            label_visibility="collapsed",
            placeholder=words("masks.source.empty", example=example),
            autocomplete="off",
            **state.widget("source", place="page"),
        )
    with right:
        blank = not settings.source.strip()
        st.button(
            words("masks.source.take" if blank else "masks.source.clear"),
            key="source_example",
            width="stretch",
            on_click=lambda: state.put(source=example if blank else ""),
        )
