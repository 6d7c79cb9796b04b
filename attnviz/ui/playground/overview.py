"""Every station of the focused head at once, small."""

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.explain.stations import masked, seen_weights
from attnviz.figures.base import scale_of
from attnviz.figures.multiples import Small, small_maps
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import note
from attnviz.ui.playground.edit.note import hand_lines, weights_line
from attnviz.ui.playground.path import step_buttons
from attnviz.ui.playground.station import overview_button, pickers
from attnviz.ui.playground.sums import sum_line


def overview(scene: Scene) -> None:
    """The whole way of one head in one picture."""
    words = scene.words
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="station"):
        st.title(words("playground.overview_title"), anchor=False, width="stretch")
        overview_button(scene)
        step_buttons(words)
    pickers(scene, with_key=False)
    figure = small_maps(stations(scene), palette=scene.palette, height=440)
    chart(
        figure, key="overview_map", alt=words("playground.alt_overview", head=scene.focus.head + 1), least=640
    )
    st.html(Markup('<p class="av-prose">{}</p>').format(words.html("playground.story.overview")))
    st.html(sum_line("weights", scene))
    for line in (weights_line(scene.lesson, words), *hand_lines(scene.lesson, words)):
        note(line)


def stations(scene: Scene) -> list[Small]:
    """One small map a matrix, from x to the output, each on its own scale."""
    trace, h = scene.lesson.trace, scene.focus.head
    words = scene.words
    query = scene.focus.query

    def small(values: NDArray[np.floating], title: str, role: str = "", marked: bool = True) -> Small:
        shape = values.shape[::-1] if scene.columns else values.shape
        return Small(
            values.T if scene.columns else values,
            title,
            scale_of([values]),
            role=role,
            row=query if marked and not scene.columns else None,
            column=query if marked and scene.columns else None,
            subtitle=f"{shape[0]} × {shape[1]}",
        )

    weights = small(seen_weights(scene.lesson.trace)[h], words("playground.stages.weights"))
    return [
        small(trace.x, "x"),
        small(trace.query[h], "Q", "query"),
        small(trace.key[h], "K", "key", False),
        small(trace.value[h], "V", "value", False),
        small(trace.scores[h], words("playground.stages.scores")),
        small(trace.scaled[h], words("playground.stages.scaled")),
        small(masked(scene.lesson.trace)[h], words("playground.stages.masked")),
        Small(**{**vars(weights), "weights": True, "limit": 1.0}),
        small(trace.head_outputs[h], words("playground.stages.heads"), "value"),
        small(trace.concat, words("playground.stages.concat"), "value"),
        small(trace.contributions[h], words("playground.contribution")),
        small(trace.output, words("playground.stages.output"), "output"),
    ]
