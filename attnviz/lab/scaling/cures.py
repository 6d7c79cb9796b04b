"""Ways to keep softmax from hardening as d_k grows, the right one and the others, on the same random vectors."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lab.scaling.nested_draws import chi_squares, normal_rows


@dataclass(frozen=True)
class Knobs:
    """What the cures can be turned by: temperature (of "temperature"), beta (of "cosine"), d_model (of
    "sqrt_d_model"), and size, the standard deviation of a component of q and of k before any cure."""

    temperature: float = 8.0
    beta: float = 5.0
    d_model: int = 512
    size: float = 1.0

    def __post_init__(self) -> None:
        for name in ("temperature", "beta", "d_model", "size"):
            value = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise ValueError(f"{name} must be a positive number; got {value!r}")


@dataclass(frozen=True, eq=False)
class Pairs:
    """Queries, each with its own m keys, by all that a cure needs to know of them.

    dot (draws, m) is q.k; query_norm (draws, 1) and key_norm (draws, m) are the lengths.
    """

    d_k: int
    dot: Array
    query_norm: Array
    key_norm: Array

    @property
    def along(self) -> Array:
        """Each key's component in the direction of its query, shape (draws, m)."""
        return np.asarray(self.dot / self.query_norm)


def pairs_of(query: Array, key: Array) -> Pairs:
    """The pairs of given vectors: query (draws, d_k) and key (draws, m, d_k)."""
    return Pairs(
        d_k=query.shape[-1],
        dot=(key @ query[..., None])[..., 0],  # (draws, m)
        query_norm=np.linalg.norm(query, axis=-1, keepdims=True),
        key_norm=np.linalg.norm(key, axis=-1),
    )


def random_pairs(
    seed: int, num_keys: int, draws: int, d_k: Sequence[int], size: float = 1.0
) -> Iterator[Pairs]:
    """Pairs of vectors with independent N(0, size^2) components, for each of the ascending d_k.

    Exact without the vectors: norm(q)^2 is chi-square(d_k); a key's component z along q is normal whatever q,
    and the square of what is left of the key is chi-square(d_k - 1). A further key, draw or d_k keeps all
    that was drawn: z stays, the norms grow by further squares.
    """
    along = normal_rows(seed, "pair_along", num_keys, draws)  # (m, draws)
    query_squares = chi_squares(seed, "pair_query", d_k, (1, draws))
    across = chi_squares(seed, "pair_across", [size_ - 1 for size_ in d_k], (num_keys, draws))
    for width, query_square, rest in zip(d_k, query_squares, across, strict=True):
        query_norm = np.sqrt(query_square)  # (1, draws)
        rest += along**2
        yield Pairs(
            d_k=width,
            dot=np.ascontiguousarray((along * (query_norm * size**2)).T),
            query_norm=(query_norm * size).T,
            key_norm=np.ascontiguousarray(np.sqrt(rest).T) * size,
        )


def _none(pairs: Pairs, _: Knobs) -> Array:
    return pairs.dot


def _sqrt_d_k(pairs: Pairs, _: Knobs) -> Array:
    """q.k / sqrt(d_k) (Vaswani et al. 2017): variance 1 whatever d_k, as long as the components have variance 1."""
    return pairs.dot / math.sqrt(pairs.d_k)


def _sqrt_d_model(pairs: Pairs, knobs: Knobs) -> Array:
    """q.k / sqrt(d_model), the well-known mistake: too flat wherever d_k < d_model."""
    return pairs.dot / math.sqrt(knobs.d_model)


def _temperature(pairs: Pairs, knobs: Knobs) -> Array:
    """q.k / T with one T for all d_k (Hinton et al. 2015): right for d_k = T^2 only."""
    return pairs.dot / knobs.temperature


def _cosine(pairs: Pairs, knobs: Knobs) -> Array:
    """beta cos(q, k) (Graves et al. 2014; Swin V2, Liu et al. 2022): never beyond +-beta, flat where d_k is large."""
    cosine = pairs.dot / (pairs.query_norm * pairs.key_norm)
    return np.asarray(cosine * knobs.beta)


def _qk_norm(pairs: Pairs, _: Knobs) -> Array:
    """RMS-normalised q and k, then q.k / sqrt(d_k) = sqrt(d_k) cos(q, k) (RMSNorm: Zhang and Sennrich 2019).

    Of variance 1 whatever d_k and whatever the length of q and k. Layer normalisation (ViT-22B, Dehghani et
    al. 2023) takes away the mean first, which on normal components is the same with d_k - 1 in the place of
    d_k.
    """
    cosine = pairs.dot / (pairs.query_norm * pairs.key_norm)
    return np.asarray(cosine * math.sqrt(pairs.d_k))


CURES: dict[str, Callable[[Pairs, Knobs], Array]] = {
    "none": _none,
    "sqrt_d_k": _sqrt_d_k,
    "sqrt_d_model": _sqrt_d_model,
    "temperature": _temperature,
    "cosine": _cosine,
    "qk_norm": _qk_norm,
}
