"""Two words of the sentence change places: what becomes of the outputs?"""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lesson.lesson import Lesson, call_arguments, embedded

MOST_TOKENS = 64  # of each sentence; two outputs of a long one would take seconds
ROUNDING = 1e-10  # of the largest output; sums in another order differ by about 1e-16


@dataclass(frozen=True, eq=False)
class Swap:
    """Outputs with two tokens swapped, the rows put back so that each stands where its word stood before."""

    one: int
    other: int
    order: tuple[int, ...]  # order[i] is the token that stands at place i after the swap
    before: Array  # (n, d_model)
    after: Array  # (n, d_model)

    @property
    def change(self) -> Array:
        """Of each token the largest change of an output number, shape (n,)."""
        return np.asarray(np.abs(self.after - self.before).max(axis=1))

    @property
    def changed(self) -> tuple[int, ...]:
        """The tokens whose output is another vector now, beyond what rounding does."""
        limit = ROUNDING * max(1.0, float(np.abs(self.before).max()))
        return tuple(np.flatnonzero(self.change > limit).tolist())


def swap(lesson: Lesson, one: int, other: int, position: str) -> Swap:
    """The lesson's layer on its sentence with the tokens `one` and `other` swapped, under these positions.

    Of long sentences the first MOST_TOKENS tokens are taken. With a second sentence that one stays as it is.
    Raises IndexError for a place outside the sentence.
    """
    n = taken(lesson)
    if not (0 <= one < n and 0 <= other < n):
        raise IndexError(f"one and other must be from 0 to {n - 1}; got {one} and {other}")
    order = list(range(n))
    order[one], order[other] = other, one
    before = _output(lesson, list(range(n)), position)
    after = _output(lesson, order, position)
    return Swap(one, other, tuple(order), before, after[order])  # the swap is its own inverse


def taken(lesson: Lesson) -> int:
    """How many tokens of the sentence take part."""
    return min(len(lesson.tokens.tokens), MOST_TOKENS)


def sees_order(lesson: Lesson) -> tuple[str, ...]:
    """The settings besides the positions that let the layer tell places apart: mask, rotary, bias_kind."""
    settings = lesson.settings
    names = {
        "mask": settings.mask != "none",
        "rotary": settings.rotary,
        "bias_kind": settings.bias_kind != "none",
    }
    return tuple(name for name, on in names.items() if on)


def _output(lesson: Lesson, order: list[int], position: str) -> Array:
    settings = replace(lesson.settings, position=position)
    tokens = replace(lesson.tokens, tokens=tuple(lesson.tokens.tokens[i] for i in order))
    source = replace(lesson.source, tokens=lesson.source.tokens[:MOST_TOKENS])
    x_source = embedded(settings, source) if lesson.cross else None  # (m, d_model)
    arguments = call_arguments(settings, len(order), len(source.tokens))
    return np.asarray(lesson.trace.layer(embedded(settings, tokens), x_source, **arguments).output)
