"""The frame: page config, shared sidebar, navigation. Run with `python -m streamlit run app.py`."""

import streamlit as st

from attnviz.ui import controls, frame, router, state

state.sync()
frame.configure()
frame.dress()
pages = router.pages()
pg = st.navigation(pages, position="hidden")
state.arrive(pg.url_path)
controls.sidebar(pages, pg.url_path)
frame.show_notices()
router.arm()
pg.run()
frame.speak()
frame.settle(pg.url_path)
