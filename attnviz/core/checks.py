"""What a caller may give: sizes, yes or no, names, tokens, shapes that fit. Each message: what, expected, got."""

import reprlib
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LARGEST = 2**24  # of a size: the product of two, in bytes, still fits any integer


def told(value: object) -> str:
    """The value as a message shows it: short, and an array by its shape."""
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else reprlib.repr(value)


def whole(name: str, value: object, low: int = 0, high: int | None = LARGEST) -> int:
    """The value as a Python integer, which cannot wrap; ValueError unless it is one from low to high."""
    if value.__class__ is int and low <= value and (high is None or value <= high):  # the usual one, at once
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = int(value)
        if low <= number and (high is None or number <= high):
            return number
    limits = f">= {low}" if high is None else f"from {low} to {high}"
    raise ValueError(f"{name} must be a whole number {limits}; got {told(value)}")


def flag(name: str, value: object) -> bool:
    """The value as True or False; ValueError for anything else, a text that means no among them."""
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    raise ValueError(f"{name} must be True or False; got {told(value)}")


def one_of(name: str, value: object, known: Collection[str]) -> str:
    """The value where it is one of the known names; ValueError names them otherwise."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name} must be one of {', '.join(known)}; got {told(value)}")


def texts(name: str, values: Any, example: str) -> list[str]:
    """The values as a list of strings, each of them a whole entry: a string alone would fall into its characters.

    ValueError for anything else, a set among them, which has no order.
    """
    plain = isinstance(values, Iterable) and not isinstance(values, str | bytes | bytearray | Mapping | Set)
    if not plain or (isinstance(values, np.ndarray) and values.ndim != 1):
        raise ValueError(f"{name} must be a list of strings, as {example}; got {told(values)}")
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise ValueError(f"{name} must be a list of strings, as {example}; got {told(value)} in it")
    return found


def require_known(names: Iterable[str], score: str, parameters: Collection[str]) -> None:
    """Raise ValueError for an argument that neither attention nor its score function has.

    What other libraries call it is answered with what it is called here, so that no mask is taken for its opposite.
    """
    for name in names:
        if name in FOREIGN and name not in parameters:
            raise ValueError(f"{FOREIGN[name]}; got {name}=")
        if name not in parameters:
            own = ", ".join(parameters) or "no parameters"
            known = f"{', '.join(OPTIONS)}, and score {score!r} takes {own}"
            raise ValueError(f"an argument must be one of {known}; got {name!r}")


def require_shapes(query: Array, key: Array, value: Array) -> None:
    """Raise ValueError unless query (..., n, d_k), key (..., m, d_k) and value (..., m, d_v) fit together."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 2:
            raise ValueError(f"{name} must have at least the axes (tokens, coordinates); got {array.shape}")
    if not query.shape[-1]:
        raise ValueError(f"query must have at least one coordinate; got {query.shape}")
    if key.shape[-1] != query.shape[-1]:
        raise ValueError(f"key must have shape (..., m, d_k={query.shape[-1]}); got {key.shape}")
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value must have shape (..., m={key.shape[-2]}, d_v); got {value.shape}")
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        _require_heads(query, key, value)


def _require_heads(query: Array, key: Array, value: Array) -> None:
    """Key and value have the same number of heads, or one for all; what stands before the heads broadcasts."""
    heads = [array.shape[-3] if array.ndim > 2 else 1 for array in (query, key, value)]
    if heads[1] != heads[2] and 1 not in heads[1:]:
        raise ValueError(f"value must have as many heads as key, {heads[1]}, or one; got {value.shape}")
    for name, array, count in (("key", key, heads[1]), ("value", value, heads[2])):
        if heads[0] != 1 and count != 1 and (count == 0 or heads[0] % count):
            raise ValueError(
                f"{name} must have a number of heads that divides the query's {heads[0]}; got {array.shape}"
            )
    try:
        np.broadcast_shapes(*(array.shape[:-3] for array in (query, key, value)))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in (query, key, value))
        raise ValueError(
            f"the axes before the heads of query, key and value must broadcast; got {shapes}"
        ) from None


def require_leading(shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ValueError unless the axes before the last two (heads, batches), by name, broadcast together."""
    if len(set(shapes.values())) == 1:
        return
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"axes before the last two must broadcast together; got {found}") from None


OPTIONS = (
    "score",
    "scale",
    "keep",
    "temperature",
    "softcap",
    "bias",
    "normalizer",
    "residual (of a layer)",
    "rotary (of a layer)",
)
_MASK = "the mask must be given as keep: True = may look at, False = may not (or floats 0 and -inf)"
_CAUSAL = f"{_MASK}; a causal one is keep=causal_mask(n, m)"
_PADDING = (
    f"{_MASK}; PyTorch's key_padding_mask means the opposite, so it is keep=~key_padding_mask[:, None, :]"
)
_DROPOUT = "dropout must be left out: the weights that are shown are those that are used"
FOREIGN = {
    **dict.fromkeys(("mask", "masks", "attn_mask", "attention_mask", "value_mask"), _MASK),
    **dict.fromkeys(("is_causal", "causal", "causal_mask", "use_causal_mask"), _CAUSAL),
    **dict.fromkeys(("key_padding_mask", "key_mask", "padding_mask", "src_key_padding_mask"), _PADDING),
    **dict.fromkeys(("dropout", "dropout_p", "training"), _DROPOUT),
}
