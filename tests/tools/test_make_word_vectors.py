"""The script that makes the excerpt: what its turning and its rounding do to vectors."""

import numpy as np
import pytest

from attnviz.core.arrays import Array
from tools import make_word_vectors as script


def cloud() -> Array:
    """30 points in 5 dimensions, off the origin, correlated and unlike in spread."""
    generator = np.random.default_rng(3)
    return generator.standard_normal((30, 5)) @ generator.standard_normal((5, 5)) + 4.0


def distances(points: Array) -> Array:
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=-1))


def test_turning_to_the_principal_axes_keeps_every_distance_and_orders_the_variances() -> None:
    turned = script.principal_order(cloud())
    np.testing.assert_allclose(distances(turned), distances(cloud()), atol=1e-12)
    covariance = turned.T @ turned / 30
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-12)
    assert (np.diff(np.diag(covariance)) < 0.0).all()


def test_the_first_columns_are_the_best_picture_of_their_dimension() -> None:
    """Eckart and Young 1936: what d columns cannot show is the sum of the other squared singular values."""
    centred = cloud() - cloud().mean(axis=0)
    left_over = np.linalg.svd(centred, compute_uv=False) ** 2
    turned = script.principal_order(cloud())
    for d in range(6):
        assert np.sum(turned[:, d:] ** 2) == pytest.approx(left_over[d:].sum(), abs=1e-10)


def test_rounding_is_off_by_half_a_step_at_most() -> None:
    codes, scales = script.quantise(cloud())
    assert codes.dtype == np.int8 and np.abs(codes).max(axis=0).tolist() == [127] * 5
    assert (np.abs(codes * scales - cloud()) <= scales / 2 * (1 + 1e-12)).all()


def test_a_teaching_word_that_the_source_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match=r"teaching words must be words of GloVe; got .*queen"):
        script.choose_rows(["the", "king"])


def test_frequent_words_that_a_class_should_not_meet_are_left_out() -> None:
    words = [*sorted(script.LEFT_OUT), "the", *sorted(script.teaching_words() - {"the"})]
    chosen = {words[row] for row in script.choose_rows(words)}
    assert chosen == script.teaching_words()
