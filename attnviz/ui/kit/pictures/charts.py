"""Figures on the page: a key, alt text, clicks, the colour key, scrolling where they are wide."""

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st
from markupsafe import Markup

from attnviz.figures.base import CONFIG, Figure
from attnviz.figures.labels import number
from attnviz.ui.kit import style
from attnviz.ui.kit.pictures.maps import Click, Given, draw_maps


def chart(
    figure: Figure | go.Figure,
    *,
    key: str,
    alt: str,
    least: int = 0,
    on_cell: Callable[[Click], None] | None = None,
    given: Given = (),
) -> None:
    """Draw a figure, matrices by our own renderer, others by Plotly.

    Where `least` is given, it scrolls inside its own container below so many pixels. `on_cell` is called before the
    next run when a cell of matrices is chosen, with what was `given` along; it must hold no figure, scene or lesson.
    """
    if least:
        with st.container(key=style.wide(key, least)):
            chart(figure, key=key, alt=alt, on_cell=on_cell, given=given)
    elif isinstance(figure, go.Figure):
        st.plotly_chart(figure, theme=None, key=key, config=CONFIG, alt=alt)
    else:
        draw_maps(figure, key=key, alt=alt, on_cell=on_cell, given=given)


def colour_key(limit: float, *, weights: bool, caption: str, title: str = "") -> None:
    """The colour scale as a gradient with its ends, under its title: a Plotly colour bar never aligns."""
    low = "0" if weights else number(-limit)
    high = "1" if weights and limit == 1 else number(limit)
    key = Markup('<div class="av-key"><span>{}</span><i class="{}"></i><span>{}</span><span>{}</span></div>')
    above = Markup('<span class="av-label">{}</span>').format(title) if title else Markup("")
    st.html(
        above + key.format(low, "weights" if weights else "signed", high, caption),
        width="content" if title else "stretch",
    )
