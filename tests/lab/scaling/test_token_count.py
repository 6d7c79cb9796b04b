"""What the number of tokens changes and what it does not."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from attnviz.lab.scaling.nested_draws import normal_rows
from attnviz.lab.scaling.token_count import (
    D_K_SWEEP_EXACT,
    TOKENS_SWEEP,
    entropy_by_keys,
    pair_error,
    variance_by_d_k,
    variance_by_tokens,
)


@pytest.mark.parametrize("d_k", [1, 3, 64, 512])
def test_the_variance_does_not_move_with_the_number_of_tokens(d_k: int) -> None:
    measured = variance_by_tokens(d_k, seed=0)
    assert tuple(measured.tokens) == TOKENS_SWEEP == (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
    assert (measured.law == d_k).all()
    assert (np.abs(measured.variance - d_k) <= 4 * measured.error).all()


@pytest.mark.parametrize("tokens", [1, 8, 100, 2048])
def test_the_variance_follows_d_k(tokens: int) -> None:
    measured = variance_by_d_k(tokens, seed=1)
    assert tuple(measured.d_k) == D_K_SWEEP_EXACT
    assert (np.abs(measured.variance - measured.d_k) <= 4 * measured.error).all()


@pytest.mark.parametrize(("tokens", "d_k"), [(3, 7), (7, 3), (5, 5)])
def test_it_is_the_mean_square_of_all_scores(tokens: int, d_k: int) -> None:
    query, key = normal_rows(4, "many_query", d_k, tokens), normal_rows(4, "many_key", d_k, tokens)
    scores = [query[:, i] @ key[:, j] for i in range(tokens) for j in range(tokens)]
    expected = np.mean(np.square(scores))
    assert math.isclose(variance_by_tokens(d_k, 4, (tokens,)).variance[0], expected, rel_tol=1e-13)
    assert math.isclose(variance_by_d_k(tokens, 4, (d_k,)).variance[0], expected, rel_tol=1e-13)


def test_where_both_sweeps_meet_they_agree() -> None:
    by_tokens, by_d_k = variance_by_tokens(32, 0, (8, 64)), variance_by_d_k(64, 0, (4, 32))
    assert math.isclose(by_tokens.variance[1], by_d_k.variance[1], rel_tol=1e-13)
    assert by_tokens.error[1] == by_d_k.error[1]


@pytest.mark.parametrize(("tokens", "d_k"), [(1, 1), (2, 1), (1, 3), (2, 2), (3, 1)])
def test_the_standard_error_is_exact(tokens: int, d_k: int) -> None:
    """By quadrature: three nodes integrate degree 4 in each component exactly."""
    nodes, chances = np.array([-math.sqrt(3), 0.0, math.sqrt(3)]), np.array([1, 4, 1]) / 6
    points = np.array(list(itertools.product(nodes, repeat=2 * tokens * d_k)))
    probability = np.array(list(itertools.product(chances, repeat=2 * tokens * d_k))).prod(axis=1)
    query, key = np.split(points.reshape(-1, 2 * tokens, d_k), 2, axis=1)
    mean_square = ((query @ key.swapaxes(-1, -2)) ** 2).mean(axis=(1, 2))
    assert math.isclose(probability @ mean_square, d_k, rel_tol=1e-12)
    error = math.sqrt(probability @ (mean_square - d_k) ** 2)
    assert math.isclose(pair_error(np.array(tokens), np.array(d_k)), error, rel_tol=1e-12)


def test_the_honest_error_is_three_times_the_naive_one_at_256_tokens_and_d_k_64() -> None:
    """facts.md."""
    measured = variance_by_tokens(64, 0, (256,))
    assert round(measured.error[0] / measured.naive_error[0]) == 3


@pytest.mark.parametrize("d_k", [64, 512])
def test_the_scaled_entropy_grows_like_ln_m(d_k: int) -> None:
    """It approaches ln m - 1/2; for 2048 keys what is missing is below (e - 1) / 2048."""
    growth = entropy_by_keys(d_k, seed=0)
    distance = abs(growth.scaled.mean[-1] - growth.limit[-1])
    assert distance <= 4 * growth.scaled.standard_error[-1] + (math.e - 1) / 2048
    assert np.array_equal(growth.flat, np.log(growth.num_keys))
    assert (
        np.abs(np.diff(growth.scaled.mean - growth.flat))[4:] <= 4 * growth.scaled.standard_error[5:]
    ).all()


def test_unscaled_even_2048_keys_have_less_entropy_than_2_scaled_ones_where_d_k_is_large() -> None:
    growth = entropy_by_keys(512, seed=0)
    doubt = 4 * (growth.unscaled.standard_error[-1] + growth.scaled.standard_error[0])
    assert growth.unscaled.mean[-1] + doubt < growth.scaled.mean[0]


def test_at_d_k_1_there_is_nothing_to_scale() -> None:
    growth = entropy_by_keys(1, seed=0, num_keys=(2, 8), draws=20)
    assert np.array_equal(growth.scaled.mean, growth.unscaled.mean)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: variance_by_tokens(513, 0), "d_k must be a whole number from 1 to 512; got 513"),
        (lambda: variance_by_tokens(4, 0, (2049,)), "tokens must be a whole number from 1 to 2048; got 2049"),
        (lambda: variance_by_d_k(0, 0), "tokens must be a whole number from 1 to 2048; got 0"),
        (lambda: entropy_by_keys(4, 0, (1,)), "num_keys must be a whole number from 2 to 2048; got 1"),
    ],
)
def test_what_is_too_large_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
