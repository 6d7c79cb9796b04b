"""The derivative of softmax: against its own definition, finite differences and closed forms."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.normalizers import softmax
from attnviz.lab.scaling.jacobian import jacobian_norm, query_gradient, softmax_gradient, softmax_jacobian

CHANCE = np.random.default_rng(11)
SCORES = CHANCE.standard_normal((3, 4, 6)) * 2.0
UPSTREAM = CHANCE.standard_normal((3, 4, 6))


def complex_softmax(scores: Array) -> Array:
    """The definition, also for complex numbers."""
    powers = np.exp(scores)
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def derivative(function: Callable[[Array], Array], place: Array, size: float = 1e-30) -> Array:
    """The derivative by each entry of the last axis, stacked last: f(x + i h) / h, exact up to rounding.

    A finite difference in the imaginary direction: nothing is subtracted, so h can be as small as one likes.
    """
    steps = 1j * size * np.eye(place.shape[-1])
    return np.stack([function(place + step).imag / size for step in steps], axis=-1)


def test_the_jacobian_is_the_derivative_of_softmax() -> None:
    jacobian = softmax_jacobian(softmax(SCORES))
    assert jacobian.shape == (3, 4, 6, 6)
    np.testing.assert_allclose(jacobian, derivative(complex_softmax, SCORES), atol=1e-15)


def test_the_jacobian_agrees_with_central_differences() -> None:
    """Their error is h^2 / 6 times a third derivative, which is below 1 for softmax, and rounding of at most eps / h."""
    size = 1e-5
    row = SCORES[0, 0]
    differences = np.stack(
        [(softmax(row + step) - softmax(row - step)) / (2 * size) for step in size * np.eye(6)], axis=-1
    )
    error = size**2 / 6 + np.finfo(float).eps / size
    assert np.abs(softmax_jacobian(softmax(row)) - differences).max() <= error


def test_rows_and_columns_of_the_jacobian_add_up_to_0() -> None:
    jacobian = softmax_jacobian(softmax(SCORES))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0.0, atol=1e-15)
    assert np.array_equal(jacobian, jacobian.swapaxes(-1, -2))


def test_the_norm_is_the_frobenius_norm_and_the_closed_form() -> None:
    weights = softmax(SCORES)
    frobenius = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    np.testing.assert_allclose(jacobian_norm(weights), frobenius, rtol=1e-13)
    s2, s3 = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)
    np.testing.assert_allclose(jacobian_norm(weights) ** 2, s2 - 2 * s3 + s2**2, rtol=1e-12)


def test_the_norm_is_0_for_one_hot_and_at_most_one_half_for_two_equal_weights() -> None:
    assert jacobian_norm(np.array([0.0, 1.0, 0.0])) == 0.0
    assert jacobian_norm(np.array([1.0])) == 0.0
    assert math.isclose(jacobian_norm(np.array([0.5, 0.0, 0.5])) ** 2, 0.25)
    many = softmax(CHANCE.standard_normal((5000, 4)) * 5.0)
    assert jacobian_norm(many).max() <= 0.5


@pytest.mark.parametrize("gap", [20.0, 50.0, 200.0, 300.0])
def test_nothing_cancels_in_a_row_that_is_nearly_one_hot(gap: float) -> None:
    """Two weights p and 1 - p: every entry of the Jacobian is +-p (1 - p), so the norm is 2 p (1 - p)."""
    rest = math.exp(-gap) / (1 + math.exp(-gap))
    weights = softmax(np.array([0.0, gap]))
    assert math.isclose(jacobian_norm(weights), 2 * rest * (1 - rest), rel_tol=1e-12)
    gradient = softmax_gradient(weights, np.array([3.0, 1.0]))
    np.testing.assert_allclose(gradient, [2 * rest * (1 - rest), -2 * rest * (1 - rest)], rtol=1e-12)


def test_the_gradient_is_the_jacobian_times_the_upstream_one() -> None:
    weights = softmax(SCORES)
    product = np.einsum("...jk,...k->...j", softmax_jacobian(weights), UPSTREAM)
    np.testing.assert_allclose(softmax_gradient(weights, UPSTREAM), product, atol=1e-15)


@pytest.mark.parametrize("divisor", [1.0, math.sqrt(5)])
def test_the_gradient_at_q_is_that_of_the_whole_expression(divisor: float) -> None:
    query, key = CHANCE.standard_normal((4, 5)), CHANCE.standard_normal((4, 6, 5))
    upstream = UPSTREAM[0]

    def weights_of(query: Array) -> Array:
        return complex_softmax(np.einsum("nd,nmd->nm", query, key) / divisor)

    def loss(query: Array) -> Array:
        return np.asarray((weights_of(query) * upstream).sum(axis=-1))

    computed = query_gradient(weights_of(query), upstream, key, divisor)
    assert computed.shape == (4, 5)
    np.testing.assert_allclose(computed, derivative(loss, query), atol=1e-14)
