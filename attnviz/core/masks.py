"""Masks: who may look at whom? True means "may look at", everywhere; masks combine by AND."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Keep = NDArray[np.bool_]


def causal_mask(n: int, m: int, align: str = "top_left") -> Keep:
    """Each query may look at keys up to its own position, shape (n, m).

    align says where its own position is when n != m: "top_left" j <= i (both sequences start together),
    "bottom_right" j <= i + m - n (both end together: the queries are the last n of m tokens).
    """
    if align not in ("top_left", "bottom_right"):
        raise ValueError(f"align must be 'top_left' or 'bottom_right'; got {align!r}")
    return np.tri(n, m, 0 if align == "top_left" else m - n, dtype=np.bool_)


def padding_mask(n: int, m: int, length: int) -> Keep:
    """Each query may look at the first `length` keys, shape (n, m): padding is a matter of columns."""
    return np.broadcast_to(np.arange(m) < length, (n, m)).copy()


def window_mask(n: int, m: int, left: int, right: int | None = None) -> Keep:
    """Each query i may look at the keys i - left to i + right, shape (n, m); right is left if not given."""
    distance = np.arange(m) - np.arange(n)[:, None]  # (n, m), j - i
    return (distance >= -left) & (distance <= (left if right is None else right))


def as_keep(mask: ArrayLike) -> Keep:
    """The mask as truth values; floats 0 (may look at) and -inf (may not) mean the same mask.

    Raises ValueError for other numbers: a 0/1 mask read as numbers to add would let the future be seen,
    and other numbers to add to the scores are a bias.
    """
    array = np.asarray(mask)
    if array.dtype == np.bool_:
        return array
    kept = array == 0.0
    if array.dtype.kind != "f" or not np.all(kept | np.isneginf(array)):
        found = array.dtype if array.dtype.kind != "f" else array[~kept & ~np.isneginf(array)][0]
        raise ValueError(f"keep must hold True and False, or 0.0 and -inf; got {found}")
    return np.asarray(kept)


def combine(*masks: ArrayLike) -> Keep:
    """Where every mask says True, over broadcast shapes."""
    kept = np.asarray(True)
    for mask in masks:
        kept = np.logical_and(kept, as_keep(mask))
    return kept


def empty_rows(keep: Keep | None, shape: tuple[int, ...]) -> Keep:
    """Which rows of weights of this shape (..., n, m) have no key to look at, shape (..., n)."""
    if keep is None:
        return np.full(shape[:-1], shape[-1] == 0)
    return np.asarray(~np.broadcast_to(keep, shape).any(axis=-1))


@dataclass(frozen=True)
class MaskRule:
    """A mask by name: a function of (n, m) and of the named parameters of keep_mask."""

    function: Callable[..., Keep]
    parameters: tuple[str, ...] = ()


def keep_mask(
    names: Iterable[str],
    n: int,
    m: int,
    *,
    length: int | None = None,
    window: int = 1,
    drawn: ArrayLike | None = None,
) -> Keep:
    """The masks of these names combined by AND, shape (n, m).

    length: how many keys are not padding (all if not given); window: how far "window" reaches to each side;
    drawn: one more mask, drawn by hand.
    """
    values = {"length": m if length is None else length, "window": window}
    kept = np.ones((n, m), np.bool_) if drawn is None else np.broadcast_to(as_keep(drawn), (n, m)).copy()
    for name in names:
        if name not in MASKS:
            raise ValueError(f"mask must be one of {', '.join(MASKS)}; got {name!r}")
        rule = MASKS[name]
        kept &= rule.function(n, m, *(values[parameter] for parameter in rule.parameters))
    return kept


def _all(n: int, m: int) -> Keep:
    return np.ones((n, m), np.bool_)


def _bottom_right(n: int, m: int) -> Keep:
    return causal_mask(n, m, "bottom_right")


MASKS: dict[str, MaskRule] = {
    "none": MaskRule(_all),
    "causal": MaskRule(causal_mask),
    "causal_bottom_right": MaskRule(_bottom_right),
    "window": MaskRule(window_mask, ("window",)),
    "padding": MaskRule(padding_mask, ("length",)),
}
