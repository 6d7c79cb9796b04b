"""The trace: every number of one pass through multi-head attention. Everything else in the project looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from .arrays import Array
from .masks import Keep, empty_rows

if TYPE_CHECKING:
    from .layer import MultiHeadAttention


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every number of one pass through multi-head attention; H heads, n queries, m keys.

    query, key and value are views of one product (of two where there is a source), head_outputs are views of
    concat; scaled is the same array as scores where nothing changes them; keep is as given, as truth values, None
    without a mask. layer holds the parameters, score_parameters those of the score function; scale is the number
    that divided the scores; residual says whether x was added to the output.
    """

    layer: "MultiHeadAttention"
    x: Array  # (n, d_model)
    x_source: Array  # (m, d_model)
    query: Array  # (H, n, d_k)
    key: Array  # (H, m, d_k)
    value: Array  # (H, m, d_v)
    scores: Array  # (H, n, m)
    scaled: Array  # (H, n, m)
    keep: Keep | None  # broadcasts to (H, n, m)
    weights: Array  # (H, n, m)
    head_outputs: Array  # (H, n, d_v)
    concat: Array  # (n, H * d_v)
    contributions: Array  # (H, n, d_model)
    output: Array  # (n, d_model)
    scale: float
    residual: bool
    score_parameters: Mapping[str, Array | float]

    @classmethod
    def of(cls, numbers: dict[str, Any]) -> Self:
        """The same as cls(**numbers), in a third of the time: a frozen dataclass sets its fields one by one."""
        trace = object.__new__(cls)
        object.__setattr__(trace, "__dict__", numbers)
        return trace

    @property
    def empty_rows(self) -> Keep:
        """The queries of each head that may look at nothing, shape (H, n): weights and head outputs are 0."""
        return empty_rows(self.keep, self.weights.shape)
