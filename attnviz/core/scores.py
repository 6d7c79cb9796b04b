"""Score functions: how alike are a query and a key?

Each takes query (..., n, d_k) and key (..., m, d_k) and returns the scores (..., n, m), before any scale.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .arrays import Array, as_real, positive, require_finite
from .streams import normal_matrix


def dot(query: Array, key: Array) -> Array:
    """Scores q.k, the inner product of each query with each key (Luong et al. 2015).

    With the scale sqrt(d_k) it is the "scaled dot product" of Vaswani et al. 2017.
    """
    scores: Array = query @ key.mT  # (..., n, m)
    return scores


def general(query: Array, key: Array, *, w: Array) -> Array:
    """Scores q^T W k, the bilinear form (Luong et al. 2015); W = I gives dot.

    w has shape (d_k, d_k), or (H, d_k, d_k) for one matrix a head.
    """
    return dot(np.matmul(query, w), key)  # (..., n, m)


def additive(query: Array, key: Array, *, w_query: Array, w_key: Array, v: Array) -> Array:
    """Scores v . tanh(W_q q + W_k k), a network with one hidden layer (Bahdanau et al. 2014).

    w_query and w_key have shape (a, d_k) and v (a,), each with the heads in front where heads differ.
    "Concat" attention, v . tanh(W [q; k]), is the same thing with W = [W_q W_k].
    """
    hidden_query = np.matmul(query, w_query.swapaxes(-1, -2))  # (..., n, a)
    hidden_key = np.matmul(key, w_key.swapaxes(-1, -2))  # (..., m, a)
    # Query by query: all pairs at once would take n * m * a numbers.
    rows = [
        np.matmul(np.tanh(hidden_query[..., i, None, :] + hidden_key), v[..., None])[..., 0]  # (..., m)
        for i in range(query.shape[-2])
    ]
    return _stacked(rows, query, key)  # (..., n, m)


def cosine(query: Array, key: Array, *, beta: float = 5.0) -> Array:
    """Scores beta cos(q, k) = beta q.k / (norm(q) norm(k)) (Graves et al. 2014); a zero vector gives 0."""
    return dot(beta * _unit(query), _unit(key))  # (..., n, m)


def gaussian(query: Array, key: Array, *, sigma: float = 1.0) -> Array:
    """Scores -norm(q - k)^2 / (2 sigma^2): after softmax the Nadaraya-Watson kernel regression of 1964."""
    # Query by query: the differences keep every digit where q and k are close; norms and a product do not.
    rows = []
    for i in range(query.shape[-2]):
        difference = query[..., i, None, :] - key  # (..., m, d_k)
        rows.append(np.einsum("...mc,...mc->...m", difference, difference))  # (..., m)
    return np.subtract(0.0, _stacked(rows, query, key) / (2.0 * sigma**2))  # (..., n, m), never -0.0


def _unit(vectors: Array) -> Array:
    """The vectors, each divided by its norm; zero vectors stay zero."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    safe = vectors / np.where(largest > 0.0, largest, 1.0)  # no square of this overflows
    norm = np.linalg.norm(safe, axis=-1, keepdims=True)
    return np.asarray(safe / np.where(norm > 0.0, norm, 1.0))


