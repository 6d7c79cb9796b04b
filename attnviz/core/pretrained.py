"""Real word vectors: an excerpt of GloVe 6B 50d (attnviz/data/README.md), and other languages' words for English ones."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np

from .arrays import Array, require_finite
from .streams import token_vector

COLUMNS = 50


@dataclass(frozen=True)
class Excerpt:
    """About 5,000 words and their vectors.

    A vector is factor * R (g - mean): g is GloVe's, mean the mean over the excerpt and R a rotation onto the
    principal axes. So the first d columns are the best d-dimensional picture of the words, for every d;
    distances between words are GloVe's times `factor`; and a coordinate's mean square is 1, as for N(0, 1).
    """

    words: tuple[str, ...]  # most frequent first
    vectors: Array  # (words, 50), read-only
    factor: float
    row_of: Mapping[str, int]


@cache
def excerpt() -> Excerpt:
    """The excerpt, read once in a process."""
    with (files("attnviz") / "data" / "word_vectors.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        words = tuple(stored["words"].tobytes().decode("utf-8").split("\n"))
        vectors = stored["codes"] * stored["scales"]  # (words, 50)
        factor = float(stored["factor"])
    vectors.flags.writeable = False
    return Excerpt(words, vectors, factor, MappingProxyType({word: row for row, word in enumerate(words)}))


@cache
def word_tables() -> Mapping[str, Mapping[str, str]]:
    """The hand-made tables by language: a word, or a piece of one as a segmenter yields it -> English word.

    A language has one where its folder of words has a file english.tsv.
    """
    folders = sorted((files("attnviz") / "words").iterdir(), key=lambda folder: folder.name)
    found = {folder.name: folder / "english.tsv" for folder in folders}
    return MappingProxyType(
        {name: _table(file.read_text("utf-8")) for name, file in found.items() if file.is_file()}
    )


def _table(text: str) -> Mapping[str, str]:
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({form: english for english, forms in lines for form in forms.split()})


def english_of(token: str) -> str | None:
    """The English word whose vector stands for a token of another language, or None: 猫 -> cat."""
    return next((table[token] for table in word_tables().values() if token in table), None)


def excerpt_word(token: str) -> str | None:
    """The word of the excerpt whose vector the token gets, or None where it has to be drawn.

    Case and full-width letters make no difference; words of other languages go by their tables.
    """
    plain = unicodedata.normalize("NFKC", token).lower().replace("\u2019", "'")
    if plain in excerpt().row_of:
        return plain
    return english_of(token) or english_of(plain)


def word_vector(token: str, seed: int, d_model: int) -> Array:
    """The token's vector, shape (d_model,): the excerpt's columns, then drawn ones from column 50 on.

    A token that the excerpt does not have is drawn throughout, from N(0, 1), as `token_vector` does.
    """
    word = excerpt_word(token)
    vector = token_vector(token, seed, d_model)
    if word is not None:
        known = excerpt().vectors[excerpt().row_of[word], :d_model]
        vector[: known.size] = known
    return vector


def word_vectors(tokens: Sequence[str], d_model: int, seed: int) -> tuple[Array, tuple[bool, ...]]:
    """The tokens' vectors, shape (n, d_model), and for each token whether the excerpt knows it.

    A known token has real numbers in the first min(d_model, 50) columns; all others are drawn with the seed.
    """
    vectors = [word_vector(token, seed, d_model) for token in tokens]
    known = tuple(excerpt_word(token) is not None for token in tokens)
    return np.array(vectors).reshape(len(tokens), d_model), known


def nearest(vector: Array, exclude: Iterable[str] = (), top: int = 5) -> list[tuple[str, float]]:
    """The words of the excerpt most like a vector of up to 50 columns, with their cosine, best first.

    A shorter vector, shape (d,), is compared in the first d columns. Raises ValueError for the zero vector,
    which has no direction, and for any other shape.
    """
    vector = np.asarray(vector, dtype=np.float64)
    if vector.ndim != 1 or not 1 <= vector.size <= COLUMNS:
        raise ValueError(f"vector must have shape (d,) with d from 1 to {COLUMNS}; got {vector.shape}")
    require_finite("vector", vector)
    length = np.linalg.norm(vector)
    if length == 0.0:
        raise ValueError("vector must not be zero: it has no direction")
    vectors = excerpt().vectors[:, : vector.size]
    lengths = np.linalg.norm(vectors, axis=1)
    cosines = vectors @ (vector / length) / np.where(lengths > 0.0, lengths, 1.0)  # (words,)
    cosines = np.clip(cosines, -1.0, 1.0)
    left_out = {excerpt_word(word) for word in exclude}
    order = (int(row) for row in np.argsort(-cosines, kind="stable"))
    rest = (row for row in order if excerpt().words[row] not in left_out)
    return [(excerpt().words[row], float(cosines[row])) for row, _ in zip(rest, range(top), strict=False)]


def combine(positive: Sequence[str], negative: Sequence[str] = (), columns: int = COLUMNS) -> Array:
    """The sum of some words' vectors less that of others, shape (columns,): king + woman - man.

    Raises ValueError for words that the excerpt does not have.
    """
    if not 1 <= columns <= COLUMNS:
        raise ValueError(f"columns must be from 1 to {COLUMNS}; got {columns}")
    unknown = [word for word in (*positive, *negative) if excerpt_word(word) is None]
    if unknown:
        raise ValueError(f"words must be in the excerpt; got {', '.join(map(repr, unknown))}")
    added = word_vectors(positive, columns, seed=0)[0].sum(axis=0)
    return np.asarray(added - word_vectors(negative, columns, seed=0)[0].sum(axis=0))


def analogy(
    positive: Sequence[str], negative: Sequence[str] = (), top: int = 5, columns: int = COLUMNS
) -> list[tuple[str, float]]:
    """The words nearest to a sum, with their cosine; the given words are left out (Mikolov et al. 2013).

    analogy(["king", "woman"], ["man"]) begins with queen.
    """
    return nearest(combine(positive, negative, columns), exclude=(*positive, *negative), top=top)
