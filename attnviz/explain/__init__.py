"""Ask a cell: where does this number come from, written out with its own numbers.

Every explanation is made from the trace alone. Its parts carry the unrounded values, its operands
say which row, column or cell of which matrix went in, its sources and targets are the cells one
station back and on. Tokens are rows here; the page turns it where they are columns.
"""

from collections.abc import Callable

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell
from attnviz.explain.inputs import given, input_cell, projection
from attnviz.explain.outputs import concat, contribution, head_output, output
from attnviz.explain.parts import MATRICES, Explanation, matrix, matrix_names
from attnviz.explain.scores import masked, scaled, score
from attnviz.explain.weights import weight

__all__ = ["EXPLAINERS", "MATRICES", "Cell", "Explanation", "explain", "matrix", "matrix_names"]


def explain(trace: AttentionTrace, cell: Cell) -> Explanation:
    """The arithmetic of `cell`; KeyError for an unknown matrix, IndexError for a place outside it."""
    heads = len(trace.weights)
    rows, columns = matrix(trace, cell.matrix, min(max(cell.head, 0), heads - 1)).shape
    if not (0 <= cell.row < rows and 0 <= cell.column < columns and 0 <= cell.head < heads):
        raise IndexError(f"{cell.matrix} has {heads} heads of {rows} x {columns}; got {cell}")
    return EXPLAINERS.get(cell.matrix, given)(trace, cell)


# The arrays of score functions, "score_w" and the like, are given as the weights are.
EXPLAINERS: dict[str, Callable[[AttentionTrace, Cell], Explanation]] = {
    "x": input_cell,
    "x_source": input_cell,
    "query": projection,
    "key": projection,
    "value": projection,
    "scores": score,
    "scaled": scaled,
    "masked": masked,
    "weights": weight,
    "head_outputs": head_output,
    "concat": concat,
    "contributions": contribution,
    "output": output,
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), given),
}
