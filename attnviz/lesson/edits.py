"""Numbers put in by hand: cells of arrays that stand in place of what a lesson draws or sets there."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import Array
from attnviz.core.parameters import PARAMETER_AXES
from attnviz.core.scores import SCORE_FUNCTIONS

LARGEST = 1e6  # magnitude of a number: with any sizes and settings, every number of the trace stays finite
MOST_CELLS = 2**20  # cells put in by hand, of all arrays together: 16 MB
LONGEST_TEXT = 2000  # characters of edits that a link carries
SIDES = {"num_heads": 16}  # the longest sides of an array by the name of its axis
LONGEST_SIDE = 512
BETWEEN = "~"
KEPT = "kept~"  # begins a text that only names the edits, by their digest: they are where they were put in
FINGERPRINT = 6  # bytes


@dataclass(frozen=True, eq=False)
class Edit:
    """Cells of one array, put in by hand; the other cells stay as the lesson makes them.

    `at` counts the cells of the flattened array of this shape, ascending; `values` are what stands there.
    `tokens` is the fingerprint of the sentence that an edit of x or x_source was made for, else "".
    Raises ValueError for what does not fit together or is beyond the limits.
    """

    name: str
    shape: tuple[int, ...]
    at: NDArray[np.int64]
    values: NDArray[np.float64]
    tokens: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _frozen(self.at, np.int64))
        object.__setattr__(self, "values", _frozen(self.values, np.float64))
        _check_shape(self.name, self.shape)
        _check_tokens(self.name, self.tokens)
        _check_cells(self.name, self.at, self.values, math.prod(self.shape))

    @classmethod
    def whole(cls, name: str, values: ArrayLike, tokens: str = "") -> Self:
        """Every cell of an array."""
        array = np.asarray(values)
        return cls(name, array.shape, np.arange(array.size), array.ravel(), tokens)

    @property
    def key(self) -> tuple[str, tuple[int, ...], str]:
        """What it is an edit of: of two edits with the same key only one can be in force."""
        return self.name, self.shape, self.tokens

    @property
    def is_whole(self) -> bool:
        """Whether no cell is left as it was."""
        return len(self.at) == math.prod(self.shape)

    def applied(self, array: Array) -> Array:
        """A copy of the array with the cells put in; ValueError unless it has this edit's shape."""
        if array.shape != self.shape:
            raise ValueError(f"{self.name} must have shape {self.shape}; got {array.shape}")
        copy = array.copy(order="C")
        copy.reshape(-1)[self.at] = self.values
        return copy

    def changed(self, cells: Mapping[int, float | None]) -> "Edit":
        """The edit with these cells put in; None takes a cell out."""
        kept = ~np.isin(self.at, list(cells))
        put = {at: value for at, value in cells.items() if value is not None}
        at = np.concatenate([self.at[kept], np.array([*put], np.int64)])
        values = np.concatenate([self.values[kept], np.array([*put.values()], np.float64)])
        order = np.argsort(at, kind="stable")
        return Edit(self.name, self.shape, at[order], values[order], self.tokens)


@dataclass(frozen=True, eq=False)
class Edits:
    """All that was put in by hand. Edits of other sizes or sentences wait here until these come back.

    Two are equal, and have the same `digest`, where they put the same numbers into the same cells.
    Raises ValueError for two edits with the same key, and for more than MOST_CELLS cells.
    """

    entries: tuple[Edit, ...] = ()
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        entries = tuple(sorted((e for e in self.entries if len(e.at)), key=lambda e: e.key))
        for one, other in pairwise(entries):
            if one.key == other.key:
                raise ValueError(f"each array must be edited once; got {one.name} {one.shape} twice")
        object.__setattr__(self, "entries", entries)
        if self.count > MOST_CELLS:
            raise ValueError(f"at most {MOST_CELLS} cells can be put in by hand; got {self.count}")
        object.__setattr__(self, "digest", _digest(entries))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edits) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __bool__(self) -> bool:
        return bool(self.entries)

    @property
    def count(self) -> int:
        """How many cells were put in."""
        return sum(len(edit.at) for edit in self.entries)

    def find(self, name: str, shape: tuple[int, ...], tokens: str = "") -> Edit:
        """The edit of this array; one without cells where nothing was put in."""
        wanted = (name, shape, tokens)
        found = [edit for edit in self.entries if edit.key == wanted]
        return found[0] if found else Edit(name, shape, np.array([]), np.array([]), tokens)

    def put(self, edit: Edit) -> "Edits":
        """With this edit in place of the one with the same key."""
        return Edits((*(e for e in self.entries if e.key != edit.key), edit))

    def without(self, names: Iterable[str]) -> "Edits":
        """Without any edit of the arrays of these names."""
        dropped = set(names)
        return Edits(tuple(e for e in self.entries if e.name not in dropped))


@dataclass(frozen=True)
class Hand:
    """What the edits did to one lesson.

    `cells` says of each edited array which of its cells differ from the lesson without edits; `whole` names
    the arrays of which every cell was put in; `aside` are the edits that fit no array of this lesson.
    """

    cells: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    aside: tuple[Edit, ...] = ()

    @property
    def weights(self) -> tuple[str, ...]:
        """The names of the weight matrices, biases and score parameters that differ."""
        return tuple(name for name in self.cells if name not in (*BY_TOKENS, "keep"))


def put_in(
    edits: Edits, arrays: Mapping[str, Array], tokens: Mapping[str, str]
) -> tuple[dict[str, Array], Hand]:
    """The arrays with the edits that fit them, and what these did.

    `tokens` are the fingerprints of the sentences that x and x_source are made of.
    """
    made, cells, whole, aside = dict(arrays), {}, set(), []
    for edit in edits.entries:
        drawn = arrays.get(edit.name)
        if drawn is None or edit.key != (edit.name, drawn.shape, tokens.get(edit.name, "")):
            aside.append(edit)
            continue
        made[edit.name] = edit.applied(drawn)
        if edit.is_whole:
            whole.add(edit.name)
        differs = made[edit.name] != drawn
        if differs.any():
            cells[edit.name] = differs
    return made, Hand(cells, frozenset(whole), tuple(aside))


