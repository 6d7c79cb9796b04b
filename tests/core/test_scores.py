"""The score functions against the definitions of their papers, and the laws that each claims."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import SCORE_FUNCTIONS, Parameter, attend, random_score_parameters
from attnviz.core.arrays import Array
from attnviz.core.scores import checked_parameters, find_score

N, M, D_K, D_V, H = 4, 6, 3, 5, 2
GENERATOR = np.random.default_rng(1)
QUERY, KEY, VALUE = (
    GENERATOR.standard_normal((H, N, D_K)),
    GENERATOR.standard_normal((H, M, D_K)),
    GENERATOR.standard_normal((H, M, D_V)),
)
every_score = pytest.mark.parametrize("name", SCORE_FUNCTIONS)


def parameters(name: str) -> dict[str, Any]:
    return random_score_parameters(name, d_k=D_K, num_heads=H, seed=7)


def scores(name: str, query: Array, key: Array) -> Array:
    return attend(query, key, np.zeros((H, key.shape[1], 1)), score=name, **parameters(name)).scores


def definition(name: str, q: Array, k: Array, head: int) -> float:
    """One score, as its paper writes it, number by number."""
    given = {key: value[head] for key, value in parameters(name).items()}
    match name:
        case "dot":
            return float(sum(q[c] * k[c] for c in range(D_K)))
        case "general":
            return float(sum(q[a] * given["w"][a, b] * k[b] for a in range(D_K) for b in range(D_K)))
        case "additive":
            hidden = [
                np.tanh(sum(given["w_query"][a, c] * q[c] + given["w_key"][a, c] * k[c] for c in range(D_K)))
                for a in range(D_K)
            ]
            return float(sum(given["v"][a] * hidden[a] for a in range(D_K)))
        case "cosine":
            return float(5.0 * sum(q * k) / (sum(q * q) ** 0.5 * sum(k * k) ** 0.5))
        case "gaussian":
            return float(-sum((q - k) ** 2) / 2.0)
    raise AssertionError(f"no definition of {name}: write it here")


@every_score
def test_every_score_is_its_definition_pair_by_pair(name: str) -> None:
    ours = scores(name, QUERY, KEY)
    for head in range(H):
        for i in range(N):
            for j in range(M):
                expected = definition(name, QUERY[head, i], KEY[head, j], head)
                assert ours[head, i, j] == pytest.approx(expected, rel=0.0, abs=1e-12)


@every_score
def test_symmetric_scores_are_transposed_when_query_and_key_change_places(name: str) -> None:
    forward, backward = scores(name, QUERY, KEY), scores(name, KEY, QUERY)
    transposed = np.allclose(forward, backward.mT, rtol=0.0, atol=1e-12)
    assert transposed == SCORE_FUNCTIONS[name].symmetric


@every_score
def test_homogeneous_scores_grow_with_the_query(name: str) -> None:
    grown = np.allclose(
        scores(name, 3.0 * QUERY, KEY), 3.0 * scores(name, QUERY, KEY), rtol=1e-12, atol=1e-12
    )
    assert grown == SCORE_FUNCTIONS[name].homogeneous


@every_score
def test_bounded_scores_stay_within_a_limit_however_large_the_vectors(name: str) -> None:
    limits = {"additive": np.abs(parameters("additive")["v"]).sum(axis=-1).max(), "cosine": 5.0}
    largest = np.abs(scores(name, 1e6 * QUERY, 1e6 * KEY)).max()
    assert (largest <= limits.get(name, 1e6) * (1.0 + 1e-12)) == SCORE_FUNCTIONS[name].bounded


@every_score
def test_the_default_scale_is_sqrt_d_k_for_products_and_none_otherwise(name: str) -> None:
    expected = np.sqrt(D_K) if name in ("dot", "general") else 1.0
    assert attend(QUERY, KEY, VALUE, score=name, **parameters(name)).scale == expected


@every_score
def test_an_entry_of_the_registry_says_what_a_page_needs(name: str) -> None:
    entry = SCORE_FUNCTIONS[name]
    assert entry.name == name
    assert entry.row_formula != entry.column_formula
    assert entry.source
    for parameter in entry.parameters.values():
        if parameter.kind == "array":
            assert parameter.axes
        else:
            assert parameter.low is not None
            assert parameter.default is not None
            assert parameter.high is not None
            assert 0.0 < parameter.low < parameter.default < parameter.high


def test_the_registry_keeps_its_order() -> None:
    assert list(SCORE_FUNCTIONS) == ["dot", "general", "additive", "cosine", "gaussian"]


@every_score
def test_scores_without_queries_or_without_keys_are_empty(name: str) -> None:
    assert scores(name, QUERY[:, :0], KEY).shape == (H, 0, M)
    assert scores(name, QUERY, KEY[:, :0]).shape == (H, N, 0)


def test_general_with_the_identity_is_dot() -> None:
    ours = attend(QUERY, KEY, VALUE, score="general", w=np.eye(D_K))
    np.testing.assert_array_equal(ours.scores, attend(QUERY, KEY, VALUE).scores)


def test_concat_is_additive_with_the_two_matrices_side_by_side() -> None:
    given = {name: array[0] for name, array in parameters("additive").items()}
    w = np.concatenate([given["w_query"], given["w_key"]], axis=1)  # (a, d_k + d_k)
    pairs = np.array([[np.concatenate([q, k]) for k in KEY[0]] for q in QUERY[0]])  # (n, m, d_k + d_k)
    concat = np.tanh(pairs @ w.T) @ given["v"]
    ours = attend(QUERY[0], KEY[0], VALUE[0], score="additive", **given).scores
    np.testing.assert_allclose(ours, concat, rtol=0.0, atol=1e-12)


def test_cosine_is_beta_for_parallel_vectors_and_zero_for_a_zero_vector() -> None:
    query = np.array([[1.0, 2.0, -2.0], [0.0, 0.0, 0.0], [1e200, 2e200, -2e200]])
    ours = attend(query, query[[0]] * 7.0, np.zeros((1, 1)), score="cosine", beta=2.5).scores
    np.testing.assert_allclose(ours, [[2.5], [0.0], [2.5]], rtol=1e-15)


def test_gaussian_with_keys_of_equal_norm_gives_the_weights_of_dot() -> None:
    key = KEY / np.linalg.norm(KEY, axis=-1, keepdims=True)
    gaussian = attend(QUERY, key, VALUE, score="gaussian", sigma=0.7)
    dot = attend(QUERY, key, VALUE, scale=0.7**2)
    np.testing.assert_allclose(gaussian.weights, dot.weights, rtol=0.0, atol=1e-12)


def test_gaussian_with_sigma_squared_sqrt_d_k_over_two_is_l2_attention() -> None:
    """Kim et al. 2021: minus the squared distance, divided by sqrt(d_k)."""
    sigma = float(np.sqrt(np.sqrt(D_K) / 2.0))
    distance = ((QUERY[:, :, None] - KEY[:, None]) ** 2).sum(axis=-1)
    ours = attend(QUERY, KEY, VALUE, score="gaussian", sigma=sigma).scores
    np.testing.assert_allclose(ours, -distance / np.sqrt(D_K), rtol=0.0, atol=1e-12)


def test_the_gaussian_score_of_equal_vectors_is_zero_and_not_minus_zero() -> None:
    ours = attend(QUERY, QUERY, np.zeros((H, N, 1)), score="gaussian").scores
    diagonal = np.diagonal(ours, axis1=1, axis2=2)
    assert not diagonal.any()
    assert not np.signbit(diagonal).any()


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("dot", {}),
        ("general", {"w": (H, D_K, D_K)}),
        ("additive", {"w_query": (H, D_K, D_K), "w_key": (H, D_K, D_K), "v": (H, D_K)}),
        ("cosine", {}),
        ("gaussian", {}),
    ],
)
def test_random_parameters_have_the_shapes_that_the_score_needs(name: str, shapes: dict[str, Any]) -> None:
    assert {key: array.shape for key, array in parameters(name).items()} == shapes


@pytest.mark.parametrize("name", ["general", "additive"])
def test_more_heads_or_a_larger_d_k_move_no_drawn_parameter_apart_from_the_factor(name: str) -> None:
    large = random_score_parameters(name, d_k=20, num_heads=5, seed=7)
    for key, small in parameters(name).items():
        corner = large[key][tuple(slice(size) for size in small.shape)]
        np.testing.assert_allclose(corner * np.sqrt(20), small * np.sqrt(D_K), rtol=1e-15)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("dot", {"beta": 1.0}, "score 'dot' takes no parameters; got 'beta'"),
        ("cosine", {"sigma": 1.0}, "score 'cosine' takes beta; got 'sigma'"),
        ("cosine", {"beta": 0.0}, "beta must be a positive number; got 0.0"),
        ("gaussian", {"sigma": np.nan}, "sigma must be a positive number; got nan"),
        ("general", {}, r"w must have shape \(d_k=3, d_k=3\) or \(H, d_k=3, d_k=3\); got nothing"),
        ("general", {"w": np.ones((4, 3))}, r"w must have shape \(d_k=3, d_k=3\).*; got \(4, 3\)"),
        ("general", {"w": np.ones((5, 3, 3))}, r"w must have shape.*; got \(5, 3, 3\)"),
        ("general", {"w": np.full((3, 3), np.inf)}, r"w must be finite; got inf at \(0, 0\)"),
        (
            "additive",
            {"w_query": np.ones((4, 3)), "w_key": np.ones((5, 3)), "v": np.ones(4)},
            r"w_key must have shape \(a=4, d_k=3\) or \(H, a=4, d_k=3\); got \(5, 3\)",
        ),
    ],
)
def test_a_wrong_parameter_is_told_with_what_was_expected(
    name: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        checked_parameters(find_score(name), given, np.dtype(np.float64), D_K, H)


def test_an_unknown_score_is_told_with_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match="score must be one of dot, general, additive, cosine, gaussian; got 'x'"
    ):
        attend(QUERY, KEY, VALUE, score="x")


@pytest.mark.parametrize("given", [{}, {"default": 1.0}, {"default": 5.0, "low": 0.1, "high": 3.0}])
def test_a_number_without_limits_round_its_default_is_no_parameter(given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="a number must have low <= default <= high"):
        Parameter(**given)
