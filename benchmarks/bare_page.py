"""A Streamlit page with the two figures of the weights station and one box: what benchmarks/page.py compares ours with."""

import streamlit as st

from attnviz.figures.base import CONFIG
from attnviz.figures.palette import PALETTES
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import from_link
from attnviz.ui.app.frame import warm_up
from attnviz.ui.kit.page.lessons import focus_of
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.stations import picture
from attnviz.words import Words

st.set_page_config(layout="wide")
warm_up()  # as our page does, so that the garbage collector costs both the same
d_k = st.number_input("d_k", 1, 512, 4, key="w_d_k")
settings, _ = from_link(st.query_params.to_dict() | {"d_k": str(d_k)})
lesson = make_lesson(settings)
shown = picture("weights", Scene(lesson, focus_of(lesson), Words("en"), PALETTES["light"]))
left, right = st.columns((1.6, 1))
left.plotly_chart(
    shown.main, theme=None, key="main_weights", config=CONFIG, on_select="rerun", selection_mode="points"
)
right.plotly_chart(shown.heads, theme=None, key="heads_weights", config=CONFIG)
