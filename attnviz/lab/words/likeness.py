"""Words against words: vectors that are learnt or drawn, and whether their likeness follows meaning."""

from collections.abc import Sequence

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.pretrained import COLUMNS, word_vectors
from attnviz.core.scores import cosine
from attnviz.core.streams import token_vector
from attnviz.lesson.settings import Settings, change

KINDS_OF_WORDS = (
    ("cat", "dog", "horse", "bird"),
    ("paris", "tokyo", "london", "rome"),
    ("king", "queen", "prince", "princess"),
)
COUNT = sum(map(len, KINDS_OF_WORDS))


def vectors_of(tokens: Sequence[str], kind: str, seed: int) -> Array:
    """The words' vectors (words, 50): real ones, or drawn from N(0, 1)."""
    if kind == "pretrained":
        return word_vectors(tokens, COLUMNS, seed)[0]
    return np.array([token_vector(word, seed, COLUMNS) for word in tokens]).reshape(len(tokens), COLUMNS)


def kept_together(kind: str, seed: int) -> int:
    """For how many of the words of KINDS_OF_WORDS the nearest other one (by cosine) is of the same kind."""
    names = [word for group in KINDS_OF_WORDS for word in group]
    groups = np.repeat(np.arange(len(KINDS_OF_WORDS)), [len(group) for group in KINDS_OF_WORDS])
    vectors = vectors_of(names, kind, seed)
    cosines = cosine(vectors, vectors, beta=1.0)
    np.fill_diagonal(cosines, -np.inf)
    return int((groups[cosines.argmax(axis=1)] == groups).sum())


def as_attention(settings: Settings, tokens: Sequence[str]) -> Settings:
    """The playground with these words, real vectors and W_q = W_k: there a score is their inner product."""
    return change(
        settings,
        sentence=" ".join(tokens),
        source="",
        tokenizer="words",
        embedding="pretrained",
        preset="similarity",
        score="dot",
        position="none",
        rotary=False,
        mask="none",
        bias=False,
        d_model=COLUMNS,
        d_k=COLUMNS,
        num_heads=1,
        stage="weights",
    )[0]
