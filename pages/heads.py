"""What do several heads add?"""

import streamlit as st

from attnviz.ui import router, state
from attnviz.ui.glossary import glossary
from attnviz.ui.heads_steps import heads_steps
from attnviz.ui.lessons import focus_of, lesson_of
from attnviz.ui.prose import note, notices
from attnviz.ui.scene import Scene
from attnviz.ui.sentence import sentence_box, token_strip
from attnviz.ui.steps import lesson as show_steps
from attnviz.ui.story import is_random

TERMS = ("head", "head_output", "concatenation", "w_o", "num_heads", "d_k", "d_v")

router.ensure()
words = state.words()
with st.container(horizontal=True, vertical_alignment="center", key="page_title"):
    st.header(words("heads.title"), anchor=False, width="stretch")
    glossary(*TERMS)
sentence_box()
lesson = lesson_of(state.settings())
if lesson is None:
    notices([words.html("playground.empty")])
else:
    scene = Scene(lesson, focus_of(lesson), words, state.palette())
    token_strip(lesson, scene.focus.query)
    show_steps("heads", heads_steps(scene))
    if is_random(lesson):
        note(words("common.untrained"))
