"""Scores from a network with one hidden layer."""

import numpy as np

from ..arrays import Array, as_real
from ..written import Line, Pair, Written, bracketed, number, sign
from .record import Parameter, ScoreFunction
from .rows import by_query


def additive(query: Array, key: Array, *, w_query: Array, w_key: Array, v: Array) -> Array:
    """Scores v . tanh(W_q q + W_k k), a network with one hidden layer (Bahdanau et al. 2014).

    w_query and w_key have shape (a, d_k) and v (a,), each with the heads in front where heads differ.
    "Concat" attention, v . tanh(W [q; k]), is the same thing with W = [W_q W_k].
    """
    hidden_query = np.matmul(as_real("query", query), np.swapaxes(w_query, -1, -2))  # (..., n, a)
    hidden_key = np.matmul(as_real("key", key), np.swapaxes(w_key, -1, -2))  # (..., m, a)
    last = np.asarray(v)[..., None]  # (..., a, 1)
    return by_query(hidden_query, hidden_key, lambda q, k: np.matmul(np.tanh(q + k), last)[..., 0])


def _written(pair: Pair) -> Written:
    query, key = pair.vectors
    hidden = zip(pair.array("w_query") @ query, pair.array("w_key") @ key, strict=True)  # (a,) each
    terms = tuple(
        bracketed(
            (
                v,
                sign(" × tanh("),
                number(float(a), "query"),
                sign(" + "),
                number(float(b), "key"),
                sign(")"),
            )
        )
        for v, (a, b) in zip(pair.entries("v"), hidden, strict=True)
    )
    return Written((Line((sign("s"),), terms, pair.score),))


ADDITIVE = ScoreFunction(
    name="additive",
    function=additive,
    row_formula=r"s_{ij} = \tanh(q_i\,W_q^{\top} + k_j\,W_k^{\top})\,v^{\top}",
    column_formula=r"s_{ji} = v^{\top} \tanh(W_q\,q_i + W_k\,k_j)",
    source="Bahdanau et al. 2014",
    symmetric=False,
    homogeneous=False,
    bounded=True,
    default_scale="none",
    parameters={
        "w_query": Parameter(axes=("a", "d_k"), symbol="W_q"),
        "w_key": Parameter(axes=("a", "d_k"), symbol="W_k"),
        "v": Parameter(axes=("a",), symbol="v"),
    },
    products_per_second=160_000_000,
    written=_written,
)
