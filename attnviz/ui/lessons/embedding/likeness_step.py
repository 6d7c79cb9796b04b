"""The step on likeness: the reader's words against each other, as a table and as a map."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.core.arrays import Array
from attnviz.core.pretrained import excerpt_word
from attnviz.core.scores import cosine, dot
from attnviz.figures.base import scale_of
from attnviz.figures.embedding.likeness import likeness_map
from attnviz.figures.embedding.word_map import Spot, word_map
from attnviz.figures.labels import Labels, number, shorten
from attnviz.lab.words.likeness import COUNT, KINDS_OF_WORDS, as_attention, kept_together, vectors_of
from attnviz.lab.words.plane import principal_plane
from attnviz.lab.words.sums import read_words
from attnviz.lesson.kinds import Choice, Text
from attnviz.lesson.settings import Settings, find_setting, to_link
from attnviz.ui.kit import state
from attnviz.ui.kit.page.pages import pages
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart, colour_key
from attnviz.ui.kit.text.prose import label, note, notices, prose, sum_up
from attnviz.ui.lessons.embedding.knobs import EmbeddingKnobs
from attnviz.ui.lessons.embedding.word_story import translations, unknown_words
from attnviz.words import Words

SPLIT = (1, 1.1)


def likeness_step(words: Words) -> Step:
    """Likeness; it needs no sentence."""
    return Step("likeness", lambda: _draw(words), _answer, lambda: _controls(words))


def _answer() -> int:
    real, drawn = (kept_together(kind, state.settings().seed) == COUNT for kind in ("pretrained", "normal"))
    return 1 if real and drawn else 2 if real else 3


def _controls(words: Words) -> None:
    typed, kind = state.settings().of(EmbeddingKnobs).word_list, find_setting("word_list").kind
    assert isinstance(kind, Text)
    st.text_input(
        words("embedding.likeness.words"),
        max_chars=kind.longest,
        autocomplete="off",
        **state.widget("word_list", typed or words("embedding.likeness.example")),
    )
    with st.container(horizontal=True, gap="medium"):
        for field in ("vectors_shown", "likeness"):
            st.segmented_control(
                words(f"embedding.likeness.{field}"),
                _options(field),
                format_func=partial(_named, words, field),
                required=True,
                width="content",
                **state.widget(field),
            )


def _options(field: str) -> tuple[str, ...]:
    kind = find_setting(field).kind
    assert isinstance(kind, Choice)
    return kind.options


def _named(words: Words, field: str, option: str) -> str:
    return words(f"embedding.likeness.{field}_{option}")


def _draw(words: Words) -> None:
    settings = state.settings()
    knobs = settings.of(EmbeddingKnobs)
    _kinds(words, settings)
    typed = read_words(knobs.word_list or words("embedding.likeness.example"))
    notices(unknown_words(words, [word for word in typed if excerpt_word(word) is None]))
    known = [word for word in typed if excerpt_word(word) is not None]
    if len(known) < 2:
        prose(words.html("embedding.likeness.few"))
        return
    vectors = vectors_of(known, knobs.vectors_shown, settings.seed)
    matrix = dot(vectors, vectors) if knobs.likeness == "dot" else cosine(vectors, vectors, beta=1.0)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        _matrix(words, known, matrix)
    with right:
        _map(words, known, vectors)
    _extremes(words, known, matrix)
    if knobs.vectors_shown == "pretrained":
        note(Markup(" ").join([words.html("embedding.source"), *translations(words, known)]))
    note(words.html("embedding.likeness.as_attention_note"))
    st.page_link(
        pages()[0],
        label=words("embedding.likeness.as_attention"),
        icon=":material/arrow_forward:",
        query_params=to_link(as_attention(settings, known)),
    )
    sum_up(words.html("embedding.likeness.sum"))


def _kinds(words: Words, settings: Settings) -> None:
    real, drawn = (kept_together(kind, settings.seed) for kind in ("pretrained", "normal"))
    names = "; ".join(", ".join(group) for group in KINDS_OF_WORDS)
    prose(words.html("embedding.likeness.text", real=real, drawn=drawn, all=COUNT, names=names))


def _matrix(words: Words, known: list[str], matrix: Array) -> None:
    by_dot = state.settings().of(EmbeddingKnobs).likeness == "dot"
    label(words.html(f"embedding.likeness.likeness_{'dot' if by_dot else 'cosine'}"))
    limit = scale_of([matrix])
    colour_key(limit, weights=False, caption="")
    labels = Labels(tuple(shorten(word) for word in known), tuple(known))
    figure = likeness_map(
        matrix, labels=labels, palette=state.palette(), limit=limit, digits=1 if by_dot else 2
    )
    chart(
        figure, key="likeness", alt=words("embedding.likeness.alt", n=len(known)), least=60 + 36 * len(known)
    )


def _map(words: Words, known: list[str], vectors: Array) -> None:
    plane = principal_plane(vectors)
    label(words.html("embedding.map"))
    note(words.html("embedding.map_share", share=number(100 * plane.share, 0)))
    spots = [
        Spot(float(x), float(y), shorten(word), word)
        for word, (x, y) in zip(known, plane.project(vectors), strict=True)
    ]
    chart(
        word_map(spots, palette=state.palette()),
        key="likeness_map",
        alt=words("embedding.map_alt", n=len(known)),
    )


def _extremes(words: Words, known: list[str], matrix: Array) -> None:
    """The pair of different words that is most alike, and the one that is least."""
    rows, columns = np.triu_indices(len(known), 1)
    values = matrix[rows, columns]
    pairs = {}
    for name, at in (("most", int(values.argmax())), ("least", int(values.argmin()))):
        pair = f"{known[rows[at]]} · {known[columns[at]]}"
        pairs[name] = Markup("<b>{}</b> ({})").format(pair, number(float(values[at])))
    prose(words.html("embedding.likeness.extremes", **pairs))
