"""What the steps of the page on sqrt(d_k) share: controls in a row, and how a step ends."""

from collections.abc import Callable, Sequence

import streamlit as st
from markupsafe import Markup

from attnviz.ui.kit.text.prose import note, prose, sum_up
from attnviz.ui.lessons.scaling import tables
from attnviz.ui.lessons.scaling.look import Look


def controls_row(*draws: Callable[[], None]) -> None:
    """Controls side by side."""
    for column, draw in zip(st.columns(len(draws), gap="medium"), draws, strict=True):
        with column:
            draw()


def end(
    look: Look,
    step: str,
    texts: Sequence[Markup],
    line: Markup,
    conditions: Sequence[Markup],
    columns: Callable[[], tables.Columns],
) -> None:
    """The paragraphs, the line to take home with the numbers behind the pictures, the small print.

    Where a class looks on, the line comes first: it must be on the screen with the pictures.
    """
    if not look.settings.present:
        paragraphs(texts)
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", wrap=False, key=f"end_{step}"
    ):
        sum_up(line)
        tables.table(look, step, columns)
    if look.settings.present:
        paragraphs(texts)
    for condition in filter(None, conditions):
        note(condition)


def paragraphs(texts: Sequence[Markup]) -> None:
    """Running text, one idea a paragraph."""
    for paragraph in texts:
        prose(paragraph)