def _stacked(rows: list[Array], query: Array, key: Array) -> Array:
    """The rows of scores as one array, also where there is no row."""
    if rows:
        return np.stack(rows, axis=-2)  # (..., n, m)
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    return np.zeros((*leading, 0, key.shape[-2]), query.dtype)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a score function: a number with limits, or an array (without default and limits)."""

    default: float | None
    low: float | None
    high: float | None
    kind: Literal["number", "array"]
    axes: tuple[str, ...] = ()
    """The names of an array's axes, without the heads'."""


@dataclass(frozen=True, eq=False)
class ScoreFunction:
    """A score function with what is known of it.

    symmetric: s(q, k) = s(k, q), so that swapping Q and K transposes the scores.
    homogeneous: s(c q, k) = c s(q, k).
    bounded: no scores beyond a limit that does not depend on the size of q and k.
    """

    name: str
    function: Callable[..., Array]
    row_formula: str
    column_formula: str
    source: str
    symmetric: bool
    homogeneous: bool
    bounded: bool
    default_scale: Literal["sqrt_d_k", "none"]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


def random_score_parameters(score: str, *, d_k: int, num_heads: int, seed: int) -> dict[str, Any]:
    """The arrays a score function needs, drawn at random with 1/sqrt(fan-in), one per head.

    general: w (H, d_k, d_k); additive: w_query, w_key (H, a, d_k) and v (H, a) with a = d_k; else none.
    Raising num_heads or d_k moves no entry that was there, apart from the factor.
    """
    size = {"d_k": d_k, "a": d_k}
    drawn: dict[str, Any] = {}
    for name, parameter in find_score(score).parameters.items():
        if parameter.kind == "array":
            shape = [size[axis] for axis in parameter.axes]
            rows, columns = (1, *shape)[-2:]
            heads = [normal_matrix(seed, f"score_{name}", head, rows, columns) for head in range(num_heads)]
            drawn[name] = np.stack(heads).reshape(num_heads, *shape) / np.sqrt(columns)
    return drawn


def find_score(name: str) -> ScoreFunction:
    """The score function of this name; ValueError names those that there are."""
    if name not in SCORE_FUNCTIONS:
        raise ValueError(f"score must be one of {', '.join(SCORE_FUNCTIONS)}; got {name!r}")
    return SCORE_FUNCTIONS[name]


def checked_parameters(
    score: ScoreFunction,
    given: Mapping[str, Any],
    dtype: np.dtype[Any],
    d_k: int,
    num_heads: int | None = None,
) -> dict[str, Array | float]:
    """The parameters for a score function: arrays as this dtype, defaults filled in.

    Raises ValueError for a parameter that is unknown or missing, an array of another shape or that is not finite
    (num_heads, where given, is the only number of heads that an array may have), a number that is not positive.
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
            checked[name] = positive(name, value)
        else:
            checked[name] = _checked_array(name, value, parameter.axes, sizes, num_heads).astype(
                dtype, copy=False
            )
    return checked


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


SCORE_FUNCTIONS: dict[str, ScoreFunction] = {
    entry.name: entry
    for entry in (
        ScoreFunction(
            name="dot",
            function=dot,
            row_formula=r"S = Q K^{\top}",
            column_formula=r"S = K^{\top} Q",
            source="Luong et al. 2015",
            symmetric=True,
            homogeneous=True,
            bounded=False,
            default_scale="sqrt_d_k",
        ),
        ScoreFunction(
            name="general",
            function=general,
            row_formula=r"S = Q W K^{\top}",
            column_formula=r"S = K^{\top} W^{\top} Q",
            source="Luong et al. 2015",
            symmetric=False,
            homogeneous=True,
            bounded=False,
            default_scale="sqrt_d_k",
            parameters={"w": Parameter(None, None, None, "array", ("d_k", "d_k"))},
        ),
        ScoreFunction(
            name="additive",
            function=additive,
            row_formula=r"s_{ij} = \tanh(q_i W_q^{\top} + k_j W_k^{\top})\, v^{\top}",
            column_formula=r"s_{ji} = v^{\top} \tanh(W_q q_i + W_k k_j)",
            source="Bahdanau et al. 2014",
            symmetric=False,
            homogeneous=False,
            bounded=True,
            default_scale="none",
            parameters={
                "w_query": Parameter(None, None, None, "array", ("a", "d_k")),
                "w_key": Parameter(None, None, None, "array", ("a", "d_k")),
                "v": Parameter(None, None, None, "array", ("a",)),
            },
        ),
        ScoreFunction(
            name="cosine",
            function=cosine,
            row_formula=r"s_{ij} = \beta\, \frac{q_i k_j^{\top}}{\lVert q_i \rVert \lVert k_j \rVert}",
            column_formula=r"s_{ji} = \beta\, \frac{k_j^{\top} q_i}{\lVert k_j \rVert \lVert q_i \rVert}",
            source="Graves et al. 2014; Liu et al. 2022 (Swin V2)",
            symmetric=True,
            homogeneous=False,
            bounded=True,
            default_scale="none",
            parameters={"beta": Parameter(5.0, 0.1, 50.0, "number")},
        ),
        ScoreFunction(
            name="gaussian",
            function=gaussian,
            row_formula=r"s_{ij} = -\frac{\lVert q_i - k_j \rVert^2}{2 \sigma^2}",
            column_formula=r"s_{ji} = -\frac{\lVert k_j - q_i \rVert^2}{2 \sigma^2}",
            source="Nadaraya 1964; Watson 1964; Kim et al. 2021",
            symmetric=True,
            homogeneous=False,
            bounded=False,
            default_scale="none",
            parameters={"sigma": Parameter(1.0, 0.1, 50.0, "number")},
        ),
    )
}
