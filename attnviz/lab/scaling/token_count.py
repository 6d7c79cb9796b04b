"""What the number of tokens changes, and what it does not: d_k is not the number of tokens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.normalizers import softmax
from attnviz.lab.scaling.limits import LIMIT_D_K_EXACT, LIMIT_TOKENS, require_whole
from attnviz.lab.scaling.nested_draws import chi_squares, normal_rows
from attnviz.lab.scaling.softmax_sweep import entropy
from attnviz.lab.scaling.spread import Spread, spread

TOKENS_SWEEP = tuple(2**power for power in range(3, 12))  # 8, 16, ..., 2048
D_K_SWEEP_EXACT = tuple(2**power for power in range(10))  # 1, 2, ..., 512
KEYS_SWEEP = tuple(2**power for power in range(1, 12))  # 2, 4, ..., 2048
GROWTH_DRAWS = 400


@dataclass(frozen=True, eq=False)
class PairVariance:
    """The mean of (q.k)^2 over all n x n pairs of n queries and n keys, at each pair (tokens, d_k) of the arrays.

    error is its standard error; naive_error what it would be if the n^2 scores were independent, which they
    are not: those of one query share that query.
    """

    tokens: Array
    d_k: Array
    variance: Array
    law: Array
    error: Array
    naive_error: Array


@dataclass(frozen=True, eq=False)
class EntropyGrowth:
    """Entropy of the weights over m keys, for m = num_keys: with the scale, without, and two lines to compare with.

    flat is ln m, the entropy of equal weights; limit is ln m - 1/2, which the scaled one approaches.
    """

    num_keys: Array
    scaled: Spread
    unscaled: Spread
    flat: Array
    limit: Array


def variance_by_tokens(d_k: int, seed: int, tokens: Sequence[int] = TOKENS_SWEEP) -> PairVariance:
    """The variance of the scores of 8, 16, ..., 2048 tokens at one d_k: it does not move with their number.

    A larger number of tokens has the smaller one's among them.
    """
    require_whole(1, LIMIT_D_K_EXACT, d_k=d_k)
    for n in tokens:
        require_whole(1, LIMIT_TOKENS, tokens=n)
    query, key = (
        normal_rows(seed, name, d_k, max(tokens)) for name in ("many_query", "many_key")
    )  # (d_k, n)
    squares = [_sum_of_squares(query[:, :n], key[:, :n]) for n in tokens]
    return _pair_variance(squares, np.array(tokens), np.full(len(tokens), d_k))


def variance_by_d_k(tokens: int, seed: int, d_k: Sequence[int] = D_K_SWEEP_EXACT) -> PairVariance:
    """The variance of the scores of one number of tokens at d_k = 1, 2, ..., 512: it is d_k.

    The same tokens as in variance_by_tokens; a larger d_k has the smaller one's components among its own.
    """
    require_whole(1, LIMIT_TOKENS, tokens=tokens)
    for width in d_k:
        require_whole(1, LIMIT_D_K_EXACT, d_k=width)
    query, key = (
        normal_rows(seed, name, max(d_k), tokens) for name in ("many_query", "many_key")
    )  # (d_k, n)
    squares = [_sum_of_squares(query[:width], key[:width]) for width in d_k]
    return _pair_variance(squares, np.full(len(d_k), tokens), np.array(d_k))


def pair_error(tokens: Array, d_k: Array) -> Array:
    """Standard error of the mean of (q.k)^2 over all n x n pairs: sqrt((2 d^2 + 6 d + 4 d (n - 1)) / n^2).

    A squared score has the variance 2 d^2 + 6 d, and two of them that share the query or the key the
    covariance Var(norm(q)^2) = 2 d; each has 2 (n - 1) such partners.
    """
    return np.asarray(np.sqrt(2.0 * d_k**2 + 6.0 * d_k + 4.0 * d_k * (tokens - 1.0)) / tokens)


def entropy_by_keys(
    d_k: int, seed: int, num_keys: Sequence[int] = KEYS_SWEEP, draws: int = GROWTH_DRAWS
) -> EntropyGrowth:
    """The entropy of the weights over 2, 4, ..., 2048 keys at one d_k: with the scale it grows like ln m.

    Given q the scores are independent normal numbers of variance v = norm(q)^2 / divisor^2, so for many keys
    sum exp(s) is m exp(v / 2) and the mean score under the weights is v: the entropy is ln m + v/2 - v, and E
    v = 1 with the scale. The keys are nested.
    """
    require_whole(1, LIMIT_D_K_EXACT, d_k=d_k)
    require_whole(2, GROWTH_DRAWS, draws=draws)
    for m in num_keys:
        require_whole(2, LIMIT_TOKENS, num_keys=m)
    along = normal_rows(seed, "growth_key", max(num_keys), draws)  # (m, draws)
    squares = next(chi_squares(seed, "growth_query", (d_k,), (1, draws)))
    scores = np.ascontiguousarray((along * np.sqrt(squares)).T)  # (draws, m)
    scaled, unscaled = (
        spread([entropy(softmax(scores[:, :m] / divisor)) for m in num_keys])
        for divisor in (math.sqrt(d_k), 1.0)
    )
    flat = np.log(np.array(num_keys))
    return EntropyGrowth(np.array(num_keys), scaled, unscaled, flat, limit=flat - 0.5)


def _sum_of_squares(query: Array, key: Array) -> float:
    """The sum of all (q.k)^2 for the columns of query and key, both (d_k, n).

    It is the squared norm of Q K^T, and also the trace of (Q^T Q)(K^T K): whichever is the smaller matrix is
    formed.
    """
    if query.shape[0] < query.shape[1]:
        return float(np.vdot(query @ query.T, key @ key.T))  # (d_k, d_k)
    scores = query.T @ key  # (n, n)
    return float(np.vdot(scores, scores))


def _pair_variance(squares: Sequence[float], tokens: Array, d_k: Array) -> PairVariance:
    return PairVariance(
        tokens=tokens,
        d_k=d_k,
        variance=np.array(squares) / tokens**2,
        law=d_k.astype(np.float64),
        error=pair_error(tokens, d_k),
        naive_error=d_k * np.sqrt(2.0 + 6.0 / d_k) / tokens,
    )
