"""The front page: a sentence becomes attention, every number on screen."""

from attnviz.lesson.budget import token_limit
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import focus_of, lesson_of
from attnviz.ui.kit.page.sentence import sentence_box, token_strip
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import notices
from attnviz.ui.playground.cost import playground_cost
from attnviz.ui.playground.overview import overview
from attnviz.ui.playground.path import path
from attnviz.ui.playground.station import station


def page() -> None:
    """The whole page below the frame."""
    sentence_box()
    lesson = lesson_of(state.settings(), token_limit(state.settings(), playground_cost))
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
