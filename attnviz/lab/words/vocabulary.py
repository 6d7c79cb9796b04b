"""A vocabulary of the size that models have: the words of the excerpt of GloVe, then the sentence's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.embedding import embed
from attnviz.core.pretrained import excerpt, excerpt_word

AROUND = 2  # rows shown before and after the token's own


@dataclass(frozen=True, eq=False)
class Place:
    """A token's place in the vocabulary, and the rows of the embedding table round it."""

    size: int  # words in the vocabulary
    id: int
    ids: tuple[int, ...]  # of the rows shown
    words: tuple[str, ...]  # of the rows shown
    rows: NDArray[np.floating]  # (rows shown, d_model)

    @property
    def one_hot(self) -> NDArray[np.floating]:
        """The part of the token's one-hot vector that belongs to the rows shown, shape (rows shown,); the rest is 0."""
        return np.array([float(i == self.id) for i in self.ids])


def place(tokens: Sequence[str], position: int, *, kind: str, d_model: int, seed: int) -> Place:
    """Where the token at `position` stands in the vocabulary, and the vectors there.

    Real word vectors (kind "pretrained") treat letters of both cases, and a Japanese word and its
    English one, as one word; all others tell them apart.
    """
    known = excerpt().row_of
    entries = [(excerpt_word(token) if kind == "pretrained" else None) or token for token in tokens]
    added = list(dict.fromkeys(word for word in entries if word not in known))
    every = excerpt().words
    entry = entries[position]
    own = known[entry] if entry in known else len(every) + added.index(entry)
    size = len(every) + len(added)
    ids = range(max(own - AROUND, 0), min(own + AROUND + 1, size))
    words = tuple(every[i] if i < len(every) else added[i - len(every)] for i in ids)
    return Place(size, own, tuple(ids), words, embed(words, d_model, seed, kind))
