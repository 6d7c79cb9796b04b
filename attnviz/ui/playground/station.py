"""One station of the path: name, formula, table, head and key pickers, pictures, words."""

import streamlit as st
from markupsafe import Markup

from attnviz.explain.formulas import Ink
from attnviz.explain.in_lesson import formulas_in
from attnviz.explain.reference import PAIRS
from attnviz.figures.labels import quoted, shorten, subscript
from attnviz.figures.maps import MOST_NUMBERS
from attnviz.ui.kit import state
from attnviz.ui.kit.page.pressed import pressed
from attnviz.ui.kit.pictures.charts import chart, colour_key
from attnviz.ui.kit.pictures.pairs import mean_picture
from attnviz.ui.kit.pictures.real_vectors import origin
from attnviz.ui.kit.pictures.scene import Picture, Scene
from attnviz.ui.kit.pictures.stations import picture
from attnviz.ui.kit.pictures.table import table_popover
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import note, prose
from attnviz.ui.playground.board import ask_button, board
from attnviz.ui.playground.clicks import ask_clicked, given_with
from attnviz.ui.playground.edit.grid import editing
from attnviz.ui.playground.edit.note import hand_lines, weights_line
from attnviz.ui.playground.edit.panel import edit_button, edit_grids
from attnviz.ui.playground.lines import lines
from attnviz.ui.playground.path import step_buttons
from attnviz.ui.playground.pinned import comparison, pin_button
from attnviz.ui.playground.story import ids_table, mean_of_outputs, paragraph
from attnviz.ui.playground.sums import sum_line

SIDE_BY_SIDE = 6


def station(stage: str, scene: Scene) -> None:
    """The whole station below the path."""
    _header(stage, scene)
    shown = picture(stage, scene)
    _wide(stage, scene, shown) if shown.full else _split(stage, scene, shown)
    line = Markup('<p class="av-note">{}</p>').format(weights_line(scene.lesson, scene.words))
    st.html(sum_line(stage, scene) + line)
    ask_button(stage, scene)
    if stage == "output" and scene.lesson.settings.num_heads > 1:
        note(mean_of_outputs(scene))
    board(scene)
    comparison(scene)
    if stage == "x" and (lines := origin(scene.lesson, scene.words, outlined=True)):
        note(Markup(" ").join(lines))
    for line in hand_lines(scene.lesson, scene.words):
        note(line)


def _header(stage: str, scene: Scene) -> None:
    words, palette = scene.words, scene.palette
    ink = Ink(palette.query_text, palette.key_text, palette.value_text, palette.output_text)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="station"):
        title = words(f"playground.stages.{stage}_title")
        written = " ".join(f"${formula}$" for formula in formulas_in(scene.lesson, stage, ink))
        st.title(f"{title} {written}", anchor=False, width="stretch")
        table_popover(stage, scene)
        pin_button(scene)
        overview_button(scene)
        edit_button(words)
        step_buttons(words)


def overview_button(scene: Scene) -> None:
    """Open or close the overview."""
    at = state.settings().stage
    st.button(
        pressed(scene.words("playground.overview"), at == "overview"),
        icon=":material/grid_view:",
        type="tertiary",
        shortcut="O",
        key="overview",
        on_click=lambda: state.put(stage="weights" if at == "overview" else "overview"),
    )


def _split(stage: str, scene: Scene, shown: Picture) -> None:
    left, right = st.columns((1, 1) if editing().open else SPLIT, gap="medium")
    with left:
        if stage != "x":  # every head reads the same x
            pickers(scene, with_key=stage in (*PAIRS, "qkv", "heads"))
        if stage == "weights" and scene.lesson.settings.lines:
            lines(scene)
        else:
            _main(stage, scene, shown)
    with right:
        edit_grids(stage, scene)
        _all_heads(stage, scene, shown)
        prose(paragraph(stage, scene))


