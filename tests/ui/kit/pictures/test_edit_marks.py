"""Outlines of edited cells: they lie round these cells and no other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from attnviz.figures.matrix import Mark
from attnviz.ui.kit.pictures.edit_marks import MOST, edit_marks


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.booleans()))
def test_the_outlines_cover_every_marked_cell_once_and_no_other(cells: NDArray[np.bool_]) -> None:
    covered = np.zeros(cells.shape, int)
    for mark in edit_marks(cells):
        (top, bottom), (left, right) = mark.rows, mark.columns
        covered[top : bottom + 1, left : right + 1] += 1
    np.testing.assert_array_equal(covered, cells)


def test_a_whole_matrix_has_one_outline() -> None:
    assert edit_marks(np.ones((5, 3), bool)) == (Mark((0, 4), (0, 2), "", dotted=True),)


def test_nothing_edited_has_no_outline() -> None:
    assert edit_marks(None) == edit_marks(np.zeros((5, 3), bool)) == ()


def test_too_many_outlines_become_one_round_them_all() -> None:
    cells = np.zeros((50, 40), bool)
    cells[1:50:2, 2:40:2] = True
    assert cells.sum() > MOST
    assert edit_marks(cells) == (Mark((1, 49), (2, 38), "", dotted=True),)
