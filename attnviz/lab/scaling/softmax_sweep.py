"""What softmax does with random scores as d_k grows: entropy, largest weight, Jacobian and gradients."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.normalizers import softmax
from attnviz.lab.scaling.cures import CURES, Knobs, pairs_of, random_pairs
from attnviz.lab.scaling.jacobian import jacobian_norm, softmax_gradient
from attnviz.lab.scaling.limits import (
    LIMIT_D_K,
    LIMIT_DRAWS,
    LIMIT_KEYS,
    LIMIT_QUERIES,
    LIMIT_SCORES,
    fewer,
    require_whole,
)
from attnviz.lab.scaling.measured import D_K_SWEEP
from attnviz.lab.scaling.nested_draws import chi_squares, generator, normal_rows
from attnviz.lab.scaling.spread import Spread, spread

BASELINE = "sqrt_d_k"


@dataclass(frozen=True, eq=False)
class Measured:
    """One number per query, for each rule: its spread, and the spread of (rule - sqrt_d_k) draw by draw."""

    spread: Mapping[str, Spread]
    difference: Mapping[str, Spread]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Measurements against d_k, by name; each spread's arrays have one entry for each of d_k.

    draws is the number of queries at each d_k: fewer than requested where that passes LIMIT_QUERIES, or draws *
    num_keys passes LIMIT_SCORES.
    """

    d_k: Array
    num_keys: int
    requested: int
    draws: int
    measured: Mapping[str, Measured]

    @property
    def capped(self) -> bool:
        return self.draws < self.requested

    @property
    def flat_entropy(self) -> float:
        """ln m, the entropy of m equal weights: the most there can be."""
        return math.log(self.num_keys)


@dataclass(frozen=True, eq=False)
class Example:
    """One random query (d_k,) and its keys (m, d_k): scores (m,) q.k, and by rule what softmax receives and gives."""

    query: Array
    key: Array
    scores: Array
    inputs: Mapping[str, Array]
    weights: Mapping[str, Array]


def entropy(weights: Array) -> Array:
    """-sum p ln p in nats over the last axis: 0 for one-hot, ln m for equal weights (0 ln 0 = 0)."""
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0.0)
    return np.asarray(-np.einsum("...j,...j->...", weights, logarithms)) + 0.0  # never -0


def largest_weight(weights: Array) -> Array:
    """max p over the last axis: from 1/m for equal weights to 1 for one-hot."""
    return np.asarray(weights.max(axis=-1))


def weight_sweep(
    rules: Sequence[str] = ("sqrt_d_k", "none"),
    *,
    num_keys: int = 10,
    draws: int = 20_000,
    seed: int = 0,
    knobs: Knobs | None = None,
    d_k: Sequence[int] = D_K_SWEEP,
) -> Sweep:
    """Every one of STATISTICS for queries with normal components over num_keys normal keys, by rules out of CURES.

    All rules, and all d_k, are measured on the same draws (see random_pairs).
    """
    knobs = knobs or Knobs()
    count = _checked(rules, num_keys, draws, d_k)
    samples: dict[tuple[str, str], list[Array]] = {}
    for pairs in random_pairs(seed, num_keys, count, d_k, knobs.size):
        for rule in _with_baseline(rules):
            weights = softmax(CURES[rule](pairs, knobs))  # (draws, m)
            for name, statistic in STATISTICS.items():
                samples.setdefault((name, rule), []).append(statistic(weights))  # (draws,)
    return _sweep(samples, tuple(STATISTICS), rules, num_keys, draws, d_k)


