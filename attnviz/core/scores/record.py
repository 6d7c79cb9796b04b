"""What a score function says of itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..arrays import Array, as_real, finite, positive, require_finite
from ..written import Pair, Written


@dataclass(frozen=True)
class Parameter:
    """A parameter of a score function: a number with a default and limits, or an array with axes.

    The axes of an array, without the heads', are named: d_k, or a for the width of a hidden layer. A number must be
    positive if its lowest is; power is the highest power in which the function takes it. symbol is how the formulas
    write the parameter in LaTeX, letter how a table does; its name where they are not given.
    """

    default: float | None = None
    low: float | None = None
    high: float | None = None
    axes: tuple[str, ...] = ()
    symbol: str = ""
    letter: str = ""
    power: int = 1

    def __post_init__(self) -> None:
        if not self.axes:
            low, default, high = self.low, self.default, self.high
            if low is None or default is None or high is None or not low <= default <= high:
                raise ValueError(f"a number must have low <= default <= high; got {(low, default, high)}")

    @property
    def kind(self) -> Literal["number", "array"]:
        """Whether it is a number or an array."""
        return "array" if self.axes else "number"


@dataclass(frozen=True, eq=False)
class ScoreFunction:
    """A score function with all that is known of it; whoever shows one, or counts what it costs, reads it here.

    function(query, key, **parameters) takes (..., n, d_k) and (..., m, d_k) and returns (..., n, m), before any scale.
    row_formula and column_formula are LaTeX for tokens as rows and as columns: of whole matrices (S, Q, K) or of one
    pair (s_{ij}, q_i, k_j), and of the parameters' symbols.
    symmetric: s(q, k) = s(k, q), so that swapping Q and K transposes the scores; homogeneous: s(c q, k) = c s(q, k);
    bounded: no scores beyond a limit that does not depend on the size of q and k.
    products_per_second: how many of the n m d_k coordinates of pairs it looks at in a second where it looks at every
    pair's vectors; infinite for a product of whole matrices.
    written: how one score is written out; None where it says only its name, its inputs and its value.
    """

    name: str
    function: Callable[..., Array]
    row_formula: str = ""
    column_formula: str = ""
    source: str = ""
    symmetric: bool = False
    homogeneous: bool = False
    bounded: bool = False
    default_scale: Literal["sqrt_d_k", "none"] = "none"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    products_per_second: float = 200_000_000
    written: Callable[[Pair], Written] | None = None

    @property
    def numbers(self) -> dict[str, Parameter]:
        """The parameters that are numbers."""
        return {name: p for name, p in self.parameters.items() if p.kind == "number"}

    @property
    def arrays(self) -> dict[str, Parameter]:
        """The parameters that are arrays."""
        return {name: p for name, p in self.parameters.items() if p.kind == "array"}

    def count(self, d_k: int) -> int:
        """How many numbers its arrays have in one head, the hidden layer as wide as d_k."""
        return sum(d_k ** len(parameter.axes) for parameter in self.arrays.values())


def checked_parameters(
    score: ScoreFunction,
    given: Mapping[str, Any],
    dtype: np.dtype[Any],
    d_k: int,
    num_heads: int | None = None,
) -> dict[str, Array | float]:
    """The parameters for a score function: arrays as this dtype, defaults filled in.

    Raises ValueError for a parameter that is unknown or missing, an array of another shape or that is not finite
    (num_heads, where given, is the only number of heads that an array may have), a number that is not positive or
    that this dtype cannot hold.
    """
    if not given and not score.parameters:
        return {}
    for name in given:
        if name not in score.parameters:
            known = ", ".join(score.parameters) or "no parameters"
            raise ValueError(f"score {score.name!r} takes {known}; got {name!r}")
    checked: dict[str, Array | float] = {}
    sizes = {"d_k": d_k}
    for name, parameter in score.parameters.items():
        value = given.get(name, parameter.default)
        if parameter.kind == "number":
            checked[name] = _checked_number(name, value, parameter, dtype)
        else:
            checked[name] = _checked_array(name, value, parameter.axes, sizes, num_heads).astype(
                dtype, copy=False
            )
    return checked


def _checked_number(name: str, value: Any, parameter: Parameter, dtype: np.dtype[Any]) -> float:
    if parameter.low is None or parameter.low > 0.0:
        return positive(name, value, dtype=dtype, power=parameter.power)
    return finite(name, value)


def _checked_array(
    name: str, value: Any, axes: tuple[str, ...], sizes: dict[str, int], num_heads: int | None
) -> Array:
    """The array of a parameter; a size not yet known (the hidden layer's) is learned from it."""
    words = ", ".join(f"{axis}={sizes[axis]}" if axis in sizes else axis for axis in axes)
    expected = f"{name} must have shape ({words}) or (H, {words})"
    if value is None:
        raise ValueError(f"{expected}; got nothing")
    array = as_real(name, value)
    own = array.shape[-len(axes) :]
    heads = array.shape[: -len(axes)]
    fits = len(own) == len(axes) and all(
        sizes.get(axis, size) == size for axis, size in zip(axes, own, strict=True)
    )
    if not fits or (num_heads is not None and heads not in ((), (1,), (num_heads,))):
        raise ValueError(f"{expected}; got {array.shape}")
    sizes |= zip(axes, own, strict=True)
    require_finite(name, array)
    return array
