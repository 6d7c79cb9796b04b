"""Two buttons, one back and one on, and their keys P and N."""

from collections.abc import Callable

import streamlit as st


def back_and_on(
    back: str, on: str, *, key: str, first: bool, last: bool, move: Callable[[int], None]
) -> None:
    """One back or on, by button or by the keys P and N: `move` gets -1 or 1, except beyond the first and the last."""
    st.button(
        back,
        icon=":material/arrow_back:",
        shortcut="P",
        key=f"{key}_back",
        disabled=first,
        on_click=lambda: move(-1),
    )
    st.button(
        on,
        icon=":material/arrow_forward:",
        shortcut="N",
        key=f"{key}_on",
        disabled=last,
        on_click=lambda: move(1),
    )
