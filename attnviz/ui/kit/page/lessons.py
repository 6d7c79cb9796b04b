"""Lessons by their settings, the last few kept; and the focus, brought inside the sentence."""

from dataclasses import replace

import streamlit as st

from attnviz.lesson.edits import Edits
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import Settings, without_looks
from attnviz.ui.kit.edited import edits_of
from attnviz.ui.kit.pictures.scene import Focus

KEPT = 64
LARGEST_KEPT = 50_000  # numbers in the scores; what is larger is computed anew


def lesson_of(settings: Settings) -> Lesson | None:
    """The lesson of `settings` and the edits they name; small ones are kept, so that a click computes nothing anew."""
    edits = edits_of(settings)
    # Which edits a text names depends on the session: the digest says it to the cache, which all sessions share.
    numbers = replace(without_looks(settings), edits="")
    size = settings.num_heads * max(settings.d_k, settings.d_v, 64) * settings.d_model + edits.count
    small = size + len(settings.sentence) ** 2 <= LARGEST_KEPT
    kept = _kept(numbers, edits.digest, edits) if small else make_lesson(numbers, edits)
    return None if kept is None else replace(kept, settings=settings)


# repr() says all of the settings in a fiftieth of the time that Streamlit takes to read the fields.
@st.cache_resource(max_entries=KEPT, show_spinner=False, hash_funcs={Settings: repr})
def _kept(settings: Settings, digest: str, _edits: Edits) -> Lesson | None:
    return make_lesson(settings, _edits)


def focus_of(lesson: Lesson) -> Focus:
    """The focus of the settings, inside this sentence; key -1 is the one with the largest weight."""
    settings, trace = lesson.settings, lesson.trace
    n, m = trace.scores.shape[1:]
    head, query = min(settings.head, settings.num_heads) - 1, min(settings.query, n - 1)
    key = settings.key if settings.key >= 0 else int(trace.weights[head, query].argmax())
    return Focus(head, query, min(key, m - 1))
