"""A click on a picture of a station: which cell it means, and the question that it asks."""

from attnviz.explain import Cell
from attnviz.explain.reference import PAIRS, from_text, to_text
from attnviz.figures.base import MOST_CELLS
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import lesson_of
from attnviz.ui.kit.pictures.maps import Click, Given
from attnviz.ui.kit.pictures.scene import Picture, Scene
from attnviz.ui.playground.board import ask_cell


def given_with(scene: Scene, shown: Picture) -> Given:
    """What a click on this picture needs to know of it, for `cell_of`."""
    n, m = scene.lesson.trace.scores.shape[1:]
    high, wide = -(-n // MOST_CELLS), -(-m // MOST_CELLS)
    d_v = scene.lesson.trace.value.shape[2]
    return (scene.focus.head, int(scene.columns), high, wide, d_v, *shown.matrices)


def cell_of(click: Click) -> Cell | None:
    """The cell that was clicked; None where what came along is not of `given_with`."""
    sizes = [part for part in click.given if isinstance(part, int)]
    names = [part for part in click.given if isinstance(part, str)]
    if len(sizes) != 5 or click.axes >= len(names):
        return None
    head, columns, high, wide, d_v = sizes
    name, (row, column) = names[click.axes], (click.row, click.column)
    if columns:
        row, column = column, row
    if name in PAIRS:
        row, column = row * high, column * wide
    elif name == "w_o":
        head, row = divmod(row, max(d_v, 1))
    return Cell(name, row, column, head)


def ask_clicked(click: Click) -> None:
    """Ask about the clicked cell if the lesson of now has it; for callbacks."""
    cell, lesson = cell_of(click), lesson_of(state.settings())
    found = from_text(to_text(cell), lesson.trace) if cell and lesson else None
    if found:
        ask_cell(found)
