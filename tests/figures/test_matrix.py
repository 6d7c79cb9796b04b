"""Column notation is the transposed matrix, with all that belongs to it."""

import numpy as np
import pytest

from attnviz.figures.matrix import Matrix
from tests.figures.matrix_cases import CONCAT, A, O, V, drawn
from tests.figures.traces import heatmaps


@pytest.mark.parametrize("matrix", [A, V, O, CONCAT], ids=lambda matrix: matrix.title)
def test_column_notation_shows_the_transposed_matrix_and_turning_twice_changes_nothing(
    matrix: Matrix,
) -> None:
    turned = matrix.transposed()
    np.testing.assert_array_equal(turned.values, matrix.values.T)
    assert (turned.rows, turned.columns) == (matrix.columns, matrix.rows)
    assert (turned.row_blocks, turned.column_blocks) == (matrix.column_blocks, matrix.row_blocks)
    assert [(m.rows, m.columns) for m in turned.marks] == [(m.columns, m.rows) for m in matrix.marks]
    back = turned.transposed()
    assert (back.rows, back.columns, back.marks, back.column_blocks) == (
        matrix.rows, matrix.columns, matrix.marks, matrix.column_blocks,
    )  # fmt: skip
    (shown,) = heatmaps(drawn(turned))
    np.testing.assert_array_equal(shown.z, matrix.values.T.astype(np.float32))
