"""Word arithmetic as a reader types it: "king - man + woman" becomes vectors, their sum and what lies near it."""

import difflib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import regex

from attnviz.core.arrays import Array
from attnviz.core.pretrained import COLUMNS, combine, excerpt, excerpt_word, nearest

MOST_TERMS = 8
MOST_WORDS = 16
TOP = 5
_SIGN = regex.compile(r"[+\-\u2010-\u2015\u2212]")  # plus; hyphens, dashes and the minus sign
_BETWEEN = regex.compile(r"[\s,;/、，；・]+")


@dataclass(frozen=True)
class Term:
    """One word of a sum: as typed, and the word of the excerpt whose vector it gets (None: there is none)."""

    text: str
    sign: int  # 1 or -1
    word: str | None


class Arrow(NamedTuple):
    """A move in the space of words; `given` tells a difference of two given words from the way to the sum."""

    start: Array  # (50,)
    end: Array  # (50,)
    given: bool


@dataclass(frozen=True, eq=False)
class WordSum:
    """A sum of word vectors: its terms, the vector (None without a known word, or 0), and the words nearest to it.

    `found` leaves the given words out, `first` does not; both are (word, cosine), best first.
    """

    terms: tuple[Term, ...]
    vector: Array | None  # (50,)
    found: tuple[tuple[str, float], ...] = ()
    first: tuple[str, float] | None = None

    @property
    def known(self) -> tuple[Term, ...]:
        """The terms that have a vector."""
        return tuple(term for term in self.terms if term.word is not None)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that have none, as typed."""
        return tuple(term.text for term in self.terms if term.word is None)


def read_sum(text: str) -> tuple[Term, ...]:
    """The terms of a text like "king - man + woman", at most MOST_TERMS; blanks and stray signs are passed over."""
    plain = unicodedata.normalize("NFKC", text)
    terms, sign, start = [], 1, 0
    for end, following in [*((m.start(), m.group()) for m in _SIGN.finditer(plain)), (len(plain), "")]:
        word = " ".join(plain[start:end].split())
        if word:
            terms.append(Term(word, sign, excerpt_word(word)))
        sign, start = (1 if following == "+" else -1), end + 1
    return tuple(terms[:MOST_TERMS])


def add_up(terms: Sequence[Term], columns: int = COLUMNS) -> WordSum:
    """The sum of the known terms in the first `columns` columns, and the words whose direction is nearest."""
    words = [(term.word, term.sign) for term in terms if term.word is not None]
    if not words:
        return WordSum(tuple(terms), None)
    vector = combine([w for w, sign in words if sign > 0], [w for w, sign in words if sign < 0], columns)
    if not np.abs(vector).max() > 1e-9:  # king - king, up to rounding
        return WordSum(tuple(terms), None)
    left_out = [word for word, _ in words]
    return WordSum(tuple(terms), vector, tuple(nearest(vector, left_out, TOP)), nearest(vector, (), 1)[0])


def arrows(total: WordSum) -> tuple[Arrow, ...]:
    """The sum as moves: a - b + c is the arrow from b to a, laid on c. None where there is no sum.

    What is subtracted is paired with what is added, in their order; the way starts at the first word left over,
    at 0 (the mean of all words) where there is none.
    """
    if total.vector is None:
        return ()
    added = [_vector(term) for term in total.known if term.sign > 0]
    taken = [_vector(term) for term in total.known if term.sign < 0]
    pairs = list(zip(added, taken, strict=False))
    left = added[len(pairs) :]
    at = left[0] if left else np.zeros(COLUMNS)
    moves = [a - b for a, b in pairs] + left[1:] + [-b for b in taken[len(pairs) :]]
    found = [Arrow(b, a, True) for a, b in pairs]
    for move in moves:
        found.append(Arrow(at, at + move, False))
        at = at + move
    return tuple(found)


def read_words(text: str) -> tuple[str, ...]:
    """The different words of a list typed with blanks or commas between them, at most MOST_WORDS."""
    plain = unicodedata.normalize("NFKC", text)
    return tuple(dict.fromkeys(word for word in _BETWEEN.split(plain) if word))[:MOST_WORDS]


def suggestions(word: str, most: int = 3) -> tuple[str, ...]:
    """Words of the excerpt that are written much like this one."""
    return tuple(difflib.get_close_matches(word.lower(), excerpt().words, most, 0.75))


def _vector(term: Term) -> Array:
    return combine([term.word or ""])
