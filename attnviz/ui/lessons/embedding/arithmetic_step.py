"""The step on word arithmetic: king - man + woman, or whatever the reader types, with its nearest words."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.core.arrays import Array
from attnviz.core.pretrained import COLUMNS
from attnviz.figures.embedding.word_map import Arrow, Spot, word_map
from attnviz.figures.labels import number, shorten
from attnviz.lab.words.likeness import vectors_of
from attnviz.lab.words.plane import principal_plane
from attnviz.lab.words.sums import WordSum, add_up, arrows, read_sum
from attnviz.lesson.kinds import Text
from attnviz.lesson.settings import find_setting
from attnviz.ui.kit import state
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.text.prose import arithmetic, label, note, notices, prose, sum_up
from attnviz.ui.lessons.embedding.knobs import EmbeddingKnobs
from attnviz.ui.lessons.embedding.word_story import translations, unknown_words, with_gloss, written
from attnviz.words import Words

EXAMPLE = "king - man + woman"
FEWER = (50, 32, 16, 12, 8, 4)
SPLIT = (1, 1.1)


def arithmetic_step(words: Words) -> Step:
    """Word arithmetic; it needs no sentence."""
    return Step("arithmetic", lambda: _draw(words), _answer, lambda: _controls(words))


def _answer() -> int:
    best = add_up(read_sum(EXAMPLE)).found[0][0]
    return {"queen": 1, "prince": 2}.get(best, 3)


def _controls(words: Words) -> None:
    kind = find_setting("word_sum").kind
    assert isinstance(kind, Text)
    st.text_input(
        words("embedding.arithmetic.sum_of"),
        max_chars=kind.longest,
        help=words("embedding.arithmetic.help"),
        autocomplete="off",
        **state.widget("word_sum", state.settings().of(EmbeddingKnobs).word_sum or EXAMPLE),
    )
    with st.container(horizontal=True, gap="small", key="sum_examples"):
        for i in range(1, 5):
            example = words(f"embedding.arithmetic.example_{i}")
            st.button(
                example,
                type="tertiary",
                key=f"sum_example_{i}",
                on_click=lambda text=example: state.put(word_sum=text),
            )


def _draw(words: Words) -> None:
    total = add_up(read_sum(state.settings().of(EmbeddingKnobs).word_sum or EXAMPLE))
    notices(unknown_words(words, total.unknown))
    if total.vector is None:
        prose(words.html("embedding.arithmetic.nothing"))
        return
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        _ranking(words, total)
    with right:
        _sum_map(words, total, total.vector)
    _fewer(words, total)
    note(
        Markup(" ").join(
            [words.html("embedding.source"), *translations(words, [t.text for t in total.known])]
        )
    )
    sum_up(words.html("embedding.arithmetic.sum"))


def _ranking(words: Words, total: WordSum) -> None:
    """The five nearest words as bars, the given words left out."""
    label(words.html("embedding.arithmetic.nearest", sum=written(total)))
    rows = Markup("").join(
        Markup('<li><b>{}</b><i style="background-size:{}% 100%"></i><span>{}</span></li>').format(
            with_gloss(word, words), max(round(100 * value), 0), number(value)
        )
        for word, value in total.found
    )
    st.html(Markup('<ol class="av-rank">{}</ol>').format(rows))
    if total.first is not None:
        first, value = total.first
        name = "first_given" if first in {t.word for t in total.known} else "first_new"
        prose(words.html(f"embedding.arithmetic.{name}", word=first, cosine=number(value)))


def _sum_map(words: Words, total: WordSum, vector: Array) -> None:
    given = {t.text: vectors_of([t.word or ""], "pretrained", 0)[0] for t in total.known}
    found = {word: vectors_of([word], "pretrained", 0)[0] for word, _ in total.found}
    moves = arrows(total)
    plane = principal_plane(np.array([*given.values(), *found.values(), vector]))
    spots = [_spot(plane.project(v), text, "given") for text, v in given.items()]
    spots.append(_spot(plane.project(vector), str(written(total)), "sum", "?"))
    spots += [
        _spot(plane.project(v), word, "found" if i else "best") for i, (word, v) in enumerate(found.items())
    ]
    drawn = [Arrow(_point(plane.project(a)), _point(plane.project(b)), quiet) for a, b, quiet in moves]
    label(words.html("embedding.map"))
    note(words.html("embedding.map_share", share=number(100 * plane.share, 0)))
    chart(
        word_map(spots, drawn, palette=state.palette()),
        key="sum_map",
        alt=words("embedding.arithmetic.alt", n=len(spots)),
    )


def _point(values: Array) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _spot(values: Array, text: str, kind: str, mark: str = "") -> Spot:
    return Spot(*_point(values), mark or shorten(text), text, kind)  # type: ignore[arg-type]


def _fewer(words: Words, total: WordSum) -> None:
    """What the same sum gives in fewer columns."""
    d_model = state.settings().d_model
    tried = sorted({*FEWER, min(d_model, COLUMNS)}, reverse=True)
    parts = []
    for columns in tried:
        best = add_up(total.terms, columns)
        if best.found:
            word, value = best.found[0]
            parts.append(
                words.html("embedding.arithmetic.column", columns=columns, word=word, cosine=number(value))
            )
    arithmetic(Markup(" &nbsp; ").join(parts))
    prose(words.html("embedding.arithmetic.columns", all=COLUMNS, d_model=d_model))
