"""The steps about encoder and decoder: three attentions, word by word, the growing sentence."""

from collections.abc import Callable
from functools import cache

import numpy as np
import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from attnviz.core.layer import AttentionTrace
from attnviz.lab.decoding.decoding import LIMIT_FITTED, LIMIT_PAIR, EncoderDecoder, with_source
from attnviz.ui.kit import state
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart, colour_key
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import arithmetic, label, note, prose, sum_up
from attnviz.ui.lessons.masks.cost import growth_limit, three_heads, three_limit
from attnviz.ui.lessons.masks.decoder import fitting, pictures, story
from attnviz.ui.lessons.masks.knobs import MasksKnobs

ROOM = 960  # pixels for maps side by side on a screen of 1440


def decoder_steps(scene: Scene) -> list[Step]:
    """The three steps, for the sentences and settings of the scene."""
    given = given_tokens(scene)
    settings = scene.lesson.settings
    # What a step answers from is what it draws: both are computed once, and only if they are seen.
    most = min(three_limit(settings), scene.lesson.limit)
    three = cache(lambda: fitting.encoder_decoder(with_source(settings), most))
    rows = cache(lambda: fitting.first_tokens(settings, given))
    return [
        Step(
            "three",
            lambda: _three(scene, three()),
            lambda: _three_answer(three()) if most else 0,
        ),
        Step(
            "generation",
            lambda: _generation(scene, given, rows),
            lambda: story.generation_answer(rows(), given),
            values={"given": story.prefix(scene, given)},
        ),
        Step(
            "invariance",
            lambda: _invariance(scene),
            lambda: story.invariance_answer(_grown(scene)[1]),
        ),
    ]


def given_tokens(scene: Scene) -> int:
    """How many tokens go in: those of the settings, so that at least one word of the sentence is still to come."""
    n = min(len(scene.lesson.tokens.tokens), LIMIT_FITTED)
    return max(1, min(scene.lesson.settings.of(MasksKnobs).given, n - 1))


# --- encoder and decoder -------------------------------------------------------------------------------


def _three_answer(three: EncoderDecoder | None) -> int:
    return 1 if three is None else story.three_answer(three)


def _three(scene: Scene, three: EncoderDecoder | None) -> None:
    words = scene.words
    settings = with_source(scene.lesson.settings)
    most = min(three_limit(settings), scene.lesson.limit)
    if not most:
        note(
            words.html(
                "masks.three.too_large",
                heads=three_heads(settings),
                d_model=settings.d_model,
                d_k=settings.d_k,
            )
        )
        return
    if three is None:
        note(words.html("masks.three.nothing"))
        return
    if not scene.lesson.cross:
        note(words.html("masks.three.example", source=settings.source))
    if most < LIMIT_PAIR and (three.tokens.cut or three.source.cut):
        note(words.html("masks.three.cut", most=most))
    colour_key(1.0, weights=True, caption=words("playground.one_scale_weights"))
    figures = pictures.trio(scene, three)
    widths = [shown.weights.shape[2] for shown in (three.encoder, three.decoder, three.cross)]
    if scene.columns:
        widths = [shown.weights.shape[1] for shown in (three.encoder, three.decoder, three.cross)]
    for column, name, figure, width in zip(
        _places(widths), ("encoder", "decoder", "cross"), figures, widths, strict=True
    ):
        with column:
            label(words(f"masks.three.{name}"))
            least = pictures.least_of_map(width)
            chart(figure, key=f"masks_{name}", alt=words(f"masks.three.alt_{name}"), least=least)
    st.html(story.three_table(scene, three))
    prose(story.three_text(scene, three))
    note(words.html("masks.three.layers"))
    sum_up(words.html("masks.three.sum_up"))


