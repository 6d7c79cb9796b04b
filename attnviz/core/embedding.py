"""From tokens to vectors: ids, one-hot vectors, vectors drawn for each token, positions."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from .arrays import Array, as_real
from .checks import one_of, texts, told, whole
from .pretrained import word_vector
from .streams import token_vector

SPLIT = '"I have a pen .".split()'


def vocabulary(tokens: Sequence[str]) -> tuple[str, ...]:
    """The different tokens in the order in which they first appear."""
    return tuple(dict.fromkeys(texts("tokens", tokens, SPLIT)))


def token_ids(tokens: Sequence[str], words: Sequence[str]) -> Array:
    """The place of each token in the vocabulary, whole numbers, shape (n,)."""
    place = {word: index for index, word in enumerate(texts("words", words, SPLIT))}
    tokens = texts("tokens", tokens, SPLIT)
    missing = [token for token in tokens if token not in place]
    if missing:
        raise ValueError(f"every token must be in the vocabulary of {len(place)}; got {missing[0]!r}")
    return np.array([place[token] for token in tokens], dtype=np.int64)


def one_hot(ids: Array, size: int) -> Array:
    """Each id as a vector with a single 1, shape (n, size); its product with a table is the table's row."""
    size, places = whole("size", size), np.asarray(ids)
    if places.dtype.kind not in "iu" or (places.size and not 0 <= places.min() <= places.max() < size):
        raise ValueError(f"ids must be whole numbers from 0 to {size - 1}; got {told(ids)}")
    return np.asarray(np.eye(size)[places])


def embed(tokens: Iterable[str], d_model: int, seed: int = 0, kind: str = "normal") -> Array:
    """The tokens' vectors, shape (n, d_model): the same token has the same vector wherever it stands.

    kind is one of EMBEDDINGS: normal, integer, uniform, standardised, or pretrained (GloVe, where it has the token).
    """
    tokens, draw = texts("tokens", tokens, SPLIT), EMBEDDINGS[one_of("kind", kind, EMBEDDINGS)]
    d_model, seed = whole("d_model", d_model, 1), whole("seed", seed, high=None)
    vectors = {token: draw(token, seed, d_model) for token in dict.fromkeys(tokens)}
    return np.array([vectors[token] for token in tokens]).reshape(len(tokens), d_model)


def standardise(vectors: Array) -> Array:
    """The vectors, each with mean 0 and variance 1 over its coordinates (all 0 where they are all equal)."""
    vectors = as_real("vectors", vectors)
    centred = vectors - vectors.mean(axis=-1, keepdims=True)
    deviation = centred.std(axis=-1, keepdims=True)
    return np.asarray(centred / np.where(deviation > 0.0, deviation, 1.0))


def no_positions(n: int, d_model: int) -> Array:
    """Zeros, shape (n, d_model): the order of the tokens leaves no trace in x."""
    return np.zeros((whole("n", n), whole("d_model", d_model, 1)))


def sinusoidal(n: int, d_model: int) -> Array:
    """sin(i / 10000^(2 c / d_model)) in the columns 2 c, cos in the columns 2 c + 1, shape (n, d_model).

    Vaswani et al. 2017, section 3.5; an odd d_model ends with a sine.
    """
    n, d_model = whole("n", n), whole("d_model", d_model, 1)
    column = np.arange(d_model)
    angle = np.arange(n)[:, None] / 10000.0 ** ((column - column % 2) / d_model)  # (n, d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def _normal(token: str, seed: int, d_model: int) -> Array:
    return token_vector(token, seed, d_model, "normal")


def _integer(token: str, seed: int, d_model: int) -> Array:
    return token_vector(token, seed, d_model, "integer")


def _uniform(token: str, seed: int, d_model: int) -> Array:
    return token_vector(token, seed, d_model, "uniform")


def _standardised(token: str, seed: int, d_model: int) -> Array:
    return standardise(token_vector(token, seed, d_model, "normal"))


EMBEDDINGS: dict[str, Callable[[str, int, int], Array]] = {
    "normal": _normal,
    "integer": _integer,
    "uniform": _uniform,
    "standardised": _standardised,
    "pretrained": word_vector,  # reads its data file when first called
}

POSITIONS: dict[str, Callable[[int, int], Array]] = {"none": no_positions, "sinusoidal": sinusoidal}
