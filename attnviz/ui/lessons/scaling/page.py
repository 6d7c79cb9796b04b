"""Why divide by sqrt(d_k)?"""

import streamlit as st

from attnviz.ui.kit import state
from attnviz.ui.kit.page.steps import lesson
from attnviz.ui.kit.text.glossary import glossary
from attnviz.ui.kit.text.prose import prose
from attnviz.ui.lessons.scaling import controls
from attnviz.ui.lessons.scaling.look import Look
from attnviz.ui.lessons.scaling.steps import scaling_steps


def page() -> None:
    """The whole page below the frame."""
    look = Look(state.words(), state.palette(), state.settings())
    if not look.settings.present:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="scaling_head"):
            st.title(look("title"), anchor=False, width="stretch")
            controls.paper(look)
            glossary("scale", "d_k", "inner_product", "softmax")
        prose(look.html("lead"))
        st.markdown(r"$\mathrm{softmax}\!\left(\dfrac{QK^{\top}}{\sqrt{d_k}}\right)V$")
    lesson("scaling", scaling_steps(look))
