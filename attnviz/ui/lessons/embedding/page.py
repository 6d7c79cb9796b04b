"""How do words become vectors? Ids, one-hot vectors, the table, positions, real word vectors."""

import streamlit as st

from attnviz.lesson.budget import token_limit
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import focus_of, lesson_of
from attnviz.ui.kit.page.sentence import sentence_box, token_strip
from attnviz.ui.kit.page.steps import lesson as steps
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.title import page_title
from attnviz.ui.lessons.embedding.arithmetic_step import arithmetic_step
from attnviz.ui.lessons.embedding.cost import embedding_cost
from attnviz.ui.lessons.embedding.likeness_step import likeness_step
from attnviz.ui.lessons.embedding.steps import sentence_steps

TERMS = ("token", "vocabulary", "id", "one_hot", "embedding", "position", "query", "key", "value")


def page() -> None:
    """The whole page below the frame."""
    words = state.words()
    page_title("embedding", *TERMS)
    sentence_box()
    lesson = lesson_of(state.settings(), token_limit(state.settings(), embedding_cost))
    word_steps = [likeness_step(words), arithmetic_step(words)]
    if lesson is None:
        st.info(words("playground.empty"))
        steps("embedding", word_steps)
    else:
        focus = focus_of(lesson)
        token_strip(lesson, focus.query)
        scene = Scene(lesson, focus, words, state.palette())
        steps("embedding", [*sentence_steps(scene), *word_steps])
