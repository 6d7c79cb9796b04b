"""What keeps Streamlit from running a page without app.py."""

import threading

import streamlit as st

from attnviz.ui.kit.page.pages import pages

_run = threading.local()  # one script run is one thread


def arm() -> None:
    """Say that app.py has run: called between `st.navigation` and `pg.run()`."""
    _run.armed = True


def ensure() -> None:
    """First statement of every page: send the run back where Streamlit started the page without app.py.

    Until some run calls `st.navigation`, a folder named pages/ makes Streamlit do so on a deep link.
    """
    if getattr(_run, "armed", False):
        _run.armed = False
        return
    st.navigation(pages(), position="hidden")
    st.rerun()
