"""Sentences on the page: HTML of our own, in which every value is escaped."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup


def prose(text: Markup | str) -> None:
    """A paragraph of running text."""
    _paragraph("av-prose", text)


def sum_up(text: Markup | str) -> None:
    """The one line to take home."""
    _paragraph("av-sumup", text)


def note(text: Markup | str) -> None:
    """A quiet line: a condition, a source, a caveat."""
    _paragraph("av-note", text)


def arithmetic(text: Markup | str) -> None:
    """A line of numbers written out."""
    _paragraph("av-sum", text)


def label(text: Markup | str, *, width: str = "stretch") -> None:
    """A short bold label above a picture or beside a control."""
    st.html(Markup('<span class="av-label">{}</span>').format(text), width=width)  # type: ignore[arg-type]


def notices(lines: Sequence[Markup | str]) -> None:
    """What the page has to say about what it was given; nothing where there are no lines."""
    if lines:
        inner = Markup("").join(Markup("<p>{}</p>").format(line) for line in lines)
        st.html(Markup('<div class="av-notices" role="status">{}</div>').format(inner))


def _paragraph(style: str, text: Markup | str) -> None:
    st.html(Markup('<p class="{}">{}</p>').format(style, text))
