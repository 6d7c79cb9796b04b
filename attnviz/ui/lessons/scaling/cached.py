"""What the page on sqrt(d_k) measures, each by the settings it depends on and kept for a while."""

import math
from collections.abc import Sequence

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lab.scaling.components import find_components
from attnviz.lab.scaling.cures import Knobs
from attnviz.lab.scaling.measured import ScoreSample, VarianceSweep, sample_scores, variance_sweep
from attnviz.lab.scaling.softmax_sweep import Example, Sweep, gradient_sweep, weight_example, weight_sweep
from attnviz.lab.scaling.spread import Comparison, compare
from attnviz.lab.scaling.token_count import (
    EntropyGrowth,
    PairVariance,
    entropy_by_keys,
    variance_by_d_k,
    variance_by_tokens,
)
from attnviz.lesson.settings import Settings
from attnviz.ui.kit.kept import kept
from attnviz.ui.lessons.scaling.knobs import ScalingKnobs
from attnviz.ui.lessons.scaling.sentence import SentenceSweep, numbers_only, sentence_sweep

DIVISORS = ("sqrt_d_k", "none", "sqrt_d_model")
CURED = ("none", "sqrt_d_k", "temperature", "cosine", "qk_norm")


def sentence(settings: Settings) -> SentenceSweep | None:
    """The reader's sentence at every d_k; None where it has no token."""
    return _sentence(numbers_only(settings))


def sample(settings: Settings) -> ScoreSample:
    """Scores of random vectors at the chosen d_k."""
    knobs = settings.of(ScalingKnobs)
    return _sample(settings.d_k, knobs.draws, settings.seed, knobs.distribution, _d_model(settings))


def variances(settings: Settings) -> VarianceSweep:
    """The variance of q.k at 1, 2, 4, ..., 4096."""
    knobs = settings.of(ScalingKnobs)
    return _variances(knobs.draws, settings.seed, knobs.distribution, _d_model(settings))


def weights(settings: Settings) -> Sweep:
    """Entropy, largest weight and Jacobian against d_k: with the scale, without, and divided by sqrt(d_model)."""
    knobs = settings.of(ScalingKnobs)
    return _weights(knobs.num_keys, knobs.draws, settings.seed, settings.d_model)


def gradients(settings: Settings) -> Sweep:
    """The gradients at what softmax receives and at q against d_k."""
    knobs = settings.of(ScalingKnobs)
    return _gradients(knobs.num_keys, knobs.draws, settings.seed)


def example(settings: Settings) -> Example:
    """One query and its keys at the chosen d_k."""
    knobs = settings.of(ScalingKnobs)
    return weight_example(settings.d_k, num_keys=knobs.num_keys, seed=settings.seed)


def cures(settings: Settings) -> Sweep:
    """The same measurements by every cure, for vectors of the chosen size."""
    knobs = settings.of(ScalingKnobs)
    cures = Knobs(knobs.cure_temperature, knobs.cure_beta, size=knobs.vector_size)
    return _cures(knobs.num_keys, knobs.draws, settings.seed, cures)


def by_tokens(settings: Settings) -> PairVariance:
    """The variance against the number of tokens at the chosen d_k."""
    return _by_tokens(settings.d_k, settings.seed)


def by_d_k(settings: Settings) -> PairVariance:
    """The variance against d_k at the chosen number of tokens."""
    knobs = settings.of(ScalingKnobs)
    return _by_d_k(knobs.many_tokens, settings.seed)


def entropies(settings: Settings) -> EntropyGrowth:
    """The entropy against the number of keys at the chosen d_k."""
    return _entropies(settings.d_k, settings.seed)


def compared(sweep: Sweep, name: str, d_k: int, rule: str = "none") -> Comparison:
    """What was measured by `rule` against sqrt(d_k), at the measured d_k nearest to `d_k`."""
    measured = sweep.measured[name]
    place = place_of(sweep.d_k, d_k)
    return compare(measured.spread[rule], measured.spread["sqrt_d_k"], measured.difference[rule], place)


def place_of(d_k: Array | Sequence[int], wanted: float) -> int:
    """The place of the d_k that is nearest to the wanted one, counted in factors."""
    return int(np.argmin(np.abs(np.log(np.asarray(d_k) / wanted))))


def slope(x: Array, y: Array) -> float:
    """The power p of the law y ~ x^p that lies nearest on logarithmic axes."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def points_on_the_law(sweep: VarianceSweep) -> int:
    """How many measured variances lie within 4 standard errors of the law."""
    return int((np.abs(sweep.variance - sweep.law) <= 4.0 * sweep.variance_error).sum())


def component_variance(d_k: int, d_model: int) -> float:
    """The variance of one number of a Xavier-projected query, of which the law is d_k times the square."""
    return math.sqrt(find_components("xavier").law(d_k, d_model) / d_k)


def _d_model(settings: Settings) -> int:
    """Only projected tokens know of d_model: other samples must not be drawn anew when it changes."""
    return settings.d_model if find_components(settings.of(ScalingKnobs).distribution).uses_d_model else 64


@kept
def _sentence(settings: Settings) -> SentenceSweep | None:
    return sentence_sweep(settings)


@kept
def _sample(d_k: int, draws: int, seed: int, distribution: str, d_model: int) -> ScoreSample:
    return sample_scores(d_k, draws, seed, distribution, d_model=d_model)


@kept
def _variances(draws: int, seed: int, distribution: str, d_model: int) -> VarianceSweep:
    return variance_sweep(draws, seed, distribution, d_model=d_model)


@kept
def _weights(num_keys: int, draws: int, seed: int, d_model: int) -> Sweep:
    return weight_sweep(DIVISORS, num_keys=num_keys, draws=draws, seed=seed, knobs=Knobs(d_model=d_model))


@kept
def _gradients(num_keys: int, draws: int, seed: int) -> Sweep:
    return gradient_sweep(num_keys=num_keys, draws=draws, seed=seed)


@kept
def _cures(num_keys: int, draws: int, seed: int, knobs: Knobs) -> Sweep:
    return weight_sweep(CURED, num_keys=num_keys, draws=draws, seed=seed, knobs=knobs)


@kept
def _by_tokens(d_k: int, seed: int) -> PairVariance:
    return variance_by_tokens(d_k, seed)


@kept
def _by_d_k(tokens: int, seed: int) -> PairVariance:
    return variance_by_d_k(tokens, seed)


@kept
def _entropies(d_k: int, seed: int) -> EntropyGrowth:
    return entropy_by_keys(d_k, seed)
