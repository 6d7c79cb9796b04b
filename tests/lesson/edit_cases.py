"""Lessons to be edited, any edits, and the arrays of a lesson that can be edited."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnviz.lesson.edits import AXES, BY_TOKENS, LARGEST, Edit, Edits, fingerprint
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, Settings

# n = 6 queries, m = 4 keys, and every size different from every other.
ODD = replace(DEFAULTS, sentence="the cat sat on the mat", d_model=7, num_heads=3, d_k=2, d_v=5, seed=3)
CROSS = replace(ODD, source="a dog sleeps here")
ALL = replace(CROSS, bias=True, score="additive", mask="drawn", scale="sqrt_d_k", residual=True)
FORTY_TWO = fingerprint("42")


def edits_of_one(name: str) -> st.SearchStrategy[Edit]:
    """Any edit of an array: small shapes, any cells, any numbers that are allowed."""
    shapes = st.tuples(*(st.integers(1, 4) for _ in AXES[name]))
    number = st.sampled_from((0.0, 1.0)) if name == "keep" else st.floats(-LARGEST, LARGEST)

    def filled(shape: tuple[int, ...]) -> st.SearchStrategy[Edit]:
        cells = st.dictionaries(st.integers(0, math.prod(shape) - 1), number, min_size=1)
        tokens = FORTY_TWO if name in BY_TOKENS else ""
        return cells.map(lambda found: Edit(name, shape, np.array([]), np.array([]), tokens).changed(found))

    return shapes.flatmap(filled)


EDITS = st.lists(
    st.sampled_from([*AXES]).flatmap(edits_of_one), max_size=5, unique_by=lambda edit: edit.key
).map(lambda found: Edits(tuple(found)))


def lesson(settings: Settings, edits: Edits | None = None) -> Lesson:
    """The lesson of settings that make one."""
    made = make_lesson(settings, edits)
    assert made is not None
    return made


def arrays_of(made: Lesson) -> dict[str, NDArray[Any]]:
    """Everything in a lesson that can be edited."""
    trace = made.trace
    scores = {f"score_{name}": np.asarray(a) for name, a in trace.score_parameters.items() if np.ndim(a)}
    found = {"x": trace.x, **trace.layer.parameters(), **scores}
    if made.cross:
        found["x_source"] = trace.x_source
    return found | ({} if trace.keep is None else {"keep": trace.keep})


def edit_of(made: Lesson, name: str, cells: dict[int, float]) -> Edit:
    """An edit of one array of a lesson, these cells of it."""
    sentences = {"x": made.tokens.tokens, "x_source": made.source.tokens}
    tokens = fingerprint(sentences[name]) if name in sentences else ""
    return Edit(name, arrays_of(made)[name].shape, np.array([]), np.array([]), tokens).changed(cells)


def exact(edits: Edits) -> list[tuple[object, ...]]:
    """The edits down to the last bit."""
    return [(*e.key, e.at.tolist(), e.values.view(np.int64).tolist()) for e in edits.entries]