def _wide(stage: str, scene: Scene, shown: Picture) -> None:
    edit_grids(stage, scene, wide=True)
    _main(stage, scene, shown)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        _all_heads(stage, scene, shown)
    with right:
        prose(paragraph(stage, scene))


def _main(stage: str, scene: Scene, shown: Picture) -> None:
    alt = scene.words(
        "playground.alt",
        stage=scene.words(f"playground.stages.{stage}_title"),
        head=scene.focus.head + 1,
        n=len(scene.lesson.tokens.tokens),
        m=len(scene.lesson.source.tokens),
    )
    chart(
        shown.main,
        key=f"main_{stage}",
        alt=alt,
        least=shown.least,
        on_cell=ask_clicked,
        given=given_with(scene, shown),
    )
    if max(scene.lesson.trace.scores.shape[1:]) > 64 and stage in PAIRS:
        st.html(Markup('<p class="av-note">{}</p>').format(scene.words("playground.thinned")))


def pickers(scene: Scene, *, with_key: bool) -> None:
    """The head and, where the station has one, the key in focus."""
    words = scene.words
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _head_picker(scene)
        if with_key:
            _key_picker(scene)
        if scene.lesson.settings.stage == "weights":
            st.segmented_control(
                words("playground.view"),
                (False, True),
                format_func=lambda on: words(f"playground.view_{'lines' if on else 'map'}"),
                required=True,
                label_visibility="collapsed",
                **state.widget("lines"),
            )


def _head_picker(scene: Scene) -> None:
    """All heads side by side where they fit, else a list."""
    count = scene.lesson.settings.num_heads
    label = scene.words("playground.head")
    widget = state.widget("head", scene.focus.head + 1)
    if count <= SIDE_BY_SIDE:
        st.segmented_control(label, range(1, count + 1), required=True, **widget)
    else:
        st.selectbox(label, range(1, count + 1), filter_mode=None, width=148, **widget)


def _key_picker(scene: Scene) -> None:
    words, tokens = scene.words, scene.lesson.source.tokens
    chosen = min(state.settings().key, len(tokens) - 1)

    def name(position: int) -> str:
        if position < 0:
            return words("playground.key_auto")
        return f"{quoted(shorten(tokens[position]))}{subscript(position)}"

    st.selectbox(
        words("playground.key"),
        range(-1, len(tokens)),
        format_func=name,
        label_visibility="collapsed",
        width=190,
        **state.widget("key", chosen, shown=name(chosen)),
    )


def _all_heads(stage: str, scene: Scene, shown: Picture) -> None:
    words = scene.words
    if shown.heads is None:
        caption, title = words("playground.one_scale"), words("playground.ids")
        colour_key(shown.limit, weights=False, caption=caption, title=title)
        st.html(ids_table(scene))
        return
    title = "playground.adds" if stage == "output" else "common.heads_title"
    caption = words("playground.one_scale_weights" if shown.weights else "playground.one_scale")
    if shown.weights and scene.lesson.settings.num_heads > 1:
        _mean(scene)  # beside the title of the next, by our CSS
    colour_key(shown.limit, weights=shown.weights, caption=caption, title=words(title))
    if shown.weights and max(scene.lesson.trace.scores.shape[1:]) > MOST_NUMBERS:
        st.toggle(words("playground.full_scale"), **state.widget("full_scale"))
    chart(
        shown.heads,
        key=f"heads_{stage}",
        alt=words("playground.alt_heads", n=scene.lesson.settings.num_heads),
        on_cell=lambda click: state.put(head=click.axes + 1),
    )


def _mean(scene: Scene) -> None:
    """The mean of the heads, on request: what it is and what it is not."""
    box = st.popover(scene.words("playground.mean"), type="tertiary", key="mean", on_change=state.touch)
    if not box.open:
        return
    with box:
        prose(scene.words.html("playground.mean_note"))
        alt = scene.words("playground.mean")
        chart(
            mean_picture(scene),
            key="mean_map",
            alt=alt,
            least=min(60 + 40 * scene.lesson.trace.scores.shape[2], 560),
        )
