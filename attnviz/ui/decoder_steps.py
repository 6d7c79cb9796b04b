"""The steps about encoder and decoder: three attentions, word by word, the growing sentence."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnviz.decoding import with_source
from attnviz.settings import LIMIT_FITTED
from attnviz.ui import decoded, decoder_pictures, decoder_story, state
from attnviz.ui.charts import chart, colour_key
from attnviz.ui.prose import arithmetic, label, note, prose, sum_up
from attnviz.ui.scene import Scene
from attnviz.ui.station import SPLIT
from attnviz.ui.steps import Step

ROOM = 960  # pixels for maps side by side on a screen of 1440


def decoder_steps(scene: Scene) -> list[Step]:
    """The three steps, for the sentences and settings of the scene."""
    given = given_tokens(scene)
    settings = scene.lesson.settings
    return [
        Step("three", lambda: _three(scene), lambda: _three_answer(scene)),
        Step(
            "generation",
            lambda: _generation(scene, given),
            lambda: decoder_story.generation_answer(decoded.first_tokens(settings, given), given),
            values={"given": decoder_story.prefix(scene, given)},
        ),
        Step(
            "invariance",
            lambda: _invariance(scene),
            lambda: decoder_story.invariance_answer(_grown(scene)[1]),
        ),
    ]


def given_tokens(scene: Scene) -> int:
    """How many tokens go in: those of the settings, so that at least one word of the sentence is still to come."""
    n = min(len(scene.lesson.tokens.tokens), LIMIT_FITTED)
    return max(1, min(scene.lesson.settings.given, n - 1))


# --- encoder and decoder -------------------------------------------------------------------------------


def _three_answer(scene: Scene) -> int:
    three = decoded.encoder_decoder(with_source(scene.lesson.settings))
    return 1 if three is None else decoder_story.three_answer(three)


def _three(scene: Scene) -> None:
    words = scene.words
    settings = with_source(scene.lesson.settings)
    three = decoded.encoder_decoder(settings)
    if three is None:
        note(words.html("masks.three.nothing"))
        return
    if not scene.lesson.cross:
        note(words.html("masks.three.example", source=settings.source))
    colour_key(1.0, weights=True, caption=words("playground.one_scale_weights"))
    figures = decoder_pictures.trio(scene, three)
    widths = [shown.weights.shape[2] for shown in (three.encoder, three.decoder, three.cross)]
    if scene.columns:
        widths = [shown.weights.shape[1] for shown in (three.encoder, three.decoder, three.cross)]
    for column, name, figure, width in zip(
        _places(widths), ("encoder", "decoder", "cross"), figures, widths, strict=True
    ):
        with column:
            label(words(f"masks.three.{name}"))
            least = decoder_pictures.least_of_map(width)
            chart(figure, key=f"masks_{name}", alt=words(f"masks.three.alt_{name}"), least=least)
    st.html(decoder_story.three_table(scene, three))
    prose(decoder_story.three_text(scene, three))
    note(words.html("masks.three.layers"))
    sum_up(words.html("masks.three.sum_up"))


def _places(widths: list[int]) -> list[DeltaGenerator]:
    """Three places in a row for maps of so many columns; where they would be cut, two and one below."""
    if sum(map(decoder_pictures.least_of_map, widths)) <= ROOM:
        return st.columns([width + 3.5 for width in widths], gap="medium")
    return [*st.columns([width + 3.5 for width in widths[:2]], gap="medium"), st.columns(2)[0]]


# --- generation ----------------------------------------------------------------------------------------


def _generation(scene: Scene, given: int) -> None:
    words, settings = scene.words, scene.lesson.settings
    fitted = decoded.fitted_decoder(settings) if settings.fitted else None
    _generation_buttons(scene, given)
    st.html(decoder_story.ladder(scene, given, fitted))
    left, right = st.columns(SPLIT, gap="medium")
    if fitted is None:
        trace = decoded.first_tokens(settings, given)
        with left:
            figure, least = decoder_pictures.rows_out(scene, trace)
            chart(figure, key="masks_rows", alt=words("masks.generation.alt_rows"), least=least)
        with right:
            prose(decoder_story.rows_text(scene, trace))
            single = len(scene.lesson.tokens.tokens) < 2
            note(words.html("masks.generation.short" if single else "masks.generation.untrained"))
    else:
        with left:
            figure, least = decoder_pictures.next_words(scene, fitted, given)
            chart(figure, key="masks_next", alt=words("masks.generation.alt_next"), least=least)
        with right:
            prose(decoder_story.fitted_text(scene, given, fitted))
            arithmetic(decoder_story.chain(scene, fitted))
        note(decoder_story.fitted_note(scene, fitted))
    sum_up(words.html("masks.generation.sum_up"))


def _generation_buttons(scene: Scene, given: int) -> None:
    words, settings = scene.words, scene.lesson.settings
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
            words("masks.generation.forget" if settings.fitted else "masks.generation.fit"),
            icon=":material/model_training:",
            key="fit",
            type="tertiary",
            disabled=n < 2,
            on_click=lambda: state.put(fitted=not settings.fitted),
        )


# --- the growing sentence ------------------------------------------------------------------------------


def _grown(scene: Scene) -> tuple[decoder_story.Floats, decoder_story.Floats]:
    """Changes of the earlier rows without a mask, and with the causal one."""
    free, causal = (decoded.growth(scene.lesson.settings, name) for name in ("none", "causal"))
    return free, causal


def _invariance(scene: Scene) -> None:
    words = scene.words
    free, causal = _grown(scene)
    if not np.size(free):
        note(words.html("masks.invariance.short"))
        return
    figure, least = decoder_pictures.grown(scene, free, causal)
    chart(figure, key="masks_grown", alt=words("masks.invariance.alt"), least=least)
    note(
        decoder_story.invariance_note(scene, free)
        + words.html(f"masks.invariance.legend_{scene.lesson.settings.notation}")
    )
    prose(decoder_story.invariance_text(scene, free, causal))
    sum_up(words.html("masks.invariance.sum_up"))
