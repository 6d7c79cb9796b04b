"""The frame: page config, shared sidebar, navigation. Run with `python -m streamlit run app.py`."""

import streamlit as st

from attnviz.ui import controls, frame, router, state

state.sync()
frame.configure()
frame.dress()
pg = st.navigation(router.pages(), position="hidden")
state.arrive(pg.url_path)
controls.sidebar(pg.url_path)
frame.show_notices()
router.arm()
pg.run()
