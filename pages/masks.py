"""Who may look at whom? Masks, encoder and decoder, a sentence that is written word by word."""

import streamlit as st

from attnviz.ui import router, state
from attnviz.ui.glossary import glossary
from attnviz.ui.lessons import focus_of, lesson_of
from attnviz.ui.masks_steps import masks_steps
from attnviz.ui.prose import note, notices
from attnviz.ui.scene import Scene
from attnviz.ui.sentence import sentence_box, token_strip
from attnviz.ui.source import source_box
from attnviz.ui.steps import lesson as show_steps
from attnviz.ui.story import is_random

TERMS = ("mask", "causal", "self_attention", "cross_attention", "softmax", "residual")

router.ensure()
words = state.words()
with st.container(horizontal=True, vertical_alignment="center", key="page_title"):
    st.header(words("masks.title"), anchor=False, width="stretch")
    glossary(*TERMS)
sentence_box()
source_box()
lesson = lesson_of(state.settings())
if lesson is None:
    notices([words.html("playground.empty")])
else:
    scene = Scene(lesson, focus_of(lesson), words, state.palette())
    token_strip(lesson, scene.focus.query)
    show_steps("masks", masks_steps(scene))
    if is_random(lesson):
        note(words("common.untrained"))
