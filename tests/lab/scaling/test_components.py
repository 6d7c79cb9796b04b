"""The laws of q.k are exact: expectations of polynomials are computed by quadrature, without a random number."""

import itertools
import math

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.lab.scaling.components import COMPONENTS, find_components, head_scatter

# Three nodes integrate polynomials up to degree 5 exactly, and (q.k)^4 has degree 4 in every variable.
NORMAL = (np.array([-math.sqrt(3), 0.0, math.sqrt(3)]), np.array([1, 4, 1]) / 6)
UNIFORM = (math.sqrt(3) * np.array([-math.sqrt(0.6), 0.0, math.sqrt(0.6)]), np.array([5, 8, 5]) / 18)


def grid(rule: tuple[Array, Array], variables: int) -> tuple[Array, Array]:
    """All points (3^variables, variables) of the product rule, and their weights."""
    nodes, weights = rule
    points = np.array(list(itertools.product(nodes, repeat=variables)))
    return points, np.array(list(itertools.product(weights, repeat=variables))).prod(axis=1)


def moments(scores: Array, chances: Array) -> tuple[float, float]:
    """Variance and excess kurtosis of scores with these probabilities; their mean must be 0."""
    assert abs(chances @ scores) < 1e-12
    variance = chances @ scores**2
    return variance, chances @ scores**4 / variance**2 - 3.0


@pytest.mark.parametrize("d_k", [1, 2, 4])
@pytest.mark.parametrize(("name", "rule"), [("normal", NORMAL), ("uniform", UNIFORM)])
def test_independent_components_have_variance_d_k_and_their_own_kurtosis(
    name: str, rule: tuple[Array, Array], d_k: int
) -> None:
    points, chances = grid(rule, 2 * d_k)
    variance, excess = moments((points[:, :d_k] * points[:, d_k:]).sum(axis=1), chances)
    assert math.isclose(COMPONENTS[name].law(d_k, 7), variance, rel_tol=1e-12)
    assert math.isclose(COMPONENTS[name].excess(d_k, 7), excess, rel_tol=1e-11)


@pytest.mark.parametrize(("d_model", "d_k"), [(1, 1), (2, 1), (1, 3), (3, 1), (2, 2)])
def test_projected_tokens_have_the_law_and_the_kurtosis_of_real_matrix_products(
    d_model: int, d_k: int
) -> None:
    points, chances = grid(NORMAL, 2 * d_model * (1 + d_k))
    x, y, w_q, w_k = np.split(points, np.cumsum([d_model, d_model, d_model * d_k]), axis=1)
    size = math.sqrt(2.0 / (d_model + d_k))  # Xavier
    query, key = (
        size * np.einsum("pc,pcd->pd", token, matrix.reshape(-1, d_model, d_k))
        for token, matrix in ((x, w_q), (y, w_k))
    )
    variance, excess = moments(np.einsum("pd,pd->p", query, key), chances)
    assert math.isclose(COMPONENTS["xavier"].law(d_k, d_model), variance, rel_tol=1e-12)
    assert math.isclose(COMPONENTS["xavier"].excess(d_k, d_model), excess, rel_tol=1e-11)


@pytest.mark.parametrize(("d_model", "d_k"), [(1, 1), (3, 1), (2, 2), (3, 2)])
def test_the_scatter_from_head_to_head_is_that_of_real_matrices(d_model: int, d_k: int) -> None:
    points, chances = grid(NORMAL, 2 * d_model * d_k)
    w_q, w_k = np.split(points, 2, axis=1)
    product = w_q.reshape(-1, d_model, d_k) @ w_k.reshape(-1, d_k, d_model)  # W_k^T is as good as W_k
    variance = (2.0 / (d_model + d_k)) ** 2 * (product**2).sum(axis=(1, 2))  # of the scores of one head
    mean = chances @ variance
    assert math.isclose(COMPONENTS["xavier"].law(d_k, d_model), mean, rel_tol=1e-12)
    scatter = math.sqrt(chances @ (variance - mean) ** 2) / mean
    assert math.isclose(head_scatter(d_k, d_model), scatter, rel_tol=1e-11)


@pytest.mark.parametrize(("d_k", "measured"), [(4, 15.1), (64, 63.6), (512, 25.2)])
def test_the_variances_of_facts_md_are_those_of_one_head_each(d_k: int, measured: float) -> None:
    """facts.md: measured at d_model 64; the laws are 14.2, 64.0 and 25.3."""
    law = COMPONENTS["xavier"].law(d_k, 64)
    assert abs(measured - law) <= 4 * head_scatter(d_k, 64) * law


def test_the_normal_excess_is_6_over_d_k_and_the_uniform_one_is_not() -> None:
    assert math.isclose(COMPONENTS["normal"].excess(64, 1), 6 / 64)
    assert math.isclose(COMPONENTS["uniform"].excess(64, 1), 0.24 / 64)


@pytest.mark.parametrize("name", COMPONENTS)
def test_more_draws_append_scores(name: str) -> None:
    sample = COMPONENTS[name].sample
    assert np.array_equal(sample(4, 3, 5, 20)[:13], sample(4, 3, 5, 13))


@pytest.mark.parametrize("name", ["normal", "uniform"])
def test_a_larger_d_k_adds_products_of_further_coordinates(name: str) -> None:
    sample = COMPONENTS[name].sample
    scores = np.array([sample(4, d_k, 5, 3000) for d_k in (4, 5, 6)])
    added = np.diff(scores, axis=0)
    for products in added:
        assert abs((products * scores[0]).mean()) <= 4 * math.sqrt(
            4 / 3000
        )  # nothing to do with the first four
        assert abs((products**2).mean() - 1.0) <= 4 * math.sqrt((COMPONENTS[name].excess(1, 5) + 2) / 3000)


@pytest.mark.parametrize("name", COMPONENTS)
@pytest.mark.parametrize("d_k", [1, 6, 40])
def test_the_quick_way_has_the_distribution_of_real_vectors(name: str, d_k: int) -> None:
    """The identity q.k = norm(q) z: two samples of real and quick scores, compared by their distribution functions.

    Dvoretzky, Kiefer and Wolfowitz: the distance of each from the truth passes sqrt(ln(2 / a) / 2 n) with a chance of
    at most a; a is that of four standard deviations.
    """
    kind, draws = COMPONENTS[name], 8000
    real = np.sort(kind.sample(2, d_k, 9, draws))
    quick = np.sort(kind.quick(np.random.default_rng(8), d_k, 9, draws))
    both = np.concatenate([real, quick])
    distance = (
        np.abs(np.searchsorted(real, both, "right") - np.searchsorted(quick, both, "right")).max() / draws
    )
    assert distance <= 2 * math.sqrt(math.log(2 / 6.3e-5) / (2 * draws))


def test_an_unknown_distribution_is_named() -> None:
    with pytest.raises(ValueError, match="distribution must be one of normal, uniform, xavier; got 'cauchy'"):
        find_components("cauchy")
