"""The derivative of softmax, and the gradient that comes through it to the query."""

import numpy as np

from attnviz.core.arrays import Array


def softmax_jacobian(weights: Array) -> Array:
    """diag(p) - p p^T for each row of weights (..., m): the derivative of p = softmax(s) by s, shape (..., m, m)."""
    jacobian = -weights[..., :, None] * weights[..., None, :]  # (..., m, m)
    diagonal = np.einsum("...jj->...j", jacobian)  # a view
    diagonal += weights
    return jacobian


def jacobian_norm(weights: Array) -> Array:
    """The Frobenius norm of diag(p) - p p^T for each row of weights (..., m), shape (...).

    Its square is S2 - 2 S3 + S2^2 with S_k = sum p^k. Computed with the largest weight p and the others
    apart, so that nothing cancels in a row that is nearly one-hot: with r_k the sum of the others' k-th powers
    and 1 - p = r_1 it is p^2 r_1^2 + 2 p^2 r_2 + (r_2 - 2 r_3 + r_2^2). The norm is at most 1/2, for two equal
    weights, and 0 for one-hot.
    """
    rest = weights.copy()
    place = weights.argmax(axis=-1, keepdims=True)
    largest = np.take_along_axis(weights, place, axis=-1)[..., 0]  # (...)
    np.put_along_axis(rest, place, 0.0, axis=-1)
    squares = rest * rest  # (..., m)
    first, second = rest.sum(axis=-1), squares.sum(axis=-1)
    third = np.einsum("...j,...j->...", squares, rest)
    # A sum of squares too, which rounding may leave a hair below 0.
    others = np.maximum(second - 2.0 * third + second * second, 0.0)
    return np.asarray(np.sqrt(largest**2 * (first**2 + 2.0 * second) + others))


def softmax_gradient(weights: Array, upstream: Array) -> Array:
    """The loss's gradient at the numbers that softmax receives, (diag(p) - p p^T) g, shape (..., m).

    weights p and upstream g, the gradient at the weights, both (..., m). The Jacobian takes any constant to
    0, so g is first moved to be 0 at the largest weight: no digits are lost where the row is nearly one-hot.
    """
    place = weights.argmax(axis=-1, keepdims=True)
    moved = upstream - np.take_along_axis(upstream, place, axis=-1)  # (..., m)
    mean = np.einsum("...j,...j->...", weights, moved)[..., None]
    return np.asarray(weights * (moved - mean))


def query_gradient(weights: Array, upstream: Array, key: Array, divisor: float) -> Array:
    """The loss's gradient at q, K^T (diag(p) - p p^T) g / divisor, shape (..., d_k).

    weights and upstream (..., m), key (..., m, d_k); the scores are q.k / divisor.
    """
    at_input = softmax_gradient(weights, upstream)  # (..., m)
    return np.asarray((at_input[..., None, :] @ key)[..., 0, :] / divisor)
