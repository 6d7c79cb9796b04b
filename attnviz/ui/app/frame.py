"""What surrounds every page: page config, style, logo, language, notices."""

import gc
from typing import Literal

import numpy  # noqa: F401  (imported here so that warm_up can freeze them)
import pandas  # noqa: F401
import plotly.graph_objects  # noqa: F401
import streamlit as st

from attnviz.ui.kit import address, state, style
from attnviz.ui.kit.component import component
from attnviz.ui.kit.edited import missing_lines
from attnviz.ui.kit.pictures.maps import offer
from attnviz.ui.kit.session import session
from attnviz.ui.kit.text.prose import notices
from attnviz.ui.kit.text.told import told


def configure() -> None:
    """The page config; where a class looks on, the sidebar is folded away."""
    sidebar: Literal["collapsed"] | int = "collapsed" if state.settings().present else 320
    st.set_page_config(page_icon=style.icon(), layout="wide", initial_sidebar_state=sidebar)
    warm_up()


def speak() -> None:
    """Have the document say its language and its direction, for screen readers and our CSS; Streamlit's says English."""
    words = state.words()
    if session().told != words.language:
        component("language", "none")(key="language", data={"lang": words.language, "dir": words.direction})
        session().told = words.language


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Take the imported libraries out of the garbage collector's sight: it runs before each answer is done."""
    _freeze()


@st.cache_resource(show_spinner=False)
def settle(page: str) -> None:  # the cache's key
    """The same for what the first answer of a page has brought along; called at its end."""
    _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


def dress() -> None:
    """Our CSS in the theme in force, the logo, and what draws the maps."""
    theme = state.theme()
    st.html(style.css(theme))
    offer()
    st.logo(style.logo(theme), size="large")


def show_notices() -> None:
    """One line for each value that could not be taken as it was given."""
    words = state.words()
    lines = [told(notice, words) for notice in session().notices]
    lines += missing_lines(state.settings(), words)
    if not address.link_is_whole():
        lines.append(words.html("common.notices.link"))
    notices(lines)
