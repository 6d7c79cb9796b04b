"""Matrices of which only a part is drawn tell their whole size; numbers may have decimals of their own."""

import numpy as np

from attnviz.figures.labels import number_labels
from attnviz.figures.matrices import Matrix, matrix_row
from attnviz.figures.palette import LIGHT
from tests.figures.traces import printed

PART = Matrix(
    np.eye(2, 3), number_labels(2), number_labels(3), "E", whole=(5010, 8), digits=0, raised="<T>"
)  # fmt: skip


def title(matrix: Matrix) -> str:
    return str(matrix_row([matrix], palette=LIGHT, limit=1.0, cell=40).layout.annotations[0].text)


def test_the_title_tells_the_size_of_the_whole_in_both_notations() -> None:
    assert "5,010 × 8" in title(PART)
    assert "8 × 5,010" in title(PART.transposed())


def test_what_is_raised_is_a_superscript_and_escaped() -> None:
    assert "E<sup>&lt;T&gt;</sup>" in title(PART)


def test_ones_and_zeros_need_no_decimals() -> None:
    figure = matrix_row([PART], palette=LIGHT, limit=1.0, cell=40)
    assert set(printed(figure).values()) == {"0", "1"}
