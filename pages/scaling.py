"""Why divide by sqrt(d_k)?"""

import streamlit as st

from attnviz.ui import router, scaling_controls, state
from attnviz.ui.glossary import glossary
from attnviz.ui.prose import prose
from attnviz.ui.scaling_look import Look
from attnviz.ui.scaling_steps import scaling_steps
from attnviz.ui.steps import lesson

router.ensure()
look = Look(state.words(), state.palette(), state.settings())
if not look.settings.present:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="scaling_head"):
        st.title(look("title"), anchor=False, width="stretch")
        scaling_controls.paper(look)
        glossary("scale", "d_k", "inner_product", "softmax")
    prose(look.html("lead"))
    st.markdown(r"$\mathrm{softmax}\!\left(\dfrac{QK^{\top}}{\sqrt{d_k}}\right)V$")
lesson("scaling", scaling_steps(look))
