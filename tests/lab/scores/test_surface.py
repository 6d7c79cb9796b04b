"""The landscape of a score over keys, and where it is level."""

import numpy as np
import pytest

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lab.scores.comparison import head_parameters
from attnviz.lab.scores.surface import REACH, SIDE, contour_shape, dot_is_constant_on, surface
from attnviz.lesson.settings import Settings

QUERIES = [np.array([1.2, 0.7]), np.array([-0.4, 2.0]), np.array([0.0, -1.0])]


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
def test_each_cell_is_the_score_of_that_key(score: str) -> None:
    settings, query = Settings(seed=2, d_k=7), QUERIES[0]
    found = surface(settings, score, 1, query)
    assert found.scores.shape == (SIDE, SIDE) and found.axis[0] == -REACH and found.axis[-1] == REACH
    row, column = 5, 40
    key = np.array([found.axis[column], found.axis[row]])
    parameters = head_parameters(settings, score, 1, 2)
    single = SCORE_FUNCTIONS[score].function(query[None], key[None], **parameters)
    assert found.scores[row, column] == pytest.approx(float(single[0, 0]))


@pytest.mark.parametrize("query", QUERIES)
def test_every_function_is_level_where_its_formula_says(query: np.ndarray) -> None:
    shapes = {
        score: contour_shape(score, query, head_parameters(Settings(), score, 0, 2))
        for score in SCORE_FUNCTIONS
    }
    assert shapes == {
        "dot": "lines",
        "general": "tilted",
        "additive": "curves",
        "cosine": "rays",
        "gaussian": "circles",
    }


@pytest.mark.parametrize(
    ("score", "shape"), [("dot", "flat"), ("general", "flat"), ("cosine", "flat"), ("gaussian", "circles")]
)
def test_a_query_of_length_zero_leaves_only_distance(score: str, shape: str) -> None:
    assert contour_shape(score, np.zeros(2), head_parameters(Settings(), score, 0, 2)) == shape


@pytest.mark.parametrize("query", [*QUERIES, np.zeros(2)])
def test_the_inner_product_stays_the_same_at_right_angles_to_the_query(query: np.ndarray) -> None:
    assert dot_is_constant_on(query) == "lines"
