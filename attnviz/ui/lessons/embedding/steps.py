"""The steps of the page "How do words become vectors?" that look at the reader's sentence."""

from collections.abc import Callable
from functools import cache

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.core.embedding import embed, one_hot, vocabulary
from attnviz.figures.labels import magnitude, number, quoted, shorten, subscript
from attnviz.lab.words.order import Swap, sees_order, swap, taken
from attnviz.lab.words.vocabulary import Place, place
from attnviz.lesson.lesson import embedding_kind
from attnviz.ui.kit import state
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.real_vectors import origin
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.kit.text.prose import label as heading
from attnviz.ui.kit.text.prose import note, prose, sum_up
from attnviz.ui.lessons.embedding.knobs import EmbeddingKnobs
from attnviz.ui.lessons.embedding.pictures import (
    Crop,
    Drawn,
    crop_of,
    lookup,
    neighbours,
    positions,
    projections,
    swapped,
)


def sentence_steps(scene: Scene) -> list[Step]:
    """From token to vector, where it stands, and the three vectors that are made of it."""
    swapped_at = cache(lambda position: _swap(scene, position))  # drawn and answered from
    return [
        Step("lookup", lambda: _draw_lookup(scene), lambda: _lookup_answer(scene)),
        Step("reduction", lambda: _draw_reduction(scene), lambda: _reduction_answer(scene)),
        Step(
            "position",
            lambda: _draw_position(scene, swapped_at),
            lambda: _position_answer(swapped_at("none")),
            lambda: _swap_controls(scene),
        ),
        Step("projections", lambda: _draw_projections(scene), lambda: _projections_answer(scene)),
    ]


def _show(key: str, drawn: Drawn, alt: str) -> None:
    chart(drawn.figure, key=key, alt=alt, least=drawn.least)


def _cropped(cut: Crop, scene: Scene) -> None:
    if not cut.whole:
        note(
            scene.words.html(
                "embedding.cropped",
                first=cut.first,
                last=cut.end - 1,
                n=cut.tokens,
                columns=cut.columns,
                d_model=cut.d_model,
            )
        )


def _focused(scene: Scene) -> Markup:
    return token(scene.lesson.tokens.tokens[scene.focus.query], scene.focus.query, "query")


# --- token, id, one-hot vector, row ---------------------------------------------------------------


def _lookup_answer(scene: Scene) -> int:
    """Which of row, sum of rows, column the product with the focused token's one-hot vector is."""
    table, product, row = _product(scene)
    if np.array_equal(product[scene.focus.query], table[row]):
        return 1
    return 2 if np.array_equal(product[scene.focus.query], table.sum(axis=0)) else 3


def _product(scene: Scene) -> tuple[np.ndarray, np.ndarray, int]:
    """The table (V, d_model), the one-hot vectors times it (n, d_model), and the focused token's id."""
    settings, tokens = scene.lesson.settings, scene.lesson.tokens
    words = vocabulary(tokens.tokens)
    table = embed(words, settings.d_model, settings.seed, embedding_kind(settings))
    return table, one_hot(np.array(tokens.ids), len(words)) @ table, tokens.ids[scene.focus.query]


def _draw_lookup(scene: Scene) -> None:
    words = scene.words
    table, product, row = _product(scene)
    _show("lookup", lookup(scene), words("embedding.lookup.alt"))
    if scene.columns:
        note(words.html("embedding.turned"))
    _cropped(crop_of(scene), scene)
    difference = float(np.abs(product - table[list(scene.lesson.tokens.ids)]).max())
    prose(
        words.html(
            "embedding.lookup.text",
            token=_focused(scene),
            id=row,
            words=len(table),
            n=len(product),
            difference=magnitude(difference),
        )
    )
    sum_up(words.html("embedding.lookup.sum"))


# --- the reduction ------------------------------------------------------------------------------


def _place(scene: Scene) -> Place:
    settings = scene.lesson.settings
    return place(
        scene.lesson.tokens.tokens,
        scene.focus.query,
        kind=embedding_kind(settings),
        d_model=settings.d_model,
        seed=settings.seed,
    )


def _reduction_answer(scene: Scene) -> int:
    used = int(np.count_nonzero(_place(scene).one_hot))
    return 1 if used == 1 else 2


def _draw_reduction(scene: Scene) -> None:
    words, found = scene.words, _place(scene)
    d_model = scene.lesson.settings.d_model
    _show("reduction", neighbours(scene, found), words("embedding.reduction.alt"))
    prose(
        words.html(
            "embedding.reduction.text",
            token=_focused(scene),
            id=f"{found.id:,}",
            size=f"{found.size:,}",
            d_model=d_model,
            all=f"{found.size * d_model:,}",
        )
    )
    kind = embedding_kind(scene.lesson.settings)
    drawn = words.html("embedding.reduction.drawn", kind=words(f"common.embedding.{kind}"))
    note(Markup(" ").join(origin(scene.lesson, words)) or drawn)
    sum_up(words.html("embedding.reduction.sum", size=f"{found.size:,}", d_model=d_model))


