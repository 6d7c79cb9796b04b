"""The front page: a sentence becomes attention, every number on screen."""

from attnviz.ui import router, state
from attnviz.ui.lessons import focus_of, lesson_of
from attnviz.ui.overview import overview
from attnviz.ui.path import path
from attnviz.ui.prose import notices
from attnviz.ui.scene import Scene
from attnviz.ui.sentence import sentence_box, token_strip
from attnviz.ui.station import station

router.ensure()
sentence_box()
lesson = lesson_of(state.settings())
if lesson is None:
    path(None)
    notices([state.words().html("playground.empty")])
else:
    focus = focus_of(lesson)
    scene = Scene(lesson, focus, state.words(), state.palette())
    token_strip(lesson, focus.query)
    path(lesson)
    if state.settings().stage == "overview":
        overview(scene)
    else:
        station(state.settings().stage, scene)
