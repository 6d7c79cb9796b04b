"""The steps of the page about masks: each draws its pictures and says its words."""

from collections.abc import Callable

import streamlit as st

from attnviz.core.drawn import MOST_DRAWN, write_drawn
from attnviz.core.masks import Keep
from attnviz.ui.kit import state
from attnviz.ui.kit.inputs import choice, whole
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.maps import Click
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.stations import picture
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.markup import markdown
from attnviz.ui.kit.text.prose import label, note, prose, sum_up
from attnviz.ui.lessons.masks import pictures, share, story
from attnviz.ui.lessons.masks.decoder.steps import decoder_steps
from attnviz.ui.lessons.masks.pictures import drawing_of, keep_of, mask_names

STARTS = ("none", "causal", "window", "padding")


def masks_steps(scene: Scene) -> list[Step]:
    """The six steps, for the sentences and settings of the scene."""
    return [
        Step(
            "kinds",
            lambda: _kinds(scene),
            lambda: share.share_answer(scene),
            lambda: _mask_picker(scene),
        ),
        Step("drawn", lambda: _drawn(scene), lambda: story.empty_answer(scene), lambda: _drawing(scene)),
        Step("polarity", lambda: _polarity(scene), lambda: story.polarity_answer(scene)),
        *decoder_steps(scene),
    ]


# --- kinds ---------------------------------------------------------------------------------------------


def _mask_picker(scene: Scene) -> None:
    words, chosen = scene.words, scene.lesson.settings.mask
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        choice(
            "mask",
            words,
            side_by_side=True,
            place="page",
            help=None,
            label_visibility="collapsed",
            wrap=True,
            width="content",
        )
        if chosen in ("window", "padding"):
            whole(chosen, words, place="page", help=None, width=190)


def _kinds(scene: Scene) -> None:
    words = scene.words
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        shown = picture("weights", scene)
        name = words(f"common.mask.{scene.lesson.settings.mask}")
        chart(shown.main, key="masks_weights", alt=words("masks.kinds.alt", mask=name), least=shown.least)
    with right:
        label(words("masks.kinds.all"))
        chart(
            pictures.gallery(scene),
            key="masks_gallery",
            alt=words("masks.kinds.alt_all"),
            on_cell=_choose,
        )
        note(words.html(f"masks.kinds.legend_{scene.lesson.settings.notation}"))
    prose(share.share_text(scene))
    prose(story.alignment(scene))
    sum_up(words.html("masks.kinds.sum_up"))


def _choose(click: Click) -> None:
    names = mask_names()
    if click.axes < len(names):
        state.put(mask=names[click.axes])


# --- drawn ---------------------------------------------------------------------------------------------


def _drawing(scene: Scene) -> None:
    words = scene.words
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        figure, least = pictures.drawing(scene)
        chart(
            figure,
            key="masks_drawing",
            alt=words("masks.drawn.alt"),
            least=least,
            on_cell=_toggle(*scene.lesson.trace.scores.shape[1:]),
            given=(int(scene.columns),),
        )
    with right:
        prose(words.html("masks.drawn.how"))
        label(words("masks.drawn.start"))
        with st.container(horizontal=True, gap="xsmall"):
            for name in STARTS:
                title = words("masks.drawn.all" if name == "none" else f"common.mask.{name}")
                st.button(title, key=f"start_{name}", on_click=_draw, args=(keep_of(scene, name),))
        query = scene.queries.texts[scene.focus.query]
        st.button(
            words("masks.drawn.blind", query=markdown(query)),
            key="start_empty",
            disabled=scene.focus.query >= MOST_DRAWN or len(scene.keys) > MOST_DRAWN,
            on_click=_empty_row,
            args=(scene,),
        )
        if max(len(scene.queries), len(scene.keys)) > MOST_DRAWN:
            note(words.html("masks.drawn.cut", most=MOST_DRAWN))
        if scene.lesson.settings.mask != "drawn":
            note(words.html("masks.drawn.idle", mask=words(f"common.mask.{scene.lesson.settings.mask}")))


def _draw(keep: Keep) -> None:
    state.put(mask="drawn", drawn=write_drawn(keep))


def _toggle(n: int, m: int) -> Callable[[Click], None]:
    def on_cell(click: Click) -> None:
        keep = drawing_of(state.settings(), n, m).copy()  # of now: this may be a click on a drawing of before
        cell = (click.column, click.row) if click.given == (1,) else (click.row, click.column)
        if cell[0] < n and cell[1] < m:
            keep[cell] = not keep[cell]
            _draw(keep)

    return on_cell


def _empty_row(scene: Scene) -> None:
    keep = keep_of(scene, scene.lesson.settings.mask).copy()
    keep[scene.focus.query] = False
    _draw(keep)


def _drawn(scene: Scene) -> None:
    prose(story.empty_text(scene))
    st.html(story.empty_table(scene))
    prose(story.empty_why(scene))
    sum_up(scene.words.html("masks.drawn.sum_up"))


# --- polarity ------------------------------------------------------------------------------------------


def _polarity(scene: Scene) -> None:
    words = scene.words
    st.html(story.polarity_table(scene))
    note(words.html("masks.polarity.versions"))
    left, right = st.columns((1, SPLIT[0]), gap="medium")
    with left:
        chart(pictures.opposite(scene), key="masks_opposite", alt=words("masks.polarity.alt"))
    with right:
        prose(story.polarity_text(scene))
        prose(words.html("masks.polarity.numbers"))
        sum_up(words.html("masks.polarity.sum_up"))