def _places(widths: list[int]) -> list[DeltaGenerator]:
    """Three places in a row for maps of so many columns; where they would be cut, two and one below."""
    if sum(map(pictures.least_of_map, widths)) <= ROOM:
        return st.columns([width + 3.5 for width in widths], gap="medium")
    return [*st.columns([width + 3.5 for width in widths[:2]], gap="medium"), st.columns(2)[0]]


# --- generation ----------------------------------------------------------------------------------------


def _generation(scene: Scene, given: int, rows: Callable[[], AttentionTrace]) -> None:
    words, settings = scene.words, scene.lesson.settings
    fitted = fitting.fitted_decoder(settings) if settings.of(MasksKnobs).fitted else None
    _generation_buttons(scene, given)
    st.html(story.ladder(scene, given, fitted))
    left, right = st.columns(SPLIT, gap="medium")
    if fitted is None:
        trace = rows()
        with left:
            figure, least = pictures.rows_out(scene, trace)
            chart(figure, key="masks_rows", alt=words("masks.generation.alt_rows"), least=least)
        with right:
            prose(story.rows_text(scene, trace))
            single = len(scene.lesson.tokens.tokens) < 2
            note(words.html("masks.generation.short" if single else "masks.generation.untrained"))
    else:
        with left:
            figure, least = pictures.next_words(scene, fitted, given)
            chart(figure, key="masks_next", alt=words("masks.generation.alt_next"), least=least)
        with right:
            prose(story.fitted_text(scene, given, fitted))
            arithmetic(story.chain(scene, fitted))
        note(story.fitted_note(scene, fitted))
    sum_up(words.html("masks.generation.sum_up"))


def _generation_buttons(scene: Scene, given: int) -> None:
    words, fitted = scene.words, scene.lesson.settings.of(MasksKnobs).fitted
    n = min(len(scene.lesson.tokens.tokens), LIMIT_FITTED)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.button(
            words("masks.generation.back"),
            icon=":material/arrow_back:",
            key="given_back",
            disabled=given <= 1,
            on_click=lambda: state.put(given=given - 1),
        )
        st.button(
            words("masks.generation.on"),
            icon=":material/arrow_forward:",
            key="given_on",
            disabled=given >= n - 1,
            on_click=lambda: state.put(given=given + 1),
        )
        st.button(
            words("masks.generation.forget" if fitted else "masks.generation.fit"),
            icon=":material/model_training:",
            key="fit",
            type="tertiary",
            disabled=n < 2,
            on_click=lambda: state.put(fitted=not fitted),
        )


# --- the growing sentence ------------------------------------------------------------------------------


def _grown(scene: Scene) -> tuple[story.Floats, story.Floats]:
    """Changes of the earlier rows without a mask, and with the causal one."""
    settings = scene.lesson.settings
    most = min(growth_limit(settings), scene.lesson.limit)
    free, causal = (fitting.growth(settings, name, most) for name in ("none", "causal"))
    return free, causal


def _invariance(scene: Scene) -> None:
    words = scene.words
    free, causal = _grown(scene)
    if not np.size(free):
        note(words.html("masks.invariance.short"))
        return
    figure, least = pictures.grown(scene, free, causal)
    chart(figure, key="masks_grown", alt=words("masks.invariance.alt"), least=least)
    note(
        _fewer(scene, len(free) + 1)
        + story.invariance_note(scene, free)
        + words.html(f"masks.invariance.legend_{scene.lesson.settings.notation}")
    )
    prose(story.invariance_text(scene, free, causal))
    sum_up(words.html("masks.invariance.sum_up"))


def _fewer(scene: Scene, measured: int) -> Markup:
    """That the sentence grows less far than it would at smaller sizes; nothing where it does not."""
    tokens, limit = scene.lesson.tokens, min(growth_limit(scene.lesson.settings), scene.lesson.limit)
    if measured < limit or limit >= min(len(tokens.tokens) + tokens.cut, LIMIT_FITTED):
        return Markup("")
    return scene.words.html("masks.invariance.fewer", limit=limit)
