"""Why divide by sqrt(d_k): the law of the variance of q.k, measured on random vectors."""

import math
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lab.scaling.components import find_components
from attnviz.lab.scaling.limits import (
    LIMIT_COORDINATES,
    LIMIT_D_K,
    LIMIT_D_MODEL,
    LIMIT_DRAWS,
    LIMIT_POINT,
    fewer,
    require_whole,
)
from attnviz.lab.scaling.nested_draws import generator

D_K_SWEEP = tuple(2**power for power in range(13))  # 1, 2, 4, ..., 4096


@dataclass(frozen=True)
class Moments:
    """Measured mean and variance of scores, the law of the variance, and the standard errors of both measurements."""

    mean: float
    variance: float
    law: float
    mean_error: float
    variance_error: float


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Scores q.k of random vectors, shape (draws,), with their moments before and after the scale.

    requested is the number of draws that was asked for; there are fewer where draws * d_k would pass
    LIMIT_COORDINATES.
    """

    distribution: str
    d_k: int
    d_model: int
    requested: int
    scores: Array
    moments: Moments
    scaled_moments: Moments

    @property
    def draws(self) -> int:
        return len(self.scores)

    @property
    def capped(self) -> bool:
        return self.draws < self.requested

    @property
    def scaled(self) -> Array:
        """scores / sqrt(d_k), shape (draws,)."""
        return self.scores / math.sqrt(self.d_k)


@dataclass(frozen=True, eq=False)
class VarianceSweep:
    """Variance of q.k against d_k: every array has one entry for each of d_k."""

    distribution: str
    d_k: Array
    draws: Array
    mean: Array
    variance: Array
    law: Array
    mean_error: Array
    variance_error: Array


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram as a density over its edges (bins + 1), and the density of N(0, law) at curve_x.

    Its area is the share of draws within the edges; below and above count the draws outside.
    """

    edges: Array
    density: Array
    below: int
    above: int
    curve_x: Array
    curve_y: Array


def sample_scores(
    d_k: int, draws: int, seed: int, distribution: str = "normal", *, d_model: int = 64
) -> ScoreSample:
    """q.k for `draws` independent pairs of random vectors with d_k components, distribution one of COMPONENTS.

    Two calls share what they can: more draws append scores, a larger d_k adds the products of further
    coordinates to the same scores. Never more than LIMIT_COORDINATES // (coordinates of one query) draws.
    """
    kind = find_components(distribution)
    require_whole(1, LIMIT_D_K, d_k=d_k)
    require_whole(1, LIMIT_D_MODEL, d_model=d_model)
    require_whole(2, LIMIT_DRAWS, draws=draws)
    count = fewer(draws, LIMIT_COORDINATES, d_k + kind.uses_d_model * d_model)
    scores = kind.sample(seed, d_k, d_model, count)  # (draws,)
    law, excess = kind.law(d_k, d_model), kind.excess(d_k, d_model)
    return ScoreSample(
        distribution=distribution,
        d_k=d_k,
        d_model=d_model,
        requested=draws,
        scores=scores,
        moments=moments(scores, law, excess),
        scaled_moments=moments(scores / math.sqrt(d_k), law / d_k, excess),
    )


def moments(scores: Array, law: float, excess: float) -> Moments:
    """Mean and variance (divided by N - 1) of N independent scores, with their exact standard errors.

    sqrt(law / N) and law sqrt(2 / (N - 1) + excess / N), `excess` being the excess kurtosis of one score; for
    normal components it is 6 / d_k.
    """
    count = len(scores)
    return Moments(
        mean=float(scores.mean()),
        variance=float(scores.var(ddof=1)),
        law=law,
        mean_error=math.sqrt(law / count),
        variance_error=law * math.sqrt(2.0 / (count - 1) + excess / count),
    )


def variance_sweep(
    draws: int, seed: int, distribution: str = "normal", *, d_model: int = 64
) -> VarianceSweep:
    """The variance of q.k measured at d_k = 1, 2, 4, ..., 4096, each point of draws of its own.

    Normal and Xavier-projected components go by exact identities (see COMPONENTS); uniform ones are real
    vectors, at most LIMIT_POINT coordinates a point.
    """
    kind = find_components(distribution)
    require_whole(1, LIMIT_D_MODEL, d_model=d_model)
    require_whole(2, LIMIT_DRAWS, draws=draws)
    counts, points = [], []
    for d_k in D_K_SWEEP:
        count = draws if kind.quick_is_constant else fewer(draws, LIMIT_POINT, d_k)
        scores = kind.quick(generator(seed, "variance", d_k), d_k, d_model, count)  # (count,)
        points.append(moments(scores, kind.law(d_k, d_model), kind.excess(d_k, d_model)))
        counts.append(count)
    columns = np.array([(p.mean, p.variance, p.law, p.mean_error, p.variance_error) for p in points]).T
    return VarianceSweep(distribution, np.array(D_K_SWEEP), np.array(counts), *columns)


def histogram(scores: Array, law: float, *, reach: float | None = None, bins: int = 61) -> Histogram:
    """Scores from -reach to reach in equal bins beside the curve of N(0, law); reach is 4 sqrt(law) by default."""
    reach = 4.0 * math.sqrt(law) if reach is None else reach
    edges = np.linspace(-reach, reach, bins + 1)
    counts = np.histogram(scores, edges)[0]
    curve_x = np.linspace(-reach, reach, 241)
    return Histogram(
        edges=edges,
        density=counts / (len(scores) * (edges[1] - edges[0])),
        below=int((scores < -reach).sum()),
        above=int((scores > reach).sum()),
        curve_x=curve_x,
        curve_y=np.exp(-(curve_x**2) / (2.0 * law)) / math.sqrt(2.0 * math.pi * law),
    )
