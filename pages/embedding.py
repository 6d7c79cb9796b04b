"""How do words become vectors? Ids, one-hot vectors, the table, positions, real word vectors."""

import streamlit as st

from attnviz.ui import router, state
from attnviz.ui.arithmetic_step import arithmetic_step
from attnviz.ui.embedding_steps import sentence_steps
from attnviz.ui.lessons import focus_of, lesson_of
from attnviz.ui.likeness_step import likeness_step
from attnviz.ui.scene import Scene
from attnviz.ui.sentence import sentence_box, token_strip
from attnviz.ui.steps import lesson as steps
from attnviz.ui.title import page_title

TERMS = ("token", "vocabulary", "id", "one_hot", "embedding", "position", "query", "key", "value")

router.ensure()
words = state.words()
page_title("embedding", *TERMS)
sentence_box()
lesson = lesson_of(state.settings())
word_steps = [likeness_step(words), arithmetic_step(words)]
if lesson is None:
    st.info(words("playground.empty"))
    steps("embedding", word_steps)
else:
    focus = focus_of(lesson)
    token_strip(lesson, focus.query)
    scene = Scene(lesson, focus, words, state.palette())
    steps("embedding", [*sentence_steps(scene), *word_steps])
