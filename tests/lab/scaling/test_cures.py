"""The cures: on given vectors by their definition, and on random pairs without any vectors."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.normalizers import softmax
from attnviz.core.scores import cosine, dot
from attnviz.lab.scaling.cures import CURES, Knobs, Pairs, pairs_of, random_pairs
from attnviz.lab.scaling.softmax_sweep import STATISTICS

KNOBS = Knobs(temperature=3.0, beta=7.0, d_model=40, size=1.5)
CHANCE = np.random.default_rng(2)
QUERY, KEY = CHANCE.standard_normal((3, 5)) * 1.5, CHANCE.standard_normal((3, 4, 5)) * 1.5


def rms_normalised(vectors: Array) -> Array:
    return np.asarray(vectors / np.sqrt((vectors**2).mean(axis=-1, keepdims=True)))


DEFINITIONS: dict[str, Callable[[Array, Array], Array]] = {
    "none": lambda q, k: dot(q, k),
    "sqrt_d_k": lambda q, k: dot(q, k) / math.sqrt(5),
    "sqrt_d_model": lambda q, k: dot(q, k) / math.sqrt(40),
    "temperature": lambda q, k: dot(q, k) / 3.0,
    "cosine": lambda q, k: cosine(q, k, beta=7.0),
    "qk_norm": lambda q, k: dot(rms_normalised(q), rms_normalised(k)) / math.sqrt(5),
}


@pytest.mark.parametrize("rule", CURES)
def test_a_cure_is_its_definition_on_given_vectors(rule: str) -> None:
    expected = DEFINITIONS[rule](QUERY[:, None], KEY)[:, 0]  # (draws, m)
    np.testing.assert_allclose(CURES[rule](pairs_of(QUERY, KEY), KNOBS), expected, atol=1e-13)


@pytest.mark.parametrize("rule", CURES)
@pytest.mark.parametrize("d_k", [1, 2, 33])
def test_random_pairs_are_as_good_as_real_vectors(rule: str, d_k: int) -> None:
    """norm(q), q.k and norm(k) have the joint distribution of real vectors: so have all statistics of the weights."""
    draws = 2500
    query, key = CHANCE.standard_normal((draws, d_k)) * 1.5, CHANCE.standard_normal((draws, 4, d_k)) * 1.5
    (quick,) = random_pairs(9, 4, draws, (d_k,), size=1.5)
    for statistic in STATISTICS.values():
        one, other = (
            statistic(softmax(CURES[rule](pairs, KNOBS))) for pairs in (pairs_of(query, key), quick)
        )
        error = math.sqrt((one.var(ddof=1) + other.var(ddof=1)) / draws)
        # Where a statistic is the same in all draws (one component, normalised) only rounding is left.
        assert abs(one.mean() - other.mean()) <= 4 * error + 1e-15


def test_the_lengths_are_those_of_vectors() -> None:
    """norm(q)^2 and norm(k)^2 have mean d_k size^2 and variance 2 d_k size^4, and no key is shorter than its shadow."""
    draws, keys, d_k = 4000, 3, 6
    (pairs,) = random_pairs(1, keys, draws, (d_k,), size=2.0)
    error = math.sqrt(2 * d_k * 2.0**4 / draws)
    assert abs((pairs.query_norm**2).mean() - d_k * 4.0) <= 4 * error
    assert abs((pairs.key_norm**2).mean() - d_k * 4.0) <= 4 * error / math.sqrt(keys)
    assert (pairs.key_norm > np.abs(pairs.along)).all()


def test_in_one_dimension_a_key_is_its_shadow() -> None:
    (pairs,) = random_pairs(1, 3, 50, (1,))
    np.testing.assert_allclose(np.abs(pairs.along), pairs.key_norm, rtol=1e-14)


def test_more_keys_draws_or_d_k_leave_the_pairs_alone() -> None:
    def flat(pairs: Pairs) -> list[Array]:
        return [pairs.dot[:6, :2], pairs.query_norm[:6], pairs.key_norm[:6, :2]]

    small, large = list(random_pairs(5, 2, 6, (1, 2, 8))), list(random_pairs(5, 4, 9, (1, 2, 8, 16)))
    for one, other in zip(small, large[:3], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(flat(one), flat(other), strict=True))
    np.testing.assert_allclose(large[0].along, large[3].along, rtol=1e-14)


@pytest.mark.parametrize("rule", ["cosine", "qk_norm"])
def test_what_looks_at_directions_only_does_not_see_the_size_of_components(rule: str) -> None:
    small, large = (next(random_pairs(5, 4, 20, (7,), size)) for size in (0.5, 4.0))
    np.testing.assert_allclose(CURES[rule](small, KNOBS), CURES[rule](large, KNOBS), rtol=1e-13)


@pytest.mark.parametrize("rule", ["none", "sqrt_d_k", "sqrt_d_model", "temperature"])
def test_what_divides_only_grows_with_the_square_of_the_size(rule: str) -> None:
    small, large = (next(random_pairs(5, 4, 20, (7,), size)) for size in (1.0, 4.0))
    np.testing.assert_allclose(16.0 * CURES[rule](small, KNOBS), CURES[rule](large, KNOBS), rtol=1e-13)


@pytest.mark.parametrize("name", ["temperature", "beta", "d_model", "size"])
@pytest.mark.parametrize("value", [0, -1.0, math.inf, math.nan])
def test_a_knob_turned_too_far_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a positive number; got"):
        Knobs(**{name: value})  # type: ignore[arg-type]