def gradient_sweep(
    *, num_keys: int = 10, draws: int = 20_000, seed: int = 0, d_k: Sequence[int] = D_K_SWEEP
) -> Sweep:
    """The norms of the loss's gradient "at_input" of softmax and "at_query", with the scale and without.

    q, K and the gradient at the weights have independent N(0, 1) components. at_input is norm(u), u =
    (diag(p) - p p^T) g, at the numbers that softmax receives; at_query is norm(K^T u) / divisor. Exact
    without the vectors: with z the keys' components along q, norm(K^T u)^2 = (z.u)^2 + norm(u)^2
    chi-square(d_k - 1).
    """
    rules = ("sqrt_d_k", "none")
    count = _checked(rules, num_keys, draws, d_k)
    upstream = np.ascontiguousarray(normal_rows(seed, "upstream", num_keys, count).T)  # (draws, m)
    across = chi_squares(seed, "gradient_across", [size - 1 for size in d_k], (1, count))
    samples: dict[tuple[str, str], list[Array]] = {}
    for pairs, rest in zip(random_pairs(seed, num_keys, count, d_k), across, strict=True):
        for rule, divisor in (("sqrt_d_k", math.sqrt(pairs.d_k)), ("none", 1.0)):
            at_input = softmax_gradient(softmax(pairs.dot / divisor), upstream)  # (draws, m)
            squares = np.einsum("nj,nj->n", at_input, at_input)  # (draws,)
            along = np.einsum("nj,nj->n", at_input, pairs.along)
            samples.setdefault(("at_input", rule), []).append(np.sqrt(squares))
            samples.setdefault(("at_query", rule), []).append(np.sqrt(along**2 + squares * rest[0]) / divisor)
    return _sweep(samples, ("at_input", "at_query"), rules, num_keys, draws, d_k)


def weight_example(d_k: int, *, num_keys: int = 10, seed: int = 0, knobs: Knobs | None = None) -> Example:
    """One query and its keys with N(0, size^2) components, and their weights by every one of CURES.

    A further key leaves the others alone, a larger d_k appends components.
    """
    knobs = knobs or Knobs()
    require_whole(1, LIMIT_D_K, d_k=d_k)
    require_whole(2, LIMIT_KEYS, num_keys=num_keys)
    query = generator(seed, "example_query", 0).standard_normal(d_k) * knobs.size  # (d_k,)
    key = normal_rows(seed, "example_key", num_keys, d_k) * knobs.size  # (m, d_k)
    pairs = pairs_of(query[None], key[None])
    inputs = {rule: np.array(cure(pairs, knobs)[0]) for rule, cure in CURES.items()}  # (m,) each
    return Example(
        query, key, pairs.dot[0], inputs, {rule: softmax(numbers) for rule, numbers in inputs.items()}
    )


def _checked(rules: Sequence[str], num_keys: int, draws: int, d_k: Sequence[int]) -> int:
    """The number of draws there will be; ValueError for what cannot be measured."""
    for rule in rules:
        if rule not in CURES:
            raise ValueError(f"rule must be one of {', '.join(CURES)}; got {rule!r}")
    require_whole(2, LIMIT_KEYS, num_keys=num_keys)
    require_whole(2, LIMIT_DRAWS, draws=draws)
    for width in d_k:
        require_whole(1, LIMIT_D_K, d_k=width)
    if list(d_k) != sorted(set(d_k)):
        raise ValueError(f"d_k must be ascending numbers, none twice; got {tuple(d_k)}")
    return min(fewer(draws, LIMIT_SCORES, num_keys), LIMIT_QUERIES)


def _with_baseline(rules: Sequence[str]) -> Sequence[str]:
    return rules if BASELINE in rules else (BASELINE, *rules)


def _sweep(
    samples: Mapping[tuple[str, str], Sequence[Array]],
    names: Sequence[str],
    rules: Sequence[str],
    num_keys: int,
    draws: int,
    d_k: Sequence[int],
) -> Sweep:
    measured = {}
    for name in names:
        base = samples[name, BASELINE]
        measured[name] = Measured(
            spread={rule: spread(samples[name, rule]) for rule in rules},
            difference={
                rule: spread([one - other for one, other in zip(samples[name, rule], base, strict=True)])
                for rule in rules
                if rule != BASELINE
            },
        )
    return Sweep(np.array(d_k), num_keys, draws, len(samples[names[0], BASELINE][0]), measured)


STATISTICS: dict[str, Callable[[Array], Array]] = {
    "entropy": entropy,
    "largest": largest_weight,
    "jacobian_norm": jacobian_norm,
}
