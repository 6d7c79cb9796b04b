"""Matrices of each kind that a picture shows, for the tests of its parts."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.labels import number_labels, token_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.figures.palette import LIGHT
from tests.figures.traces import in_plotly

RNG = np.random.default_rng(6)
TOKENS = ["the", "<b>", "$x$", "the"]  # n = 4
LABELS = token_labels(TOKENS, "query", "looks")
A = Matrix(RNG.dirichlet(np.ones(4), size=4), LABELS, number_labels(4), "A", weights=True)
V = Matrix(RNG.normal(size=(4, 3)), LABELS, number_labels(3, symbol="v"), "V <values>", "value", "×")
O = Matrix(RNG.normal(size=(4, 3)), LABELS, number_labels(3, symbol="o"), "O", "value", "=",  # noqa: E741
           marks=(Mark((1, 1), (0, 2), "query"),))  # fmt: skip
CONCAT = Matrix(
    RNG.normal(size=(4, 6)), LABELS, number_labels(6, symbol="c"), "concat", "value",
    column_blocks=(3, 3), block_names=("head 1", "head 2"),
)  # fmt: skip
PART = Matrix(  # of 5010 rows and 8 columns, two and three are drawn
    np.eye(2, 3), number_labels(2), number_labels(3), "E", whole=(5010, 8), digits=0, raised="<T>"
)  # fmt: skip


def drawn(*matrices: Matrix, **how: Any) -> go.Figure:
    """A row of these matrices, cells of 40 pixels."""
    given: dict[str, Any] = {"palette": LIGHT, "limit": 3.0, "cell": 40}
    return in_plotly(matrix_row)(matrices, **(given | how))
