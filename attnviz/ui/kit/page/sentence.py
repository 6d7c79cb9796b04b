"""The sentence box, its examples, and the strip of tokens that is also the query picker."""

import streamlit as st

from attnviz.figures.labels import quoted, shorten, subscript
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import LIMIT_CHARACTERS
from attnviz.ui.kit import state
from attnviz.ui.kit.text.markup import markdown
from attnviz.ui.kit.text.prose import notices
from attnviz.words import Words

EXAMPLES = 8


def sentence_box() -> None:
    """The sentence and the examples."""
    words = state.words()
    with st.container(horizontal=True, gap="small"):
        st.text_input(
            words("playground.sentence"),
            max_chars=LIMIT_CHARACTERS,
            label_visibility="collapsed",
            placeholder=words("playground.type"),
            autocomplete="off",
            **state.widget("sentence"),
        )
        st.selectbox(
            words("playground.examples"),
            examples(words),
            index=None,
            placeholder=words("playground.examples"),
            label_visibility="collapsed",
            filter_mode=None,
            width=196,
            key="example",
            on_change=_take_example,
        )


def examples(words: Words) -> list[str]:
    """The example sentences of the language."""
    return [words(f"playground.example.{i}") for i in range(1, EXAMPLES + 1)]


def _take_example() -> None:
    chosen = st.session_state["example"]
    if chosen is not None:
        state.put(sentence=chosen)
        st.session_state["example"] = None


def token_strip(lesson: Lesson, query: int) -> None:
    """The tokens; the chosen one is the query in focus."""
    words = state.words()
    tokens = lesson.tokens.tokens
    names = [_name(token, position) for position, token in enumerate(tokens)]
    count = words(
        "playground.count_cross" if lesson.cross else "playground.count",
        n=len(tokens),
        m=len(lesson.source.tokens),
        d_model=lesson.settings.d_model,
    )
    st.pills(
        f"{words('playground.focus')} *{count}*",
        range(len(tokens)),
        wrap=True,
        width="stretch",
        format_func=names.__getitem__,
        required=True,
        on_change=lambda: state.answer("tokens", query=st.session_state["tokens"]),
        **state.show("tokens", query, tokens[query]),
    )
    _limits(lesson, words)


def _name(token: str, position: int) -> str:
    """The token and its position.

    Streamlit looks for an icon in a label up to its first space, which costs 50 microseconds where that is not
    ASCII, as the digits of a position are: they stand behind a space, which our CSS takes back.
    """
    name = markdown(quoted(shorten(token)))
    return f"{name}{' ' if name.isascii() else ''}{subscript(position)}"


def _limits(lesson: Lesson, words: Words) -> None:
    lines = []
    for tokens in (lesson.tokens, lesson.source) if lesson.cross else (lesson.tokens,):
        if tokens.cut:
            lines.append(words.html("playground.cut", limit=lesson.limit, cut=tokens.cut))
        if tokens.unread:
            lines.append(words.html("playground.unread", unread=tokens.unread))
        if tokens.dropped_controls:
            lines.append(words.html("playground.controls_dropped", n=tokens.dropped_controls))
        if tokens.by_character:
            lines.append(words.html("playground.by_character"))
    notices(lines)
