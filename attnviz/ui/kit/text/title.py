"""The first row of a lesson page."""

import streamlit as st

from attnviz.ui.kit import state
from attnviz.ui.kit.text.glossary import glossary


def page_title(page: str, *terms: str) -> None:
    """The page's title and the glossary of `terms`."""
    with st.container(horizontal=True, vertical_alignment="center", key="page_title"):
        st.title(state.words()(f"{page}.title"), anchor=False, width="stretch")
        glossary(*terms)
