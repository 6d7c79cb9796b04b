"""Ways to draw the components of random queries and keys, each with the exact law of q.k."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lab.scaling.nested_draws import generator

Draw = Callable[[np.random.Generator, int], Array]
ROOT_3 = math.sqrt(3.0)


@dataclass(frozen=True)
class Components:
    """A way to draw queries and keys.

    law(d_k, d_model) is the variance of q.k, excess(d_k, d_model) its excess kurtosis. sample(seed, d_k,
    d_model, draws) gives scores (draws,) of real vectors from nested streams; quick(generator, d_k, d_model,
    draws) scores of the same distribution, in draws whose number does not grow with d_k where
    quick_is_constant. uses_d_model: whether tokens are drawn too.
    """

    law: Callable[[int, int], float]
    excess: Callable[[int, int], float]
    sample: Callable[[int, int, int, int], Array]
    quick: Callable[[np.random.Generator, int, int, int], Array]
    quick_is_constant: bool = True
    uses_d_model: bool = False


def find_components(distribution: str) -> Components:
    """The entry of COMPONENTS; ValueError for an unknown name."""
    if distribution not in COMPONENTS:
        raise ValueError(f"distribution must be one of {', '.join(COMPONENTS)}; got {distribution!r}")
    return COMPONENTS[distribution]


def xavier_law(d_k: int, d_model: int) -> float:
    """The variance of q.k for standard normal tokens and Xavier-drawn matrices: d_k (2 d_model / (d_model + d_k))^2.

    The matrices' entries have variance 2 / (d_model + d_k) (Glorot and Bengio 2010), so a component of q has
    variance 2 d_model / (d_model + d_k): it is 1, and the law d_k, only where d_k = d_model.
    """
    return d_k * (2.0 * d_model / (d_model + d_k)) ** 2


def xavier_excess(d_k: int, d_model: int) -> float:
    """The excess kurtosis of that q.k, token and matrix both new in each draw: (1 + 2/d_model)^2 (3 + 6/d_k) - 3.

    Given a token x, q is normal with independent components, so q.k = norm(x) norm(y) c z with z the product
    of standard normal vectors, E z^4 / E^2 z^2 = 3 + 6/d_k, and E norm(x)^4 / E^2 norm(x)^2 = 1 + 2/d_model,
    twice.
    """
    return float((1.0 + 2.0 / d_model) ** 2 * (3.0 + 6.0 / d_k) - 3.0)


def head_scatter(d_k: int, d_model: int) -> float:
    """How far the variance of one head with matrices of its own scatters round xavier_law, as a share of it.

    With W_q and W_k kept, the variance of q.k over tokens is norm(W_q W_k^T)^2. Over heads its mean is the law,
    and its standard deviation the law times sqrt(4 / (d_model d_k) + (2 + 2 / d_k) / d_model^2): the trace of a
    product of two independent Wishart matrices W_q^T W_q and W_k^T W_k.
    """
    return math.sqrt(4.0 / (d_model * d_k) + (2.0 + 2.0 / d_k) / d_model**2)


def _normal(source: np.random.Generator, draws: int) -> Array:
    return source.standard_normal(draws)


def _uniform(source: np.random.Generator, draws: int) -> Array:
    """On +-sqrt(3), where the variance is 1."""
    numbers = source.random(draws)
    numbers -= 0.5
    numbers *= 2.0 * ROOT_3
    return numbers


def _law(d_k: int, _d_model: int) -> float:
    """q.k is a sum of d_k uncorrelated products of variance 1."""
    return float(d_k)


def _excess(kurtosis: float) -> Callable[[int, int], float]:
    """Of a sum of d_k independent products of two components with E x^2 = 1, E x^4 = kurtosis.

    One product has the fourth moment kurtosis^2: (kurtosis^2 - 3) / d_k, which is 6 / d_k for the normal
    (kurtosis 3) and .24 / d_k for the uniform (kurtosis 9/5).
    """
    return lambda d_k, _d_model: (kurtosis**2 - 3.0) / d_k


def _independent(draw: Draw) -> Callable[[int, int, int, int], Array]:
    """Scores of vectors with independent components."""
    return lambda seed, d_k, _d_model, draws: _products(seed, d_k, draws, draw)


def _products(seed: int, d_k: int, draws: int, draw: Draw) -> Array:
    """Dot products (draws,), coordinate by coordinate: no array is larger than the answer, and every stream nests."""
    scores = np.zeros(draws)
    for index in range(d_k):
        product = draw(generator(seed, "sample_query", index), draws)  # (draws,)
        product *= draw(generator(seed, "sample_key", index), draws)
        scores += product
    return scores


def _squares(seed: int, stream: str, d_model: int, draws: int) -> Array:
    """The squared norms (draws,) of standard normal tokens, coordinate by coordinate."""
    total = np.zeros(draws)
    for index in range(d_model):
        total += _normal(generator(seed, stream, index), draws) ** 2
    return total


def _xavier(seed: int, d_k: int, d_model: int, draws: int) -> Array:
    """Scores of x W_q and y W_k with new standard normal tokens x, y and new Xavier-normal matrices in each draw.

    Given x, the vector x W_q is norm(x) sqrt(2 / (d_model + d_k)) times a standard normal vector: the tokens
    are drawn in full, the matrices' d_model * d_k entries are not. (For one
    head with matrices of its own see head_scatter.)
    """
    norms = _squares(seed, "sample_token_query", d_model, draws)  # (draws,), norm(x)^2
    norms *= _squares(seed, "sample_token_key", d_model, draws)
    scores = _products(seed, d_k, draws, _normal)
    scores *= np.sqrt(norms) * (2.0 / (d_model + d_k))
    return scores


def _quick_normal(source: np.random.Generator, d_k: int, _d_model: int, draws: int) -> Array:
    """q.k = norm(q) z: given q it is normal with variance norm(q)^2, and norm(q)^2 is chi-square(d_k)."""
    scores = np.sqrt(source.chisquare(d_k, draws))
    scores *= source.standard_normal(draws)
    return scores


def _quick_uniform(source: np.random.Generator, d_k: int, _d_model: int, draws: int) -> Array:
    scores = np.zeros(draws)
    for _ in range(d_k):
        product = _uniform(source, draws)
        product *= _uniform(source, draws)
        scores += product
    return scores


def _quick_xavier(source: np.random.Generator, d_k: int, d_model: int, draws: int) -> Array:
    """As _xavier, with norm(x)^2 and norm(y)^2 chi-square(d_model)."""
    scores = _quick_normal(source, d_k, d_model, draws)
    scores *= np.sqrt(source.chisquare(d_model, draws) * source.chisquare(d_model, draws))
    scores *= 2.0 / (d_model + d_k)
    return scores


COMPONENTS: dict[str, Components] = {
    "normal": Components(_law, _excess(3.0), _independent(_normal), _quick_normal),
    "uniform": Components(
        _law, _excess(1.8), _independent(_uniform), _quick_uniform, quick_is_constant=False
    ),
    "xavier": Components(xavier_law, xavier_excess, _xavier, _quick_xavier, uses_d_model=True),
}