def fingerprint(tokens: Sequence[str]) -> str:
    """Twelve hexadecimal digits that stand for the tokens, the same on any machine."""
    return hashlib.blake2b(json.dumps(list(tokens)).encode(), digest_size=FINGERPRINT).hexdigest()


def sheet(name: str, array: Array, head: int) -> Array:
    """The array as the one matrix that is edited at a time: that of a head, or W_O as a whole."""
    if name == "w_o":
        return array.reshape(-1, array.shape[-1])
    return np.atleast_2d(array[head] if AXES[name][0] == "num_heads" else array)


def write_edits(edits: Edits) -> str:
    """The edits as a text for a link, which `read_edits` reads back bit for bit."""
    return (BETWEEN * 2).join(_write(edit) for edit in edits.entries)


@lru_cache(maxsize=64)
def read_edits(text: str) -> Edits:
    """The edits of such a text; ValueError where it is none."""
    return Edits(tuple(_read(part) for part in text.split(BETWEEN * 2))) if text else NO_EDITS


def _write(edit: Edit) -> str:
    cells = zip(edit.at.tolist(), edit.values.tolist(), strict=True)
    numbers = [text for at, value in cells for text in (str(at), repr(value).removesuffix(".0"))]
    head = [edit.name, "x".join(map(str, edit.shape)), *([edit.tokens] if edit.tokens else [])]
    return BETWEEN.join([*head, *numbers])


def _read(text: str) -> Edit:
    name, _, rest = text.partition(BETWEEN)
    shape, *fields = rest.split(BETWEEN)
    tokens = fields.pop(0) if name in BY_TOKENS and fields else ""
    at, values = fields[::2], fields[1::2]
    if not text.isascii() or len(at) != len(values) or not all(_is_plain(field) for field in fields):
        raise ValueError(f"edits must be places and numbers between {BETWEEN}; got {text[:40]!r}")
    sides = [int(side) if side.isdigit() and len(side) < 5 else 0 for side in shape.split("x")]
    places = [int(place) if place.isdigit() and len(place) < 10 else -1 for place in at]
    return Edit(name, tuple(sides), np.array(places), np.array([float(value) for value in values]), tokens)


def _is_plain(text: str) -> bool:
    """Whether float() would not read more into it than `_write` writes: underscores, blanks, names."""
    return bool(text) and set(text) <= set("0123456789.-+e")


def _frozen(values: ArrayLike, dtype: type) -> Array:
    array: Array = np.array(values, dtype=dtype).reshape(-1)
    array.flags.writeable = False
    return array


def _check_shape(name: str, shape: tuple[int, ...]) -> None:
    if name not in AXES:
        raise ValueError(f"only {', '.join(AXES)} can be edited; got {name!r}")
    axes = AXES[name]
    limits = [SIDES.get(axis, LONGEST_SIDE) for axis in axes]
    if len(shape) != len(axes) or not all(1 <= s <= most for s, most in zip(shape, limits, strict=True)):
        raise ValueError(f"{name} must have shape ({', '.join(axes)}), at most {tuple(limits)}; got {shape}")


def _check_tokens(name: str, tokens: str) -> None:
    if name not in BY_TOKENS:
        if tokens:
            raise ValueError(f"{name} belongs to no sentence; got tokens {tokens!r}")
    elif len(tokens) != 2 * FINGERPRINT or set(tokens) - set("0123456789abcdef"):
        raise ValueError(f"{name} must have the fingerprint of its tokens, 12 hex digits; got {tokens!r}")


def _check_cells(name: str, at: NDArray[np.int64], values: NDArray[np.float64], size: int) -> None:
    if len(at) != len(values):
        raise ValueError(f"{name} must have one value a cell; got {len(at)} cells, {len(values)} values")
    if len(at) and (at[0] < 0 or at[-1] >= size or (np.diff(at) <= 0).any()):
        raise ValueError(f"the cells of {name} must ascend from 0 to at most {size - 1}")
    good = np.isin(values, (0.0, 1.0)) if name == "keep" else np.abs(values) <= LARGEST
    if not good.all():
        found = values[~good][0]
        expected = "0 or 1" if name == "keep" else f"finite and at most {LARGEST:g} in magnitude"
        raise ValueError(f"{name} must be {expected}; got {found}")


def _digest(entries: Sequence[Edit]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for edit in entries:
        digest.update(json.dumps(edit.key).encode())
        digest.update(edit.at.astype("<i8").tobytes())
        digest.update(edit.values.astype("<f8").tobytes())
    return digest.hexdigest()


BY_TOKENS = ("x", "x_source")  # what belongs to a sentence, and not only to sizes


class _Axes(Mapping[str, tuple[str, ...]]):
    """Every array that can be edited, with its axes: those of the score functions that there are now among them."""

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    @staticmethod
    def _all() -> dict[str, tuple[str, ...]]:
        # A hidden layer is as wide as d_k.
        scores = {
            f"score_{name}": ("num_heads", *("d_k" for _ in parameter.axes))
            for score in SCORE_FUNCTIONS.values()
            for name, parameter in score.arrays.items()
        }
        inputs = {"x": ("n", "d_model"), "x_source": ("m", "d_model"), "keep": ("n", "m")}
        return PARAMETER_AXES | scores | inputs


AXES = _Axes()

NO_EDITS = Edits()
NO_HAND = Hand()
