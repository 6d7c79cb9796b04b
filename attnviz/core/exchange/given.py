"""One layer's parameters in another library's shapes, and the two ways to ours: split by heads, or only turned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, as_real
from .errors import ExchangeError


@dataclass(frozen=True)
class Given:
    """Arrays by what they are to us (w_q ... b_o, and w_qkv, b_qkv where one array serves all three).

    `spelled` says how their own library calls them; `num_heads` is needed where the shapes do not tell it.
    """

    arrays: Mapping[str, Any]
    spelled: Mapping[str, str]
    num_heads: int | None = None

    def as_floats(self) -> "Given":
        """The same in floating-point numbers."""
        arrays = {role: floats(self.spelled[role], values) for role, values in self.arrays.items()}
        return Given(arrays, self.spelled, self.num_heads)

    def wrong(self, role: str, expected: str, found: object, **values: object) -> ExchangeError:
        """What is to be said about one of the arrays."""
        return ExchangeError(self.spelled[role], expected, str(found), **values)


def floats(name: str, values: ArrayLike) -> Array:
    """The values as floating-point numbers, bfloat16 (of ml_dtypes) as float32, which holds it exactly.

    Raises ExchangeError for whole numbers: so are matrices kept that were quantised, and their scale is elsewhere.
    """
    try:
        array: Array = np.asarray(values)
    except (
        TypeError,
        RuntimeError,
    ) as error:  # a tensor of a type that NumPy does not have, or with a gradient
        raise ExchangeError(name, "numpy", str(error)) from None
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind != "f":
        raise ExchangeError(name, "floats", str(array.dtype))
    return as_real(name, array)


def split_by_heads(given: Given, *, out_first: bool, parts: Sequence[int] | None = None) -> dict[str, Array]:
    """Our parameters from matrices in which the heads stand side by side.

    `out_first`: a matrix is (columns, d_model), as PyTorch's Linear keeps it, else (d_model, columns). `parts` are
    the columns of query, key and value in w_qkv, by default three equal ones. Raises ExchangeError.
    """
    heads, flat = _heads(given), {}
    for role, array in given.arrays.items():
        if array.ndim != len(AXES[role]):
            raise given.wrong(role, "array", array.shape, axes=_words(role, out_first))
        flat[role] = array.T if out_first else array
    spelled = dict(given.spelled)
    _take_apart(given, flat, spelled, parts)
    _check(Given(flat, spelled, heads), out_first)

    made = {}
    for role, array in flat.items():
        if role.startswith("b"):
            made[role] = array if role == "b_o" else array.reshape(heads, -1)  # (H, d_k), (H, d_v)
        elif role == "w_o":
            made[role] = array.reshape(heads, -1, array.shape[1])  # (H, d_v, d_model)
        else:
            made[role] = array.reshape(len(array), heads, -1).swapaxes(
                0, 1
            )  # (H, d_model, d_k), (H, d_model, d_v)
    return made


def _take_apart(
    given: Given, flat: dict[str, Array], spelled: dict[str, str], parts: Sequence[int] | None
) -> None:
    """Put w_q, w_k, w_v in place of w_qkv, and b_q, b_k, b_v in place of b_qkv."""
    if "w_qkv" in flat:
        columns = flat["w_qkv"].shape[1]
        if parts is None:
            if columns % 3:
                raise given.wrong("w_qkv", "thirds", columns)
            parts = [columns // 3] * 3
        if len(parts) != 3 or sum(parts) != columns or parts[0] != parts[1] or min(parts) < 1:
            raise given.wrong("w_qkv", "parts", list(parts), count=columns)
    if parts is None:
        parts = [flat[role].shape[1] for role in ("w_q", "w_k", "w_v")]
    for kind in ("w", "b"):
        if (fused := f"{kind}_qkv") in flat:
            array = flat.pop(fused)
            if array.shape[-1] != sum(parts):
                raise given.wrong(fused, "shape", array.shape, axes=_words(fused, False), shape=(sum(parts),))
            pieces = np.split(array, np.cumsum(parts)[:2], axis=-1)
            for name, piece in zip("qkv", pieces, strict=True):
                flat[f"{kind}_{name}"], spelled[f"{kind}_{name}"] = piece, spelled[fused]


def _check(given: Given, out_first: bool) -> None:
    """Raise ExchangeError where the matrices (d_model, columns), or biases, do not fit together."""
    d_model, keys = given.arrays["w_q"].shape
    sizes = {"d_model": d_model, "H × d_k": keys, "H × d_v": given.arrays["w_v"].shape[1]}
    for role in ROLES:
        if role not in given.arrays:
            continue
        shape, expected = given.arrays[role].shape, tuple(sizes[axis] for axis in AXES[role])
        if shape != expected:
            shared = role == "w_k" and shape[0] == d_model and shape[1] < keys
            shown, found = (expected[::-1], shape[::-1]) if out_first else (expected, shape)
            words = _words(role, out_first)
            raise given.wrong(role, "grouped" if shared else "shape", found, axes=words, shape=shown)
    for role, columns in (("w_q", "H × d_k"), ("w_v", "H × d_v")):
        if sizes[columns] % (given.num_heads or 1):
            raise given.wrong(role, "divides", sizes[columns], heads=given.num_heads)


def _heads(given: Given) -> int:
    """num_heads, where it is a whole number above 0."""
    try:
        heads = index(given.num_heads)  # type: ignore[arg-type]  # what is no whole number is refused here
    except TypeError:
        heads = 0
    if heads < 1:
        raise ExchangeError("num_heads", "heads", "" if given.num_heads is None else repr(given.num_heads))
    return heads


def _words(role: str, out_first: bool) -> str:
    axes = AXES[role][::-1] if out_first else AXES[role]
    return f"({', '.join(axes)})"


AXES: dict[str, tuple[str, ...]] = {
    "w_q": ("d_model", "H × d_k"),
    "w_k": ("d_model", "H × d_k"),
    "w_v": ("d_model", "H × d_v"),
    "w_o": ("H × d_v", "d_model"),
    "b_q": ("H × d_k",),
    "b_k": ("H × d_k",),
    "b_v": ("H × d_v",),
    "b_o": ("d_model",),
    "w_qkv": ("d_model", "H × d_k + H × d_k + H × d_v"),
    "b_qkv": ("H × d_k + H × d_k + H × d_v",),
}
ROLES = tuple(role for role in AXES if not role.endswith("qkv"))
