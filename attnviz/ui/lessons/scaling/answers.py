"""Which of the three guesses of each step is right: always computed, never typed."""

import numpy as np

from attnviz.lab.scaling.measured import VarianceSweep
from attnviz.lab.scaling.softmax_sweep import Sweep
from attnviz.lab.scaling.spread import LARGER, SMALLER
from attnviz.lab.scaling.token_count import PairVariance
from attnviz.lab.scaling.verdict import Verdict, overall
from attnviz.ui.lessons.scaling.cached import compared, place_of, slope
from attnviz.ui.lessons.scaling.sentence import SentenceSweep

FIRST, SECOND, THIRD = 1, 2, 3
MOVED = 0.05  # a change of a mean weight that can be seen on a map
ASKED = 512  # the d_k of the questions


def sentence(sweep: SentenceSweep) -> int:
    """Whether the weights without the scale stay, even out or harden from the smallest d_k to the largest."""
    largest = sweep.largest(scaled=False)
    rise = float(largest[-1] - largest[0])
    return FIRST if abs(rise) <= MOVED else SECOND if rise < 0 else THIRD


def cause(sweep: VarianceSweep) -> int:
    """Whether the variance of q.k goes like 1, sqrt(d_k) or d_k: the nearest power on logarithmic axes."""
    power = slope(sweep.d_k, sweep.variance)
    return FIRST + int(np.argmin([abs(power - p) for p in (0.0, 0.5, 1.0)]))


def softmax(sweep: Sweep) -> int:
    """Whether the mean largest weight at d_k = 512 without the scale is below 1/2, up to 9/10, or above."""
    spread = sweep.measured["largest"].spread["none"]
    return FIRST + int(np.digitize(spread.mean[place_of(sweep.d_k, ASKED)], (0.5, 0.9)))


def gradient(sweep: Sweep) -> int:
    """Whether the gradient at q without the scale vanishes, explodes, or the one typically and the other on average.

    Where the draws are too few to be sure, the larger number counts.
    """
    found = compared(sweep, "at_query", ASKED)
    small = found.typical == SMALLER or (found.typical != LARGER and found.median_ratio < 1.0)
    large = found.mean == LARGER or (found.mean != SMALLER and found.mean_ratio > 1.0)
    return THIRD if small and large else FIRST if small else SECOND


def learning(verdicts: tuple[Verdict, ...]) -> int:
    """Whether one of the two wins at every d_k wherever they differ; 0 while nothing is measured."""
    if not verdicts:
        return 0
    return {"scaled_wins": FIRST, "unscaled_wins": SECOND}.get(overall(verdicts), THIRD)


def wrong(found: PairVariance) -> int:
    """Whether the variance at the most tokens is above, at or below that at the fewest, give or take 4 errors."""
    gap = float(found.variance[-1] - found.variance[0])
    doubt = 4.0 * float(np.hypot(found.error[-1], found.error[0]))
    return SECOND if abs(gap) <= doubt else FIRST if gap > 0 else THIRD


def cures(sweep: Sweep) -> int:
    """Which of temperature, cosine and QK normalisation moves the mean largest weight least."""
    return FIRST + int(np.argmin([moved(sweep, rule) for rule in ("temperature", "cosine", "qk_norm")]))


def moved(sweep: Sweep, rule: str) -> float:
    """How far the mean largest weight of a rule ranges over all d_k."""
    return float(np.ptp(sweep.measured["largest"].spread[rule].mean))
