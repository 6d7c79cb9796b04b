"""The pages there are, in reading order."""

import streamlit as st
from streamlit.navigation.page import Page

from attnviz.site import SITE
from attnviz.ui.kit import state
from attnviz.words import Words

FOLDER = SITE / "pages"
# In reading order; a page whose file is not there yet is passed over.
ORDER = ("playground", "embedding", "scores", "scaling", "heads", "masks", "conventions", "images")


def names() -> tuple[str, ...]:
    """The pages there are, by the names of their files."""
    return tuple(name for name in ORDER if (FOLDER / f"{name}.py").is_file())


def pages() -> list[Page]:
    """The pages, titles in the reader's language, addresses the same in every language; a session's stay the same."""
    words = state.words()
    made: dict[str, list[Page]] = st.session_state.setdefault("pages", {})
    if words.language not in made:
        made[words.language] = _pages(words)
    return made[words.language]


def _pages(words: Words) -> list[Page]:
    return [
        st.Page(
            FOLDER / f"{name}.py",
            title=words(f"common.pages.{name}"),
            url_path="" if name == "playground" else name,
            default=name == "playground",
        )
        for name in names()
    ]
