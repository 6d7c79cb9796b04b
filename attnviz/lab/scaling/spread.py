"""How a measured number spreads over its draws, and what may honestly be said when two of them are compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array

LARGER, SMALLER, UNDECIDED = "larger", "smaller", "undecided"
SURE = 4.0  # standard errors: chance alone goes beyond once in 16,000


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean, standard deviation, median and the 5 and 95 % points, each an array with one entry a measured place.

    median_low and median_high enclose the true median as surely as mean +- 4 standard errors enclose the true
    mean, whatever the distribution (order statistics number N/2 +- 2 sqrt(N)).
    """

    mean: Array
    sd: Array
    median: Array
    median_low: Array
    median_high: Array
    low: Array
    high: Array
    draws: int

    @property
    def standard_error(self) -> Array:
        """Of the mean: sd / sqrt(draws)."""
        return self.sd / math.sqrt(self.draws)


@dataclass(frozen=True)
class Comparison:
    """One spread beside another at one place: "larger", "smaller" or "undecided", for the mean and for the median."""

    mean: str
    typical: str
    mean_ratio: float
    median_ratio: float


def spread(samples: Sequence[Array]) -> Spread:
    """The spread of each sample (draws,); all of one length, at least 2."""
    draws = len(samples[0])
    margin = SURE / 2.0 / math.sqrt(draws)  # in probability: the sd of the rank is sqrt(N)/2
    points = np.clip([0.5, 0.5 - margin, 0.5 + margin, 0.05, 0.95], 0.0, 1.0)
    quantiles = np.array([np.quantile(sample, points) for sample in samples]).T  # (5, places)
    return Spread(
        mean=np.array([sample.mean() for sample in samples]),
        sd=np.array([sample.std(ddof=1) for sample in samples]),
        median=quantiles[0],
        median_low=quantiles[1],
        median_high=quantiles[2],
        low=quantiles[3],
        high=quantiles[4],
        draws=draws,
    )


def compare(one: Spread, other: Spread, difference: Spread, place: int) -> Comparison:
    """What was measured of `one` against `other` at a place, `difference` being that of one - other, draw by draw.

    The means differ where the mean difference is more than 4 standard errors from 0, the medians where their
    intervals do not touch; everything else is "undecided".
    """
    gap, doubt = float(difference.mean[place]), SURE * float(difference.standard_error[place])
    mean = UNDECIDED if abs(gap) <= doubt else LARGER if gap > 0.0 else SMALLER
    typical = UNDECIDED
    if one.median_low[place] > other.median_high[place]:
        typical = LARGER
    elif one.median_high[place] < other.median_low[place]:
        typical = SMALLER
    return Comparison(
        mean,
        typical,
        _ratio(float(one.mean[place]), float(other.mean[place])),
        _ratio(float(one.median[place]), float(other.median[place])),
    )


def _ratio(one: float, other: float) -> float:
    """one / other; NaN where there is nothing to compare with."""
    return one / other if other else math.nan
