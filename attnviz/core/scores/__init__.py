"""Score functions: how alike are a query and a key?

Each takes query (..., n, d_k) and key (..., m, d_k) and returns the scores (..., n, m), before any scale. One more is
one more record: in a file here with its line in SCORE_FUNCTIONS, or put into that dict by whoever imports this.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import told, whole
from ..streams import normal_matrix
from .angle import COSINE, cosine
from .distance import GAUSSIAN, gaussian
from .network import ADDITIVE, additive
from .products import DOT, GENERAL, dot, general
from .record import Parameter, ScoreFunction, checked_parameters

__all__ = [
    "SCORE_FUNCTIONS",
    "Parameter",
    "Score",
    "ScoreFunction",
    "additive",
    "checked_parameters",
    "cosine",
    "dot",
    "find_score",
    "gaussian",
    "general",
    "random_score_parameters",
]

Score = str | ScoreFunction | Callable[..., Array]


def find_score(score: Score) -> ScoreFunction:
    """The score function of this name, the record itself, or one made of a function(query, key) without parameters.

    Raises ValueError for an unknown name, naming those that there are, and for what is none of the three.
    """
    if isinstance(score, str) and score in SCORE_FUNCTIONS:
        return SCORE_FUNCTIONS[score]
    if isinstance(score, ScoreFunction):
        return score
    if callable(score):
        return ScoreFunction(getattr(score, "__name__", type(score).__name__), score)
    known = ", ".join(SCORE_FUNCTIONS)
    expected = known if isinstance(score, str) else f"{known}, or a function of query and key"
    raise ValueError(f"score must be one of {expected}; got {told(score)}")


def random_score_parameters(score: Score, *, d_k: int, num_heads: int, seed: int) -> dict[str, Any]:
    """The arrays a score function needs, drawn at random with 1/sqrt(fan-in), one per head.

    general: w (H, d_k, d_k); additive: w_query, w_key (H, a, d_k) and v (H, a) with a = d_k; else none.
    Raising num_heads or d_k moves no entry that was there, apart from the factor.
    """
    d_k, num_heads, seed = (
        whole("d_k", d_k, 1),
        whole("num_heads", num_heads, 1),
        whole("seed", seed, high=None),
    )
    size = {"d_k": d_k, "a": d_k}
    drawn: dict[str, Any] = {}
    for name, parameter in find_score(score).arrays.items():
        shape = [size[axis] for axis in parameter.axes]
        rows, columns = (1, *shape)[-2:]
        matrices = np.empty((num_heads, rows, columns))  # filled and scaled in place: they can be large
        for head in range(num_heads):
            matrices[head] = normal_matrix(seed, f"score_{name}", head, rows, columns)
        matrices /= np.sqrt(columns)
        drawn[name] = matrices.reshape(num_heads, *shape)
    return drawn


SCORE_FUNCTIONS: dict[str, ScoreFunction] = {
    "dot": DOT,
    "general": GENERAL,
    "additive": ADDITIVE,
    "cosine": COSINE,
    "gaussian": GAUSSIAN,
}
