"""The frame: page config, shared sidebar, navigation. Run with `python -m streamlit run app.py`."""

import streamlit as st

from attnviz.ui import controls, frame, router, state

frame.configure()
state.sync()
frame.dress()
pg = st.navigation(router.pages(), position="hidden")
controls.sidebar(pg.url_path)
frame.show_notices()
router.arm()
pg.run()
