"""The score that sees directions only."""

import math

import numpy as np

from ..arrays import Array, as_real
from ..written import Line, Pair, Written, number, products, sign
from .products import dot
from .record import Parameter, ScoreFunction


def cosine(query: Array, key: Array, *, beta: float = 5.0) -> Array:
    """Scores beta cos(q, k) = beta q.k / (norm(q) norm(k)) (Graves et al. 2014); a zero vector gives 0."""
    return dot(beta * _unit(as_real("query", query)), _unit(as_real("key", key)))  # (..., n, m)


def _unit(vectors: Array) -> Array:
    """The vectors, each divided by its norm; zero vectors stay zero."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    safe = vectors / np.where(largest > 0.0, largest, 1.0)  # no square of this overflows
    norm = np.linalg.norm(safe, axis=-1, keepdims=True)
    return np.asarray(safe / np.where(norm > 0.0, norm, 1.0))


def _written(pair: Pair) -> Written:
    query, key = pair.vectors
    lengths = float(np.linalg.norm(query)), float(np.linalg.norm(key))
    if not all(lengths):
        return Written((Line((sign("s"),), ((pair.score,),)),))
    inner = number(float(query @ key))
    first = Line((sign("q·k"),), products(pair.query, pair.key), inner)
    last = (
        pair.number("beta"),
        sign(" × "),
        inner,
        sign(" / ("),
        number(lengths[0], "query"),
        sign(" × "),
        number(lengths[1], "key"),
        sign(")"),
    )
    return Written((first, Line((sign("s"),), (last,), pair.score)))


COSINE = ScoreFunction(
    name="cosine",
    function=cosine,
    row_formula=r"s_{ij} = \beta\,\frac{q_i\,k_j^{\top}}{\lVert q_i\rVert\,\lVert k_j\rVert}",
    column_formula=r"s_{ji} = \beta\,\frac{k_j^{\top}\,q_i}{\lVert k_j\rVert\,\lVert q_i\rVert}",
    source="Graves et al. 2014; Liu et al. 2022 (Swin V2)",
    symmetric=True,
    homogeneous=False,
    bounded=True,
    default_scale="none",
    parameters={"beta": Parameter(5.0, 0.1, 50.0, symbol=r"\beta", letter="β")},
    products_per_second=math.inf,
    written=_written,
)
