"""Numbers that others published and that can be checked by hand (facts.md, the table of values)."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention, attend

TWO: dict[str, Any] = {"query": [[1, 0], [0, 1]], "key": [[0, 1], [1, 0]], "value": [[1, 2], [3, 4]]}


def test_1_dot_product_without_scale_as_in_the_tests_of_keras() -> None:
    ours = attend(**TWO, scale="none")
    p = 0.7310585786300049  # sigmoid(1)
    np.testing.assert_allclose(ours.weights, [[1 - p, p], [p, 1 - p]], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(ours.output, [[2.462, 3.462], [1.538, 2.538]], rtol=0.0, atol=5e-4)


def test_2_additive_with_identities_as_in_the_tests_of_keras() -> None:
    ours = attend(**TWO, score="additive", w_query=np.eye(2), w_key=np.eye(2), v=np.ones(2))
    p = 1.0 / (1.0 + np.exp(-(2.0 * np.tanh(1.0) - np.tanh(2.0))))
    np.testing.assert_allclose(ours.weights, [[p, 1 - p], [1 - p, p]], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(
        ours.weights[0], [0.63625, 0.36375], rtol=0.0, atol=1e-5
    )  # five digits, cut off


def test_3_eight_heads_of_identities_as_in_the_tests_of_keras() -> None:
    identities = np.stack([np.eye(8)] * 8)
    weights = MultiHeadAttention(identities, identities, identities, identities)(np.eye(8)).weights
    e = np.exp(1.0 / np.sqrt(8.0))
    expected = np.where(np.eye(8, dtype=bool), e / (e + 7.0), 1.0 / (e + 7.0))
    np.testing.assert_allclose(weights, np.broadcast_to(expected, (8, 8, 8)), rtol=0.0, atol=1e-15)
    np.testing.assert_allclose([weights[0, 0, 0], weights[0, 0, 1]], [0.1691, 0.1187], rtol=0.0, atol=5e-5)


@pytest.mark.parametrize(
    ("query", "expected"), [([0, 10, 0], [10, 0]), ([0, 0, 10], [550, 5.5]), ([10, 10, 0], [5.5, 0])]
)
def test_4_the_four_keys_of_the_tensorflow_tutorial(query: list[int], expected: list[float]) -> None:
    key = 10 * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    value = [[1, 0], [10, 0], [100, 5], [1000, 6]]
    np.testing.assert_allclose(attend([query], key, value).output[0], expected, rtol=1e-12, atol=1e-12)


def test_5_the_second_query_of_raschka_chapter_3() -> None:
    x = np.array(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    )
    ours = attend(x, x, x, scale="none")
    np.testing.assert_allclose(
        ours.scores[1], [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865], rtol=0.0, atol=5.1e-5
    )
    np.testing.assert_allclose(
        ours.weights[1], [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581], rtol=0.0, atol=5.1e-5
    )
    np.testing.assert_allclose(ours.output[1], [0.4419, 0.6515, 0.5683], rtol=0.0, atol=5.1e-5)


@pytest.mark.parametrize(("kept", "expected"), [(2, [2, 3, 4, 5]), (6, [10, 11, 12, 13])])
def test_7_equal_keys_give_the_mean_of_the_values_kept_as_in_d2l(kept: int, expected: list[int]) -> None:
    value = np.arange(40).reshape(10, 4)
    ours = attend(np.ones((1, 2)), np.ones((10, 2)), value, keep=np.arange(10) < kept)
    np.testing.assert_allclose(ours.output[0], expected, rtol=0.0, atol=1e-12)
