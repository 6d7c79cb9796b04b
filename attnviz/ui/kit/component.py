"""A component of our own in the browser: an element with the style sheet and the script of its name."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attnviz.ui.kit.style import ASSETS


@st.cache_resource
def component(name: str, role: str) -> Callable[..., Any]:
    """The component of this name, registered once a process; html, css and js are constants."""
    return st.components.v2.component(
        f"attnviz_{name}",
        html=f'<div class="{name}" role="{role}"></div>',
        css=(ASSETS / f"{name}.css").read_text(encoding="utf-8"),
        js=(ASSETS / f"{name}.js").read_text(encoding="utf-8"),
    )
