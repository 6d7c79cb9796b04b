"""The steps of the page about notations, each as it stands on the page."""

import streamlit as st

from attnviz.explain.formulas import Ink
from attnviz.explain.in_lesson import formulas_in
from attnviz.lab.notations import conventions
from attnviz.lab.notations.torch_walk import WALK_STEPS, TorchWalk
from attnviz.ui.kit import state
from attnviz.ui.kit.inputs import put_setup
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import arithmetic, label, note, prose, sum_up
from attnviz.ui.lessons.conventions import (
    parameter_counts,
    pictures,
    short_module,
    story,
    torch_pictures,
    torch_story,
)
from attnviz.ui.lessons.conventions.knobs import ConventionsKnobs

CODE_AND_TENSOR = (1, 1.15)


def notations(scene: Scene, torch_scene: Scene) -> None:
    words, palette = scene.words, scene.palette
    ink = Ink(palette.query_text, palette.key_text, palette.value_text, palette.output_text)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        for name, turned in zip(("rows", "columns"), story.rows_and_columns(scene), strict=True):
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                label(words(f"conventions.notations.{name}"), width="content")
                for formula in formulas_in(turned.lesson, "heads", ink):
                    st.markdown(f"${formula}$", width="content")
            figure, least = pictures.products(turned)
            alt = words(f"conventions.notations.alt_{name}")
            chart(figure, key=f"notation_{name}", alt=alt, least=least)
    with right:
        prose(story.notations_text(scene))
        prose(story.trap_text(scene))
        prose(story.folding_text(scene))
        st.button(
            words("conventions.notations.mathematics"),
            key="put_mathematics",
            on_click=put_setup,
            args=("mathematics",),
        )
    label(words("conventions.notations.forms"))
    with st.container(key="wide_forms"):
        st.markdown(story.forms_table(scene, torch_scene))
    if story.sizes(scene) != story.sizes(torch_scene):
        nearest = words("conventions.notations.nearest", **vars(story.sizes(torch_scene)))
        note(f"PyTorch: {nearest}")
    sum_up(words.html("conventions.notations.sum_up"))


def torch(way: TorchWalk, scene: Scene, moved: tuple[str, ...]) -> None:
    words = scene.words
    if moved:
        note(torch_story.torch_nearest(words, moved, scene))
    left, right = st.columns(CODE_AND_TENSOR, gap="medium")
    with left:
        st.radio(
            words("conventions.torch.line"),
            [*WALK_STEPS, "equal"],
            format_func=lambda step: torch_story.step_label(step, way, words, scene.lesson.cross),
            **state.widget("torch_step"),
        )
        names = words.html("conventions.torch.names", **vars(story.sizes(scene)))
        note(names + (words("conventions.torch.names_cross") if scene.lesson.cross else ""))
    with right:
        step = state.settings().of(ConventionsKnobs).torch_step
        figure, least = torch_pictures.tensor(step, way, scene)
        chart(figure, key="tensor", alt=words("conventions.torch.alt", step=step), least=least)
        prose(torch_story.step_text(step, way, scene))
        line = torch_story.compared(step, way, scene)
        if line is not None:
            arithmetic(line)
    sum_up(words.html("conventions.torch.sum_up"))


def names(scene: Scene, torch_scene: Scene) -> None:
    words = scene.words
    st.html(story.names_table(scene, torch_scene))
    note(words.html("conventions.names.sizes", **vars(story.sizes(scene))))
    mask, name = story.shared_mask(torch_scene)
    kept, blocked = story.walk_of(torch_scene, ~mask), story.walk_of(torch_scene, mask)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        figure, least = pictures.readings(torch_scene, kept, blocked)
        chart(figure, key="readings", alt=words("conventions.names.alt"), least=least)
    with right:
        prose(words.html("conventions.names.text", mask=words(f"conventions.names.{name}")))
        prose(story.readings_text(torch_scene, kept, blocked))
    sum_up(words.html("conventions.names.sum_up"))


def short(scene: Scene) -> None:
    words, settings = scene.words, scene.lesson.settings
    table = conventions.divisors(scene.lesson.tokens.tokens, settings.d_model, settings.seed)
    coincide, part, flat, parameters = short_module.short_texts(scene, table)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        n = len(scene.lesson.tokens.tokens)
        d_model = settings.d_model
        shapes = {"x": f"(1, {n}, {d_model})", "scores": f"(1, {n}, {n})", "d_model": d_model}
        st.code(conventions.THREE_LINEAR.format(**shapes), language="python")
        label(words("conventions.short.map", n=n))
        chart(pictures.flat_map(scene), key="short_map", alt=words("conventions.short.alt"), least=480)
    with right:
        label(words("conventions.short.shapes"))
        st.html(short_module.shapes_table(scene))
        prose(parameters)
        prose(flat)
        st.button(
            words("conventions.short.put"),
            key="put_three_linear",
            on_click=put_setup,
            args=("three_linear",),
        )
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        st.html(short_module.divisors_table(words, table))
        note(words("conventions.short.table", seed=settings.seed))
    with right:
        prose(coincide)
        prose(part)
    sum_up(words.html("conventions.short.sum_up"))


def parameters(scene: Scene) -> None:
    words = scene.words
    st.html(parameter_counts.legend(words))
    chart(
        parameter_counts.parameters(scene),
        key="parameters",
        alt=words("conventions.parameters.alt"),
        least=720,
    )
    note(
        words.html(
            "conventions.parameters.own_text",
            d_ff=4 * scene.lesson.trace.layer.d_model,
            words=parameter_counts.vocabulary_size(scene),
        )
    )
    arithmetic(parameter_counts.count_formula(scene))
    prose(words.html("conventions.parameters.text", **parameter_counts.parameters_text()))
    sum_up(words.html("conventions.parameters.sum_up"))