# --- positions ----------------------------------------------------------------------------------


def _swap(scene: Scene, position: str) -> Swap:
    knobs, last = state.settings().of(EmbeddingKnobs), taken(scene.lesson) - 1
    return swap(scene.lesson, min(knobs.swap_one, last), min(knobs.swap_other, last), position)


def _swap_controls(scene: Scene) -> None:
    tokens = scene.lesson.tokens.tokens[: taken(scene.lesson)]
    last = len(tokens) - 1

    def name(i: int) -> str:
        return f"{quoted(shorten(tokens[i]))}{subscript(i)}"

    with st.container(horizontal=True, gap="small", key="swap"):
        for field in ("swap_one", "swap_other"):
            st.selectbox(
                scene.words(f"embedding.position.{field}"),
                range(len(tokens)),
                format_func=name,
                width=180,
                **state.widget(field, min(state.settings()[field], last)),
            )


def _position_answer(found: Swap) -> int:
    changed = set(found.changed)
    if not changed:
        return 1
    return 2 if changed <= {found.one, found.other} else 3


def _draw_position(scene: Scene, swapped_at: Callable[[str], Swap]) -> None:
    words, tokens = scene.words, scene.lesson.tokens.tokens
    if len(tokens) < 2:
        prose(words.html("embedding.position.one"))
        return
    for position in ("none", "sinusoidal"):
        found = swapped_at(position)
        heading(words.html(f"embedding.position.{position}"))
        if position != "none":
            _show("positions", positions(scene, position), words("embedding.position.alt_added"))
        _show(f"swap_{position}", swapped(scene, found), words("embedding.position.alt"))
        prose(_swap_text(scene, found, position))
    _cropped(crop_of(scene), scene)
    if taken(scene.lesson) < len(tokens):
        note(words.html("embedding.position.taken", n=taken(scene.lesson)))
    if swapped_at("none").one == swapped_at("none").other:
        note(words.html("embedding.position.same"))
    sum_up(words.html("embedding.position.sum"))


def _swap_text(scene: Scene, found: Swap, position: str) -> Markup:
    words, tokens = scene.words, scene.lesson.tokens.tokens
    reasons = [words(f"common.names.{name}") for name in sees_order(scene.lesson)]
    name = "kept" if not found.changed else "mixed" if reasons else "changed"
    swapped_sentence = " ".join(tokens[i] for i in found.order[:20])
    return words.html(
        f"embedding.position.text_{name}",
        sentence=swapped_sentence,
        n=len(found.order),
        count=len(found.changed),
        change=magnitude(float(found.change.max())),
        reasons=", ".join(reasons),
        position=words(f"common.position.{position}"),
    )


# --- query, key and value -----------------------------------------------------------------------


def _query_and_key(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The focused token's query and key, both made of its own x, in the focused head."""
    layer, h = scene.lesson.trace.layer, scene.focus.head
    x = scene.lesson.trace.x[scene.focus.query]
    query, key = x @ layer.w_q[h], x @ layer.w_k[h]
    if layer.b_q is not None and layer.b_k is not None:
        query, key = query + layer.b_q[h], key + layer.b_k[h]
    return query, key


def _cosine(query: np.ndarray, key: np.ndarray) -> float:
    lengths = float(np.linalg.norm(query) * np.linalg.norm(key))
    return float(query @ key) / lengths if lengths else 0.0


def _projections_answer(scene: Scene) -> int:
    query, key = _query_and_key(scene)
    if np.allclose(query, key, rtol=1e-12, atol=1e-12):
        return 1
    return 3 if abs(_cosine(query, key)) > 1 - 1e-12 else 2


def _draw_projections(scene: Scene) -> None:
    words, settings = scene.words, scene.lesson.settings
    for i, drawn in enumerate(projections(scene)):
        _show(f"projections_{i}", drawn, words("embedding.projections.alt", head=scene.focus.head + 1))
    _cropped(crop_of(scene), scene)
    query, key = _query_and_key(scene)
    name = ("same", "text", "multiple")[_projections_answer(scene) - 1]
    prose(
        words.html(
            f"embedding.projections.{name}",
            token=_focused(scene),
            d_model=settings.d_model,
            d_k=settings.d_k,
            d_v=settings.d_v,
            cosine=number(_cosine(query, key)),
            preset=words(f"common.preset.{settings.preset}"),
        )
    )
    sum_up(words.html("embedding.projections.sum"))
