"""Scenes for tests: a lesson of odd sizes, seen with one focus."""

from dataclasses import replace
from functools import cache
from typing import Any

from markupsafe import Markup

from attnviz.figures.palette import LIGHT
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, Settings, change
from attnviz.ui.kit.pictures.scene import Focus, Scene
from attnviz.words import Words

SELF = replace(DEFAULTS, sentence="the cat sat on the mat", d_model=7, num_heads=3, d_k=2, d_v=5)  # n = m = 6
CROSS = replace(SELF, source="a <b> & $x$")  # m = 6: a < b > & $x$ in tokens
KINDS_OF_ATTENTION = {"self": SELF, "cross": CROSS}


def scene(*, head: int = 1, query: int = 4, key: int = 2, base: Any = SELF, **values: Any) -> Scene:
    """The scene of `base` with `values`; head, query and key count from 0."""
    settings, _ = change(base, **values)
    numbers = replace(settings, language=DEFAULTS.language)
    language = settings.language if settings.language != "auto" else "en"
    return Scene(lesson_of(numbers), Focus(head, query, key), Words(language), LIGHT)


@cache
def lesson_of(settings: Settings) -> Lesson:
    lesson = make_lesson(settings)
    assert lesson is not None
    return lesson


def plain(html: Markup) -> str:
    """What the reader sees."""
    return Markup(html).striptags()
