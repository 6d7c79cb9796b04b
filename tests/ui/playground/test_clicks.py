"""A click on a picture of a station means a cell of the lesson, whatever the picture's notation, or nothing."""

from collections.abc import Sequence

import numpy as np
import pytest

from attnviz.explain import Cell, matrix
from attnviz.explain.reference import from_text, to_text
from attnviz.ui.kit.pictures.maps import Click, Given
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.stations import PICTURES, picture
from attnviz.ui.playground.clicks import cell_of, given_with
from tests.ui.scenes import scene


def maps_of(made: Scene, stage: str) -> Sequence[np.ndarray]:
    return [trace["z"] for trace in picture(stage, made).main["data"] if trace["type"] == "heatmap"]


@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("stage", PICTURES)
def test_each_cell_of_each_matrix_asks_for_the_number_that_it_shows(stage: str, notation: str) -> None:
    made = scene(sentence="a b c", source="d e f g", d_model=6, num_heads=2, d_k=5, d_v=2, head=1, query=1,
                 stage=stage, notation=notation)  # fmt: skip
    given = given_with(made, picture(stage, made))
    for axes, shown in enumerate(maps_of(made, stage)):
        for row, column in np.ndindex(shown.shape):
            cell = cell_of(Click(row, column, axes, given))
            assert cell is not None
            assert from_text(to_text(cell), made.lesson.trace) == cell
            number = matrix(made.lesson.trace, cell.matrix, cell.head)[cell.row, cell.column]
            assert np.float32(number) == shown[row, column]


FORGED: dict[str, tuple[int, Given]] = {
    "nothing": (0, ()),
    "few": (0, (0, 0, 1, 1)),
    "no names": (0, (0, 0, 1, 1, 2)),
    "a subplot too many": (1, (0, 0, 1, 1, 2, "weights")),
    "text for a number": (0, ("0", 0, 1, 1, 2, "weights")),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_no_picture_was_given_is_no_cell(name: str) -> None:
    axes, given = FORGED[name]
    assert cell_of(Click(0, 0, axes, given)) is None


@pytest.mark.parametrize(
    "given",
    [
        (0, 0, 1, 1, 2, "<img>"),
        (0, 0, 1, 1, 0, "w_o"),
        (7, 0, 1, 1, 2, "weights"),
        (0, 0, 99, 99, 2, "weights"),
    ],
)
def test_a_cell_that_the_lesson_has_not_is_not_asked_about(given: Given) -> None:
    made = scene(sentence="a b c", num_heads=2)
    cell = cell_of(Click(5, 1, 0, given))
    assert isinstance(cell, Cell)
    assert from_text(to_text(cell), made.lesson.trace) is None
