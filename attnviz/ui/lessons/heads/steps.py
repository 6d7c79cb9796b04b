"""The steps of the page about heads: each draws its pictures and says its words."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from attnviz.explain.formulas import Ink
from attnviz.explain.in_lesson import formulas_in
from attnviz.figures.heads.subspaces import all_lines
from attnviz.lab.images.images import IMAGES, SIDE
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import lesson_of
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart, colour_key
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.stations import picture
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import arithmetic, label, note, prose, sum_up
from attnviz.ui.lessons.heads import head_counts, pictures, story


def heads_steps(scene: Scene) -> list[Step]:
    """The five steps, for the sentence and settings of the scene."""
    settings = scene.lesson.settings
    muted = story.muted_heads(settings)
    return [
        Step("channels", lambda: _channels(scene), lambda: story.swap_answer(scene)),
        Step("planes", lambda: _planes(scene), lambda: story.planes_answer(scene)),
        Step("blocks", lambda: _blocks(scene), lambda: story.blocks_answer(scene)),
        Step(
            "mute",
            lambda: _mute(scene, muted),
            lambda: story.mute_answer(scene, muted or (scene.focus.head,)),
            lambda: _mute_picker(scene, muted),
        ),
        Step("one", lambda: _one(scene), lambda: head_counts.one_answer(settings)),
    ]


def _channels(scene: Scene) -> None:
    words = scene.words
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        st.segmented_control(
            words("heads.channels.choose"),
            tuple(IMAGES),
            format_func=lambda name: words(f"heads.channels.{name}"),
            required=True,
            label_visibility="collapsed",
            **state.widget("channel_image"),
        )
        chart(
            pictures.channels(scene),
            key="channels",
            alt=words("heads.channels.alt"),
            on_cell=lambda click: state.put(pixel=click.row * SIDE + click.column),
        )
        arithmetic(story.channel_line(scene))
    with right:
        label(words("heads.channels.views", n=scene.lesson.settings.num_heads))
        outputs = scene.lesson.trace.head_outputs
        colour_key(scene.limit(outputs), weights=False, caption=words("playground.one_scale"))
        alt = words("playground.alt_heads", n=scene.lesson.settings.num_heads)
        chart(pictures.views(scene), key="views", alt=alt)
        arithmetic(story.view_line(scene))
    prose(story.channels_alike(scene))
    label(words("heads.channels.ends"))
    items = Markup("").join(Markup("<li>{}</li>").format(line) for line in story.channels_unlike(scene))
    st.html(Markup('<ul class="av-list">{}</ul>').format(items))
    sum_up(words.html("heads.channels.sum_up"))


def _planes(scene: Scene) -> None:
    heads = scene.lesson.settings.num_heads
    chart(
        pictures.planes(scene),
        key="planes",
        alt=scene.words("heads.planes.alt"),
        least=250 * min(heads, 4),
    )
    n, m = scene.lesson.trace.scores.shape[1:]
    few = all_lines(heads, n, m)
    note(scene.words.html("heads.planes.legend" if few else "heads.planes.legend_many"))
    prose(story.planes_text(scene))
    prose(story.planes_favourites(scene))
    sum_up(scene.words.html("heads.planes.sum_up"))


def _blocks(scene: Scene) -> None:
    words, palette = scene.words, scene.palette
    ink = Ink(palette.query_text, palette.key_text, palette.value_text, palette.output_text)
    for formula in formulas_in(scene.lesson, "output", ink):
        st.markdown(f"${formula}$")
    label(words("heads.blocks.product"))
    shown = picture("output", scene)
    chart(shown.main, key="blocks_product", alt=words("heads.blocks.alt_product"), least=shown.least)
    label(words("heads.blocks.sum"))
    figure, least = pictures.block_sum(scene)
    chart(figure, key="blocks_sum", alt=words("heads.blocks.alt_sum"), least=least)
    for line in story.blocks_lines(scene):
        arithmetic(line)
    prose(story.blocks_text(scene))
    sum_up(words.html("heads.blocks.sum_up"))


def _mute_picker(scene: Scene, muted: Sequence[int]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label(scene.words("heads.mute.choose"), width="content")
        st.pills(
            scene.words("heads.mute.choose"),
            range(1, scene.lesson.settings.num_heads + 1),
            selection_mode="multi",
            label_visibility="collapsed",
            **state.widget(
                "muted",
                [h + 1 for h in muted],
                lambda heads: {"muted": ",".join(str(h) for h in sorted(heads))},
            ),
        )


def _mute(scene: Scene, muted: Sequence[int]) -> None:
    words = scene.words
    figure, least = pictures.muting(scene, muted)
    chart(figure, key="muting", alt=words("heads.mute.alt"), least=least)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        prose(story.mute_text(scene, muted))
        sum_up(words.html("heads.mute.sum_up"))
    with right:
        label(words("heads.mute.alone"))
        chart(pictures.shares(scene, muted), key="shares", alt=words("heads.mute.alt_alone"))


def _one(scene: Scene) -> None:
    words, settings = scene.words, scene.lesson.settings
    st.html(head_counts.counts_table(scene))
    prose(head_counts.own_count(scene))
    count = pictures.nearest_count(settings)
    lessons = [
        lesson_of(pictures.split(settings, heads), scene.lesson.limit) for heads in dict.fromkeys((1, count))
    ]
    shown = [lesson for lesson in lessons if lesson is not None]
    label(words("heads.one.compare", n=count))
    colour_key(1.0, weights=True, caption=words("playground.one_scale_weights"))
    chart(pictures.one_or_several(scene, shown), key="one", alt=words("heads.one.alt"))
    prose(head_counts.one_text(scene, shown[0]))
    sum_up(words.html("heads.one.sum_up"))
