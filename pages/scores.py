"""How alike are a query and a key? The score functions side by side."""

import streamlit as st

from attnviz.ui import router, state
from attnviz.ui.glossary import glossary
from attnviz.ui.lessons import focus_of, lesson_of
from attnviz.ui.prose import note, notices
from attnviz.ui.scene import Scene
from attnviz.ui.scores_steps import score_steps
from attnviz.ui.sentence import sentence_box, token_strip
from attnviz.ui.steps import lesson as show_steps
from attnviz.ui.story import is_random

router.ensure()
words = state.words()
with st.container(horizontal=True, vertical_alignment="center", key="page_title"):
    st.header(words("scores.title"), anchor=False, width="stretch")
    glossary("score", "inner_product", "scale", "softmax", "weights", "self_attention", "cross_attention")
sentence_box()
lesson = lesson_of(state.settings())
if lesson is None:
    notices([words.html("playground.empty")])
else:
    scene = Scene(lesson, focus_of(lesson), words, state.palette())
    token_strip(lesson, scene.focus.query)
    show_steps("scores", score_steps(scene))
    if is_random(lesson):
        note(words("common.untrained"))
