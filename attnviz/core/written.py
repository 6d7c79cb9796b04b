"""How arithmetic is written out: numbers and signs in lines, each number with its unrounded value and its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .arrays import Array


@dataclass(frozen=True)
class Cell:
    """One entry of one matrix of a trace; head, row and column count from 0."""

    matrix: str
    row: int
    column: int
    head: int = 0


@dataclass(frozen=True)
class Part:
    """A piece of a line: a number with its value, or a sign; `cell` is where the number stands."""

    text: str
    role: str = ""
    value: float | None = None
    cell: Cell | None = None


Term = tuple[Part, ...]


@dataclass(frozen=True)
class Line:
    """`left` = the terms, joined by `joiner`, between `open` and `close` = the result."""

    left: Term
    terms: tuple[Term, ...]
    result: Part | None = None
    joiner: str = " + "
    open: str = ""
    close: str = ""


@dataclass(frozen=True)
class Written:
    """The arithmetic of one number, its last line ending in it; `note` names a sentence of board.toml on it."""

    lines: tuple[Line, ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Pair:
    """One query and one key, with the score that a score function gave them: what its `written` is made from."""

    query: tuple[Part, ...]  # (d_k,)
    key: tuple[Part, ...]  # (d_k,)
    score: Part
    parameters: Mapping[str, Array | float]
    """The score function's, the arrays without the heads' axis."""

    @property
    def vectors(self) -> tuple[Array, Array]:
        """Query and key as arrays, (d_k,) each."""
        return values(self.query), values(self.key)

    def array(self, name: str) -> Array:
        """The array among the parameters that has this name."""
        return np.asarray(self.parameters[name])

    def number(self, name: str) -> Part:
        """The number among the parameters that has this name."""
        return number(float(self.parameters[name]))

    def entries(self, name: str) -> tuple[Part, ...]:
        """The numbers of a vector among the parameters, each with its place."""
        head = 0 if self.score.cell is None else self.score.cell.head
        return tuple(placed(v, Cell(f"score_{name}", 0, i, head)) for i, v in enumerate(self.array(name)))


@dataclass(frozen=True, eq=False)
class Row:
    """The scores of one query that the mask keeps, with their weights: what a normalizer's `written` is made from."""

    scores: tuple[Part, ...]
    weights: tuple[Part, ...]
    at: int
    """Which of them is asked about."""

    @property
    def score(self) -> Part:
        """The score that is asked about."""
        return self.scores[self.at]

    @property
    def weight(self) -> Part:
        """Its weight."""
        return self.weights[self.at]


def values(parts: Sequence[Part]) -> Array:
    """The unrounded values of numbers."""
    return np.array([part.value for part in parts], np.float64)


def shown(value: float, digits: int = 4) -> str:
    """So many significant digits with a true minus sign; whole numbers as such."""
    text = f"{value:.{digits}g}"
    return (text if float(text) else "0").replace("-", "−")


def number(value: float, role: str = "") -> Part:
    """A number that stands in no matrix on screen."""
    return Part(shown(value), role, value)


def placed(value: float, cell: Cell, role: str = "") -> Part:
    """A number that stands in a cell."""
    return Part(shown(float(value)), role, float(value), cell)


def sign(text: str) -> Part:
    """A sign between numbers."""
    return Part(text)


def products(left: Sequence[Part], right: Sequence[Part]) -> tuple[Term, ...]:
    """a x b for each pair, negative factors in brackets."""
    return tuple(bracketed((a, sign(" × "), b)) for a, b in zip(left, right, strict=True))


def bracketed(term: Term) -> Term:
    """The term with its negative numbers in brackets."""
    return tuple(
        replace(p, text=f"({p.text})") if p.text.startswith("−") and p.value is not None else p for p in term
    )


def pair_by_name(name: str, pair: Pair) -> Written:
    """What can be said of a score function that does not say how it computes: its name, its inputs, its value."""
    sides = (("q", pair.query), ("k", pair.key))
    inputs = tuple(
        Line((sign(letter),), tuple((p,) for p in parts), joiner=", ", open="(", close=")")
        for letter, parts in sides
    )
    return Written((*inputs, Line((sign("s"),), ((sign(f"{name}(q, k)"),),), pair.score)), "not_written")


def row_by_name(name: str, row: Row) -> Written:
    """The same for a normalizer: its name, the scores that it was given, and the weight."""
    scores = tuple((p,) for p in row.scores)
    inputs = Line((sign("m"),), scores, joiner=", ", open="(", close=")")
    weight = Line((sign("a"),), ((sign(f"{name}(m)"), indexed("", row.at + 1)),), row.weight)
    return Written((inputs, weight), "not_written")


def indexed(letter: str, index: int) -> Part:
    """A letter with a number below it."""
    return Part(letter + "".join(chr(ord("₀") + int(digit)) for digit in str(index)))
