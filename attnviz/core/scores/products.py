"""Scores that are products: the inner product, and the bilinear form."""

import math

import numpy as np

from ..arrays import Array, as_real
from ..written import Line, Pair, Written, number, products, sign
from .record import Parameter, ScoreFunction


def dot(query: Array, key: Array) -> Array:
    """Scores q.k, the inner product of each query with each key (Luong et al. 2015).

    With the scale sqrt(d_k) it is the "scaled dot product" of Vaswani et al. 2017.
    """
    if query.dtype.kind != "f" or key.dtype.kind != "f":  # whole numbers would wrap
        query, key = as_real("query", query), as_real("key", key)
    scores: Array = query @ key.mT  # (..., n, m)
    return scores


def general(query: Array, key: Array, *, w: Array) -> Array:
    """Scores q^T W k, the bilinear form (Luong et al. 2015); W = I gives dot.

    w has shape (d_k, d_k), or (H, d_k, d_k) for one matrix a head.
    """
    return dot(np.matmul(as_real("query", query), w), key)  # (..., n, m)


def _dot_written(pair: Pair) -> Written:
    return Written((Line((sign("s"),), products(pair.query, pair.key), pair.score),))


def _general_written(pair: Pair) -> Written:
    turned = pair.vectors[0] @ pair.array("w")  # (d_k,)
    turned_parts = [number(float(u), "query") for u in turned]
    first = Line((sign("qW"),), tuple((u,) for u in turned_parts), joiner=", ", open="(", close=")")
    return Written((first, Line((sign("s"),), products(turned_parts, pair.key), pair.score)))


DOT = ScoreFunction(
    name="dot",
    function=dot,
    row_formula=r"S = Q\;K^{\top}",
    column_formula=r"S = K^{\top}\;Q",
    source="Luong et al. 2015",
    symmetric=True,
    homogeneous=True,
    bounded=False,
    default_scale="sqrt_d_k",
    products_per_second=math.inf,
    written=_dot_written,
)

GENERAL = ScoreFunction(
    name="general",
    function=general,
    row_formula=r"S = Q\;W\;K^{\top}",
    column_formula=r"S = K^{\top}\;W^{\top}\;Q",
    source="Luong et al. 2015",
    symmetric=False,
    homogeneous=True,
    bounded=False,
    default_scale="sqrt_d_k",
    parameters={"w": Parameter(axes=("d_k", "d_k"), symbol="W")},
    products_per_second=math.inf,
    written=_general_written,
)
