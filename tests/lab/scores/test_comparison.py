"""The score functions side by side: the same numbers as the layer's, and the laws that tell them apart."""

import math

import numpy as np
import pytest

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lab.scores.comparison import (
    Changes,
    along_angle,
    along_length,
    changes,
    compare,
    head_parameters,
    turned,
)
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import Settings

scores = pytest.mark.parametrize("score", SCORE_FUNCTIONS)


def lesson(**values: object) -> Lesson:
    settings = {"sentence": "the cat sat on a mat", "d_model": 7, "num_heads": 3, "d_k": 5, "d_v": 2}
    made = make_lesson(Settings().put(**(settings | values)))
    assert made is not None
    return made


def measured(score: str, stretch: float = 2.0, angle: float = 0.7, d_k: int = 4) -> Changes:
    rng = np.random.default_rng(5)
    query, key = rng.normal(size=(6, d_k)), rng.normal(size=(6, d_k))
    parameters = head_parameters(Settings(d_k=d_k, seed=3), score, 1, d_k)
    return changes(score, query, key, parameters, pair=(2, 4), stretch=stretch, angle=angle)


@scores
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"source": "I have a pen"},
        {"mask": "causal", "temperature": 2.0, "softcap": 3.0},
        {"bias_kind": "alibi", "scale": "sqrt_d_model", "seed": 4},
        {
            "rotary": True,
            "scale": "number",
            "divisor": 3.0,
            "beta": 2.0,
            "sigma": 3.0,
            "normalizer": "sparsemax",
        },
    ],
)
def test_each_function_gives_the_numbers_of_the_layer_with_that_score(
    score: str, values: dict[str, object]
) -> None:
    """`compare` starts from the lesson's query and key; the layer from x. Both must meet."""
    expected = lesson(score=score, **values).trace
    for head in range(3):
        (found,) = (c for c in compare(lesson(**values), head) if c.name == score)
        assert found.scores == pytest.approx(expected.scores[head], abs=1e-12)
        assert found.weights == pytest.approx(expected.weights[head], abs=1e-12)
        assert found.scale == expected.scale


@scores
def test_a_head_s_parameters_are_those_of_the_layer(score: str) -> None:
    made = lesson(score=score)
    for name, value in head_parameters(made.settings, score, 2, 5).items():
        whole = made.trace.score_parameters[name]
        assert np.array_equal(value, whole[2] if isinstance(whole, np.ndarray) else whole)


@scores
def test_the_count_of_learnt_numbers_is_the_size_of_the_arrays(score: str) -> None:
    arrays = [v for v in head_parameters(Settings(), score, 0, 5).values() if isinstance(v, np.ndarray)]
    assert SCORE_FUNCTIONS[score].count(5) == sum(array.size for array in arrays)


@scores
def test_twice_the_query_is_twice_the_score_where_the_function_is_homogeneous(score: str) -> None:
    verdict = measured(score).longer_query.verdict
    assert (verdict == "times") == SCORE_FUNCTIONS[score].homogeneous


@scores
def test_query_and_key_can_be_swapped_where_the_function_is_symmetric(score: str) -> None:
    assert (measured(score).swapped.verdict == "same") == SCORE_FUNCTIONS[score].symmetric


def test_the_verdicts_on_longer_vectors_are_those_that_the_formulas_say() -> None:
    both = {score: measured(score).longer_both.verdict for score in SCORE_FUNCTIONS}
    assert both == {
        "dot": "square",
        "general": "square",
        "additive": "other",
        "cosine": "same",
        "gaussian": "square",
    }
    assert measured("cosine").longer_query.verdict == "same"
    assert measured("gaussian").longer_query.verdict == "other"


def test_turning_both_changes_nothing_where_only_angles_and_lengths_count() -> None:
    kept = {score for score in SCORE_FUNCTIONS if measured(score).turned_both.verdict == "same"}
    assert kept == {"dot", "cosine", "gaussian"}
    assert all(measured(score).turned_query.verdict == "other" for score in SCORE_FUNCTIONS)


@scores
def test_a_stretch_of_one_and_a_turn_of_nothing_are_no_change(score: str) -> None:
    found = measured(score, stretch=1.0, angle=0.0)
    for change in (found.longer_query, found.longer_both, found.turned_both, found.turned_query):
        assert change.verdict == "same" and change.largest == 0
        assert change.before == change.after


@scores
def test_the_pair_in_focus_is_one_of_those_measured(score: str) -> None:
    found = measured(score).longer_query
    assert abs(found.after - found.before) <= found.largest


def test_turning_is_a_rotation_of_every_pair_of_coordinates() -> None:
    vectors = np.random.default_rng(1).normal(size=(3, 5))
    found = turned(vectors, 0.4)
    c, s = math.cos(0.4), math.sin(0.4)
    assert found[:, 0] == pytest.approx(c * vectors[:, 0] - s * vectors[:, 1])
    assert found[:, 3] == pytest.approx(s * vectors[:, 2] + c * vectors[:, 3])
    assert (found[:, 4] == vectors[:, 4]).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.linalg.norm(vectors, axis=1))


@scores
@pytest.mark.parametrize("d_k", [1, 4, 5])
def test_the_curves_go_through_the_numbers_of_the_table(score: str, d_k: int) -> None:
    rng = np.random.default_rng(5)
    query, key = rng.normal(size=(6, d_k)), rng.normal(size=(6, d_k))
    parameters = head_parameters(Settings(d_k=d_k, seed=3), score, 1, d_k)
    table = changes(score, query, key, parameters, pair=(2, 4), stretch=2.0, angle=0.7)
    q, k = query[2], key[4]
    assert along_length(score, q, k, parameters, np.array([1.0, 2.0])) == pytest.approx(
        [table.longer_query.before, table.longer_query.after]
    )
    for both, change in ((True, table.turned_both), (False, table.turned_query)):
        found = along_angle(score, q, k, parameters, np.array([0.0, 0.7]), both=both)
        assert found == pytest.approx([change.before, change.after])
