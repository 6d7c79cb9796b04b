"""Lessons by their settings, kept; and the focus, brought inside the sentence."""

from dataclasses import replace

from attnviz.lesson.budget import token_limit
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import LIMIT_TOKENS, Settings, without_looks
from attnviz.ui.kit.edited import edits_of
from attnviz.ui.kit.kept import keep
from attnviz.ui.kit.pictures.scene import Focus


def lesson_of(settings: Settings, most: int = LIMIT_TOKENS) -> Lesson | None:
    """The lesson of `settings` and the edits they name, kept so that a click computes nothing anew.

    most: how many tokens of each sentence the page can afford (see budget.token_limit).
    """
    edits = edits_of(settings)
    # Which edits a text names depends on the session: the digest says it to the cache, which all sessions share.
    numbers = replace(without_looks(settings), edits="")
    limit = min(token_limit(numbers), most)
    made = keep(("lesson", numbers, edits.digest, limit), lambda: make_lesson(numbers, edits, limit))
    return None if made is None else replace(made, settings=settings)


def focus_of(lesson: Lesson) -> Focus:
    """The focus of the settings, inside this sentence; key -1 is the one with the largest weight."""
    settings, trace = lesson.settings, lesson.trace
    n, m = trace.scores.shape[1:]
    head, query = min(settings.head, settings.num_heads) - 1, min(settings.query, n - 1)
    key = settings.key if settings.key >= 0 else int(trace.weights[head, query].argmax())
    return Focus(head, query, min(key, m - 1))
