"""The pages there are, in reading order: the playground, then the lessons, each of which says its place."""

from importlib import import_module

import streamlit as st
from streamlit.navigation.page import Page

from attnviz.site import SITE
from attnviz.ui.kit import state
from attnviz.ui.kit.session import session
from attnviz.words import Words

FOLDER = SITE / "pages"
FRONT = "playground"
LESSONS = "attnviz.ui.lessons"  # looked up by name: a page is added in its own folder, not here


def names() -> tuple[str, ...]:
    """The pages there are, by the names of their files."""
    lessons = {path.stem for path in FOLDER.glob("*.py")} - {FRONT}
    return (FRONT, *sorted(lessons, key=lambda name: (_place(name), name)))


def _place(lesson: str) -> int:
    """Where a lesson stands among the lessons: PLACE in the __init__.py of its folder."""
    return int(import_module(f"{LESSONS}.{lesson}").PLACE)


def pages() -> list[Page]:
    """The pages, titles in the reader's language, addresses the same in every language; a session's stay the same."""
    words = state.words()
    made = session().pages
    if words.language not in made:
        made[words.language] = _pages(words)
    return made[words.language]


def _pages(words: Words) -> list[Page]:
    return [
        st.Page(
            FOLDER / f"{name}.py",
            title=words(f"{name}.menu"),
            url_path="" if name == FRONT else name,
            default=name == FRONT,
        )
        for name in names()
    ]
