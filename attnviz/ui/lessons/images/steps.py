"""The steps of the page about pictures, each as it stands on the page."""

import streamlit as st

from attnviz.figures.labels import number
from attnviz.lab.images.image_lesson import Numbers
from attnviz.ui.kit import state
from attnviz.ui.kit.pictures.charts import chart, colour_key
from attnviz.ui.kit.pictures.maps import Click
from attnviz.ui.kit.text.prose import arithmetic, label, note, prose, sum_up
from attnviz.ui.lessons.images import pictures, story
from attnviz.ui.lessons.images.pictures import View


def _choose(click: Click) -> None:
    """The clicked patch; given was how many stood in a row."""
    (columns,) = click.given
    if isinstance(columns, int):
        state.put(patch=click.row * columns + click.column)


def patches(view: View) -> None:
    words = view.words
    left, right = st.columns(2, gap="medium")
    with left:
        label(words("images.patches.choose"))
        chart(
            pictures.picture(view),
            key="patches",
            alt=words("images.patches.alt"),
            on_cell=_choose,
            given=(view.lesson.columns,),
        )
    with right:
        p = view.lesson.patch_size
        label(words("images.patches.zoom", patch=view.patch_name(), p=p, across=3 * p))
        chart(pictures.zoom(view), key="zoom", alt=words("images.patches.alt_zoom"))
        prose(story.first_numbers(view))
        prose(words.html("images.patches.layer"))
        st.markdown(f"${story.layer_formula(view)}$")
        figure, least = pictures.token_row(view)
        d_model = view.lesson.settings.d_model
        chart(figure, key="token", alt=words("images.patches.alt_token", d_model=d_model), least=least)
    prose(words.html("images.patches.text", n=view.lesson.count, d_model=view.lesson.settings.d_model))
    if view.lesson.settings.position == "none":
        note(words("images.patches.order"))
    sum_up(words.html("images.patches.sum_up"))


def look(view: View, by_seed: list[float]) -> None:
    words = view.words
    label(words("images.look.choose", patch=view.patch_name()))
    figure, limit = pictures.looks(view)
    colour_key(limit, weights=True, caption=words("images.look.one_scale"))
    chart(
        figure,
        key="looks",
        alt=words("images.look.alt"),
        least=pictures.least(view),
        on_cell=_choose,
        given=(view.lesson.columns,),
    )
    arithmetic(story.most_text(view))
    prose(story.rule_text(view, by_seed))
    if view.lesson.settings.preset != "similarity":
        prose(story.equal_text(view))
    note(story.shapes_text(view))
    sum_up(words.html("images.look.sum_up"))


def channels(view: View, x: Numbers, heads: Numbers) -> None:
    words = view.words
    figure, limit = pictures.moves(view, x, heads)
    colour_key(limit, weights=True, caption=words("images.channels.caption", x=number(float(x.max()))))
    chart(
        figure,
        key="moves",
        alt=words("images.channels.alt"),
        least=pictures.least(view, 1),
        on_cell=_choose,
        given=(view.lesson.columns,),
    )
    prose(story.channels_text(view, x, heads))
    st.html(story.channels_table(view, x, heads))
    sum_up(words.html("images.channels.sum_up"))
