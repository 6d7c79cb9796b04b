"""The frame: page config, shared sidebar, navigation. Run with `python -m streamlit run app.py`."""

import streamlit as st

import attnviz.ui.lessons  # noqa: F401  (the knobs of all pages join the settings before a link is read)
from attnviz.ui.app import frame, router, sidebar
from attnviz.ui.kit import address, state
from attnviz.ui.kit.page.pages import pages

address.sync()
frame.configure()
frame.dress()
listed = pages()
pg = st.navigation(listed, position="hidden")
state.arrive(pg.url_path)
sidebar.sidebar(listed, pg.url_path)
frame.show_notices()
router.arm()
pg.run()
frame.speak()
frame.settle(pg.url_path)
