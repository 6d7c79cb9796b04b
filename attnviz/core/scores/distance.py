"""The score that sees how far apart two vectors are."""

import numpy as np

from ..arrays import Array, as_real
from ..written import Line, Pair, Written, bracketed, number, sign
from .record import Parameter, ScoreFunction
from .rows import by_query


def gaussian(query: Array, key: Array, *, sigma: float = 1.0) -> Array:
    """Scores -norm(q - k)^2 / (2 sigma^2): after softmax the Nadaraya-Watson kernel regression of 1964."""
    squares = by_query(as_real("query", query), as_real("key", key), _squared_distances)  # (..., n, m)
    return np.subtract(0.0, squares / (2.0 * sigma**2))  # (..., n, m), never -0.0


def _squared_distances(query: Array, key: Array) -> Array:
    """norm(q - k)^2; the differences keep every digit where q and k are close, norms and a product do not."""
    difference = query - key  # (..., m, d_k)
    return np.asarray(np.einsum("...mc,...mc->...m", difference, difference))


def _written(pair: Pair) -> Written:
    query, key = pair.vectors
    distance = number(float(((query - key) ** 2).sum()))
    terms = tuple(
        (sign("("), a, sign(" − "), *bracketed((b,)), sign(")²"))
        for a, b in zip(pair.query, pair.key, strict=True)
    )
    last = (sign("−"), distance, sign(" / (2 × "), pair.number("sigma"), sign("²)"))
    return Written((Line((sign("|q − k|²"),), terms, distance), Line((sign("s"),), (last,), pair.score)))


GAUSSIAN = ScoreFunction(
    name="gaussian",
    function=gaussian,
    row_formula=r"s_{ij} = -\frac{\lVert q_i - k_j\rVert^2}{2 \sigma^2}",
    column_formula=r"s_{ji} = -\frac{\lVert k_j - q_i\rVert^2}{2 \sigma^2}",
    source="Nadaraya 1964; Watson 1964; Kim et al. 2021",
    symmetric=True,
    homogeneous=False,
    bounded=False,
    default_scale="none",
    parameters={"sigma": Parameter(1.0, 0.1, 50.0, symbol=r"\sigma", letter="σ", power=2)},
    products_per_second=230_000_000,
    written=_written,
)
