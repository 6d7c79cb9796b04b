"""The variance of q.k is d_k: measured on real vectors, within the honest standard error."""

import math

import numpy as np
import pytest

from attnviz.lab.scaling.components import COMPONENTS
from attnviz.lab.scaling.limits import LIMIT_COORDINATES, LIMIT_POINT
from attnviz.lab.scaling.measured import D_K_SWEEP, histogram, moments, sample_scores, variance_sweep


@pytest.mark.parametrize("d_k", [1, 3, 64, 512])
@pytest.mark.parametrize("distribution", COMPONENTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_mean_and_variance_of_real_vectors_obey_the_law(distribution: str, d_k: int, seed: int) -> None:
    sample = sample_scores(d_k, 2000, seed, distribution, d_model=24)
    for measured in (sample.moments, sample.scaled_moments):
        assert abs(measured.mean) <= 4 * measured.mean_error
        assert abs(measured.variance - measured.law) <= 4 * measured.variance_error
    assert math.isclose(sample.moments.law, COMPONENTS[distribution].law(d_k, 24))


def test_the_standard_error_of_facts_md() -> None:
    """facts.md: d_k sqrt((2 + 6 / d_k) / N) for normal components; ours has N - 1 where the mean was measured too."""
    measured = sample_scores(64, 5000, 0).moments
    assert measured.law == 64.0
    assert math.isclose(measured.variance_error, 64 * math.sqrt((2 + 6 / 64) / 5000), rel_tol=1 / 5000)
    assert measured.mean_error == math.sqrt(64 / 5000)


def test_the_scale_makes_the_variance_1() -> None:
    sample = sample_scores(64, 5000, 0)
    assert np.array_equal(sample.scaled, sample.scores / 8.0)
    assert sample.scaled_moments.law == 1.0
    assert math.isclose(sample.scaled_moments.variance, sample.moments.variance / 64.0)
    assert math.isclose(sample.scaled_moments.variance_error, sample.moments.variance_error / 64.0)


@pytest.mark.parametrize(("excess", "draw"), [(-2.0, "sign"), (0.0, "normal"), (3.0, "laplace")])
def test_the_standard_errors_are_the_spread_over_repetitions(excess: float, draw: str) -> None:
    """For any distribution with this excess kurtosis: 3000 repetitions of 40 draws.

    The spread of their variances is itself known to within its kurtosis; that is measured on the same repetitions.
    """
    chance, repetitions = np.random.default_rng(3), 3000
    shape = (repetitions, 40)
    samples = {
        "sign": chance.choice([-1.0, 1.0], shape),
        "normal": chance.standard_normal(shape),
        "laplace": chance.laplace(scale=math.sqrt(0.5), size=shape),
    }[draw]
    measured = [moments(sample, 1.0, excess) for sample in samples]
    for name in ("mean", "variance"):
        values = np.array([getattr(one, name) for one in measured])
        truth = 0.0 if name == "mean" else 1.0
        squares = (values - truth) ** 2
        error = squares.std() / math.sqrt(repetitions)
        assert abs(squares.mean() - getattr(measured[0], f"{name}_error") ** 2) <= 4 * error


def test_draws_are_capped_where_draws_times_d_k_is_too_large_and_it_is_said() -> None:
    small = sample_scores(1, 200_000, 0)
    assert (small.draws, small.capped) == (200_000, False)
    large = sample_scores(4096, 200_000, 0, "uniform")
    assert (large.draws, large.requested, large.capped) == (LIMIT_COORDINATES // 4096, 200_000, True)


def test_the_same_settings_give_the_same_scores_and_another_seed_others() -> None:
    first, again, other = (sample_scores(5, 50, seed).scores for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.isin(first, other).any()


@pytest.mark.parametrize("distribution", COMPONENTS)
def test_the_sweep_lies_on_the_law_at_every_power_of_two(distribution: str) -> None:
    sweep = variance_sweep(2000, 0, distribution, d_model=24)
    assert tuple(sweep.d_k) == D_K_SWEEP == tuple(2**power for power in range(13))
    assert (np.abs(sweep.variance - sweep.law) <= 4 * sweep.variance_error).all()
    assert (np.abs(sweep.mean) <= 4 * sweep.mean_error).all()
    assert sweep.law.tolist() == [COMPONENTS[distribution].law(d_k, 24) for d_k in D_K_SWEEP]


def test_only_points_of_real_vectors_have_fewer_draws() -> None:
    assert (variance_sweep(3000, 0, "normal").draws == 3000).all()
    assert variance_sweep(3000, 0, "uniform").draws.tolist() == [
        min(3000, LIMIT_POINT // d) for d in D_K_SWEEP
    ]


def test_the_histogram_counts_every_draw_once_and_the_curve_has_area_1() -> None:
    scores = np.array([-9.0, -1.0, 0.0, 0.5, 0.5, 2.9, 3.0, 3.1])
    drawn = histogram(scores, 2.0, reach=3.0, bins=3)
    assert drawn.edges.tolist() == [-3.0, -1.0, 1.0, 3.0]
    assert (drawn.density * 2.0 * len(scores)).tolist() == [0.0, 4.0, 2.0]
    assert (drawn.below, drawn.above) == (1, 1)
    wide = histogram(scores, 2.0, reach=20.0)
    assert math.isclose(np.trapezoid(wide.curve_y, wide.curve_x), 1.0, rel_tol=1e-12)
    assert wide.curve_y.max() == 1.0 / math.sqrt(4.0 * math.pi)


def test_the_histogram_follows_the_curve_at_large_d_k() -> None:
    """Each bin's count is binomial; the normal curve is off by the kurtosis 6 / d_k, far less than that here."""
    sample = sample_scores(512, 4000, 0)
    drawn = histogram(sample.scores, sample.moments.law, bins=16)
    cumulative = np.array([0.5 * (1 + math.erf(edge / math.sqrt(2 * 512))) for edge in drawn.edges])
    chance = np.diff(cumulative)
    share = drawn.density * np.diff(drawn.edges)
    assert (np.abs(share - chance) <= 4 * np.sqrt(chance * (1 - chance) / sample.draws)).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"d_k": 0}, "d_k must be a whole number from 1 to 4096; got 0"),
        ({"draws": 1}, "draws must be a whole number from 2 to 200000; got 1"),
        ({"d_model": 4097}, "d_model must be a whole number from 1 to 4096; got 4097"),
        ({"distribution": "x"}, "distribution must be one of normal, uniform, xavier; got 'x'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        sample_scores(**{"d_k": 4, "draws": 10, "seed": 0, **settings})  # type: ignore[arg-type]
