"""The steps of the page "How alike are a query and a key?"."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.core.arrays import Array
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lab.decoding.decoding import with_source
from attnviz.lab.scores.comparison import MOST_PAIRS, Changes, changes, head_parameters
from attnviz.lab.scores.surface import contour_shape, dot_is_constant_on
from attnviz.lesson.kinds import Real, Whole
from attnviz.lesson.settings import find_setting
from attnviz.ui.kit import state, style
from attnviz.ui.kit.page.lessons import focus_of, lesson_of
from attnviz.ui.kit.page.source import source_box
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.kit.text.prose import note, prose, sum_up
from attnviz.ui.lessons.scores.knobs import ScoresKnobs
from attnviz.ui.lessons.scores.pictures import (
    Comparison,
    angle_curves,
    comparison,
    length_curves,
    scores_and_weights,
    self_and_cross,
    surfaces,
)
from attnviz.ui.lessons.scores.story import changes_table, favourites, functions_table

LEAST = 172  # pixels a picture below which a row of them scrolls
LEAST_NUMBERS = 200  # the same where numbers stand in their cells


def score_steps(scene: Scene) -> list[Step]:
    """The functions side by side, what changes them, their landscapes, and self against cross."""
    # What a step answers from is what it draws: both are computed once, and only if they are seen.
    made, both = cache(lambda: comparison(scene)), cache(lambda: [comparison(each) for each in _both(scene)])
    counted = {"all": len(SCORE_FUNCTIONS)}
    return [
        Step("maps", lambda: _draw_maps(made()), lambda: _maps_answer(made()), values=counted),
        Step(
            "change",
            lambda: _draw_change(scene),
            lambda: _change_answer(scene),
            lambda: _change_controls(scene),
        ),
        Step("surface", lambda: _draw_surface(scene), _surface_answer, lambda: _surface_controls(scene)),
        Step("inputs", lambda: _draw_inputs(both()), lambda: _inputs_answer(both()), source_box),
    ]


def _query(scene: Scene) -> Markup:
    return token(scene.lesson.tokens.tokens[scene.focus.query], scene.focus.query, "query")


def _sliders(scene: Scene, *sliders: tuple[str, str, float, str]) -> None:
    """Sliders side by side: setting, label, step and unit of each."""
    for column, slider in zip(st.columns(len(sliders), gap="medium"), sliders, strict=True):
        with column:
            _slider(scene, *slider)


def _slider(scene: Scene, name: str, label: str, step: float, unit: str) -> None:
    kind = find_setting(name).kind
    assert isinstance(kind, Real | Whole)
    low, high, by = (
        (kind.low, kind.high, int(step)) if isinstance(kind, Whole) else (kind.low, kind.high, step)
    )
    st.slider(scene.words(label), low, high, step=by, format=f"%g{unit}", **state.widget(name))


# --- side by side -------------------------------------------------------------------------------


def _maps_answer(made: Comparison) -> int:
    found = set(made.best)
    return 1 if len(found) == 1 else 3 if len(found) == len(SCORE_FUNCTIONS) else 2


def _draw_maps(made: Comparison) -> None:
    scene, words = made.scene, made.scene.words
    alt = words("scores.maps.alt", all=len(SCORE_FUNCTIONS), head=scene.focus.head + 1)
    chart(scores_and_weights(made), key="score_maps", alt=alt, least=LEAST_NUMBERS * len(SCORE_FUNCTIONS))
    note(words.html("scores.maps.scales"))
    _tell_rows(made)
    prose(favourites(made))
    with st.container(key=style.wide("score_table", 760)):
        st.markdown(functions_table(made))
    sum_up(words.html("scores.maps.sum"))


def _tell_rows(made: Comparison) -> None:
    """Which queries are compared, where they are not all."""
    n = len(made.scene.lesson.tokens.tokens)
    if made.rows != slice(0, n):
        note(made.scene.words.html("scores.maps.rows", first=made.rows.start, last=made.rows.stop - 1, n=n))


# --- longer, turned, swapped --------------------------------------------------------------------


def _measured(scene: Scene, stretch: float, degrees: float) -> list[Changes]:
    """The changes of every function, over the first MOST_PAIRS tokens a side and the pair in focus."""
    trace, focus = scene.lesson.trace, scene.focus
    rows = _with(len(trace.query[focus.head]), focus.query)
    columns = _with(len(trace.key[focus.head]), focus.key)
    query, key = trace.query[focus.head][rows], trace.key[focus.head][columns]
    pair = rows.index(focus.query), columns.index(focus.key)
    return [
        changes(
            score,
            query,
            key,
            head_parameters(scene.lesson.settings, score, focus.head, query.shape[1]),
            pair=pair,
            stretch=stretch,
            angle=math.radians(degrees),
        )
        for score in SCORE_FUNCTIONS
    ]


def _with(count: int, focus: int) -> list[int]:
    """The first MOST_PAIRS places, and the one in focus."""
    return sorted({*range(min(count, MOST_PAIRS)), focus})


def _change_answer(scene: Scene) -> int:
    doubled = [c.longer_query.verdict == "times" for c in _measured(scene, 2.0, 0.0)]
    return 1 if all(doubled) else 2 if any(doubled) else 3


def _change_controls(scene: Scene) -> None:
    _sliders(scene, ("stretch", "scores.change.stretch", 0.1, ""), ("turn", "scores.change.turn", 1, "°"))


def _draw_change(scene: Scene) -> None:
    words, settings = scene.words, state.settings()
    knobs = settings.of(ScoresKnobs)
    query, key = _query(scene), token(scene.lesson.source.tokens[scene.focus.key], scene.focus.key, "key")
    prose(words.html("scores.change.pair", query=query, key=key, head=scene.focus.head + 1))
    alt = words("scores.change.alt_length")
    chart(
        length_curves(scene, knobs.stretch), key="length_curves", alt=alt, least=LEAST * len(SCORE_FUNCTIONS)
    )
    note(words.html("scores.change.note_angle"))
    alt = words("scores.change.alt_angle")
    chart(angle_curves(scene, knobs.turn), key="angle_curves", alt=alt, least=LEAST * len(SCORE_FUNCTIONS))
    found = _measured(scene, knobs.stretch, knobs.turn)
    st.html(changes_table(scene, found))
    n, m = scene.lesson.trace.scores.shape[1:]
    note(words.html("scores.change.how", pairs=f"{min(n, MOST_PAIRS) * min(m, MOST_PAIRS):,}"))
    if settings.d_k == 1:
        note(words.html("scores.change.one"))
    sum_up(words.html("scores.change.sum"))


# --- landscapes ---------------------------------------------------------------------------------


def _plane_query() -> Array:
    knobs = state.settings().of(ScoresKnobs)
    angle = math.radians(knobs.query_angle)
    return knobs.query_length * np.array([math.cos(angle), math.sin(angle)])


def _surface_answer() -> int:
    """No answer for a query of length 0, which has no direction: there every score is 0."""
    query = _plane_query()
    return {"lines": 1, "circles": 2, "rays": 3}[dot_is_constant_on(query)] if query.any() else 0


def _surface_controls(scene: Scene) -> None:
    _sliders(
        scene,
        ("query_angle", "scores.surface.angle", 1, "°"),
        ("query_length", "scores.surface.length", 0.1, ""),
    )


def _draw_surface(scene: Scene) -> None:
    words, query, settings = scene.words, _plane_query(), scene.lesson.settings
    chart(
        surfaces(scene, query),
        key="surfaces",
        alt=words("scores.surface.alt"),
        least=LEAST * len(SCORE_FUNCTIONS),
    )
    note(words.html("scores.surface.how" if settings.d_k != 2 else "scores.surface.how_keys"))
    parameters = head_parameters(settings, settings.score, scene.focus.head, 2)
    shape = contour_shape(settings.score, query, parameters)
    prose(
        words.html(
            "scores.surface.text",
            score=words.either(f"common.score.{settings.score}", settings.score),
            shape=words(f"scores.surface.shape_{shape}"),
        )
    )
    sum_up(words.html("scores.surface.sum"))


# --- self or cross ------------------------------------------------------------------------------


def _both(scene: Scene) -> list[Scene]:
    """The scene with the sentence alone, and with the second sentence (an example where there is none)."""
    settings, cross = scene.lesson.settings, scene.lesson.cross
    other = replace(settings, source="") if cross else with_source(settings)
    lesson = lesson_of(other, scene.lesson.limit)
    assert lesson is not None  # both sentences have tokens
    made = Scene(lesson, focus_of(lesson), scene.words, scene.palette)
    return [made, scene] if cross else [scene, made]


def _inputs_answer(sides: list[Comparison]) -> int:
    """3 if every function compares queries with keys of either kind, as many of each as there are."""
    for made in sides:
        shape = (made.rows.stop - made.rows.start, len(made.scene.lesson.source.tokens))
        if not all(c.scores.shape == shape and np.isfinite(c.scores).all() for c in made.found):
            return 1
    return 3


def _draw_inputs(sides: list[Comparison]) -> None:
    words = sides[0].scene.words
    alt = words("scores.inputs.alt", all=len(SCORE_FUNCTIONS))
    chart(self_and_cross(sides), key="self_and_cross", alt=alt, least=LEAST_NUMBERS * len(SCORE_FUNCTIONS))
    _tell_rows(sides[0])
    cross = sides[1].scene.lesson
    n, m = cross.trace.scores.shape[1:]
    source = " ".join(cross.source.tokens[:20])
    prose(words.html("scores.inputs.text", n=n, m=m, source=source, all=len(SCORE_FUNCTIONS)))
    sum_up(words.html("scores.inputs.sum"))
