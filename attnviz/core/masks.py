"""Masks: who may look at whom? True means "may look at", everywhere; masks combine by AND."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, as_array, require_broadcast
from .checks import one_of, texts, told, whole
from .sealed import sealed_copy

Keep = NDArray[np.bool_]


def causal_mask(n: int, m: int, align: str = "top_left") -> Keep:
    """Each query may look at keys up to its own position, shape (n, m).

    align says where its own position is when n != m: "top_left" j <= i (both sequences start together),
    "bottom_right" j <= i + m - n (both end together: the queries are the last n of m tokens).
    """
    n, m = whole("n", n), whole("m", m)
    if not isinstance(align, str) or align not in ("top_left", "bottom_right"):
        raise ValueError(f"align must be 'top_left' or 'bottom_right'; got {told(align)}")
    return np.tri(n, m, 0 if align == "top_left" else m - n, dtype=np.bool_)


def padding_mask(n: int, m: int, length: int) -> Keep:
    """Each query may look at the first `length` keys, shape (n, m): padding is a matter of columns."""
    n, m = whole("n", n), whole("m", m)
    return np.broadcast_to(np.arange(m) < whole("length", length), (n, m)).copy()


def window_mask(n: int, m: int, left: int, right: int | None = None) -> Keep:
    """Each query i may look at the keys i - left to i + right, shape (n, m); right is left if not given."""
    left, n, m = whole("left", left), whole("n", n), whole("m", m)
    right = left if right is None else whole("right", right)
    distance = np.arange(m) - np.arange(n)[:, None]  # (n, m), j - i
    return (distance >= -left) & (distance <= right)


def as_keep(mask: ArrayLike) -> Keep:
    """The mask as truth values; floats 0 (may look at) and -inf (may not) mean the same mask.

    Raises ValueError for other numbers: a 0/1 mask read as numbers to add would let the future be seen,
    and other numbers to add to the scores are a bias.
    """
    array = as_array("keep", mask)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind != "f":
        raise ValueError(f"keep must hold True and False, or 0.0 and -inf; got dtype {array.dtype}")
    kept = np.asarray(array == 0.0)
    wrong = array[~kept & ~np.isneginf(array)]
    if wrong.size:
        raise ValueError(f"keep must hold True and False, or 0.0 and -inf; got {wrong[0]}")
    return kept


def own_mask(keep: ArrayLike, tokens: Array) -> Keep:
    """A copy of the mask for these tokens; in a batch, (B, n, m) is one mask a sentence, for all its heads."""
    kept = sealed_copy(as_keep(keep))
    if tokens.ndim == 2 or kept.ndim != 3:
        return kept
    if len(kept) not in (1, len(tokens)):
        raise ValueError(f"keep must have one mask a sentence, ({len(tokens)}, n, m); got {kept.shape}")
    return kept[:, None]  # (B, 1, n, m)


def combine(*masks: ArrayLike) -> Keep:
    """Where every mask says True, over broadcast shapes."""
    kept = np.asarray(True)
    for mask in masks:
        given = as_keep(mask)
        try:
            kept = np.logical_and(kept, given)
        except ValueError:
            raise ValueError(
                f"masks must broadcast together; got shapes {kept.shape} and {given.shape}"
            ) from None
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
    n, m = whole("n", n), whole("m", m)
    values = {
        "length": m if length is None else whole("length", length), "window": whole("window", window)
    }  # fmt: skip
    kept = np.ones((n, m), np.bool_)
    if drawn is not None:
        by_hand = as_keep(drawn)
        require_broadcast("drawn", by_hand, kept.shape)
        kept &= by_hand
    for name in texts("names", names, '["causal", "padding"]'):
        rule = MASKS[one_of("mask", name, MASKS)]
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
