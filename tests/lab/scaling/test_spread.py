"""Spreads and what is said of them."""

import math

import numpy as np
import pytest

from attnviz.lab.scaling.spread import compare, spread

CHANCE = np.random.default_rng(5)
NORMAL = CHANCE.standard_normal(4000)
LARGE_MEAN_SMALL_MEDIAN = np.where(CHANCE.random(4000) < 0.3, 10.0, 0.0) + 0.01 * NORMAL


def test_the_numbers_are_numpys() -> None:
    sample = CHANCE.exponential(size=(3, 501))
    measured = spread(list(sample))
    assert np.array_equal(measured.mean, sample.mean(axis=1))
    assert np.array_equal(measured.sd, sample.std(axis=1, ddof=1))
    assert np.array_equal(measured.median, np.median(sample, axis=1))
    assert np.array_equal([measured.low, measured.high], np.quantile(sample, [0.05, 0.95], axis=1))
    assert np.array_equal(measured.standard_error, measured.sd / math.sqrt(501))


def test_the_interval_holds_the_median_in_two_thousand_repetitions() -> None:
    # The exact chance of a miss is below 1e-4 each: about .1 of 2000 would miss.
    samples = np.random.default_rng(1).exponential(size=(2000, 99))
    measured = spread(list(samples))
    assert (measured.median_low <= math.log(2)).all()
    assert (measured.median_high >= math.log(2)).all()


def test_the_interval_of_few_draws_is_all_of_them() -> None:
    measured = spread([np.array([3.0, 1.0])])
    assert (measured.median_low[0], measured.median[0], measured.median_high[0]) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (NORMAL + 1.0, NORMAL, ("larger", "larger")),
        (NORMAL, NORMAL + 1.0, ("smaller", "smaller")),
        (NORMAL, NORMAL, ("undecided", "undecided")),
        (LARGE_MEAN_SMALL_MEDIAN, NORMAL + 1.0, ("larger", "smaller")),
        (NORMAL, NORMAL[::-1], ("undecided", "undecided")),
        # A shift far below the spread is seen draw by draw, and in the mean only.
        (NORMAL + 0.01, NORMAL, ("larger", "undecided")),
    ],
)
def test_mean_and_median_are_compared_each_for_itself(
    one: np.ndarray, other: np.ndarray, words: tuple[str, str]
) -> None:
    verdict = compare(spread([one]), spread([other]), spread([one - other]), 0)
    assert (verdict.mean, verdict.typical) == words


@pytest.mark.parametrize(
    ("errors", "word"), [(5.0, "larger"), (3.0, "undecided"), (-3.0, "undecided"), (-5.0, "smaller")]
)
def test_means_differ_from_4_standard_errors_of_the_difference_on(errors: float, word: str) -> None:
    noise = (NORMAL - NORMAL.mean()) / NORMAL.std(ddof=1)
    one = LARGE_MEAN_SMALL_MEDIAN
    other = one - noise - errors / math.sqrt(len(noise))
    assert compare(spread([one]), spread([other]), spread([one - other]), 0).mean == word


def test_the_ratios_are_of_means_and_of_medians_and_nan_over_zero() -> None:
    one, other = np.array([1.0, 2.0, 6.0]), np.array([1.0, 4.0, 4.0])
    verdict = compare(spread([one]), spread([other]), spread([one - other]), 0)
    assert (verdict.mean_ratio, verdict.median_ratio) == (1.0, 0.5)
    verdict = compare(spread([one]), spread([0.0 * one]), spread([one]), 0)
    assert math.isnan(verdict.mean_ratio)
    assert math.isnan(verdict.median_ratio)
