"""The page says whose the numbers are, and it is true."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnviz.explain import Cell
from attnviz.explain.in_lesson import explain_in
from attnviz.figures.palette import LIGHT
from attnviz.lesson.editing import with_cells
from attnviz.lesson.edits import NO_EDITS, Edit, Edits
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.ui.kit.edited import missing_lines
from attnviz.ui.kit.pictures.scene import Focus, Scene
from attnviz.ui.playground.board_data import board_data
from attnviz.ui.playground.edit.note import hand_lines, weights_line
from attnviz.ui.playground.story import paragraph
from attnviz.words import Words, languages
from tests.ui.scenes import SELF

each_language = pytest.mark.parametrize("language", languages())
EN = Words("en")


def lesson(put: Edits = NO_EDITS, **values: Any) -> Lesson:
    made = make_lesson(replace(SELF, **values), put)
    assert made is not None
    return made


def edited(name: str, cells: dict[tuple[int, int], float], head: int = 1, **values: Any) -> Lesson:
    return lesson(with_cells(lesson(**values), NO_EDITS, name, head, cells), **values)


def scene(made: Lesson, language: str = "en") -> Scene:
    return Scene(made, Focus(1, 4, 2), Words(language), LIGHT)


def whole(made: Lesson) -> Edits:
    """Every parameter of the lesson put in by hand."""
    return Edits(tuple(Edit.whole(name, array + 1) for name, array in made.trace.layer.parameters().items()))


@each_language
def test_the_line_on_the_weights_says_whose_they_are(language: str) -> None:
    words = Words(language)
    drawn, partly = words("common.untrained"), words("edit.partly_random")
    assert weights_line(lesson(), words) == drawn
    assert weights_line(edited("w_v", {(0, 0): 1.0}), words) == partly
    assert weights_line(edited("x", {(0, 0): 1.0}), words) == drawn  # x is no weight
    assert weights_line(lesson(preset="identity"), words) == ""
    assert weights_line(edited("w_v", {(0, 0): 2.0}, preset="identity"), words) == words("edit.partly_set")
    assert weights_line(lesson(whole(lesson())), words) == words("edit.own")
    # The parameters of the score function, or the biases, are still drawn.
    assert weights_line(lesson(whole(lesson()), score="general"), words) == partly
    assert weights_line(lesson(whole(lesson()), bias=True), words) == partly


def test_every_edited_matrix_is_named_with_its_head_and_how_many_cells_differ() -> None:
    edits = with_cells(lesson(), NO_EDITS, "w_q", 0, {(0, 0): 1.0, (3, 1): 2.0})
    edits = with_cells(lesson(), edits, "w_q", 2, {(6, 0): 3.0})
    edits = with_cells(lesson(), edits, "x", 0, {(5, 6): 3.0})
    (line,) = hand_lines(lesson(edits), EN)
    assert line == "<b>Cells put in by hand:</b> W_Q, head 1: 2 · W_Q, head 3: 1 · x: 1"
    edits = with_cells(lesson(), NO_EDITS, "w_o", 0, dict.fromkeys(np.ndindex(15, 7), 1.0))
    assert hand_lines(lesson(edits), EN) == ["<b>Cells put in by hand:</b> W_O: 105"]


def test_what_waits_aside_is_named_with_its_shape() -> None:
    edits = with_cells(lesson(), NO_EDITS, "w_q", 0, {(0, 0): 1.0})
    (line,) = hand_lines(lesson(edits, d_k=4), EN)
    assert line.endswith("W_Q (3 × 7 × 2): 1")
    assert line.startswith("<b>Set aside</b>")


@each_language
def test_a_drawn_mask_and_edits_that_are_not_here_are_said(language: str) -> None:
    words = Words(language)
    (drawn,) = hand_lines(lesson(mask="drawn", drawn="10"), words)
    assert words("edit.mask_drawn") in drawn
    broken = lesson(edits="w_q~nonsense")
    assert hand_lines(broken, words) == []  # said above every page, and once
    assert missing_lines(broken.settings, words) == [words.html("edit.missing")]
    assert missing_lines(lesson().settings, words) == []
    assert hand_lines(lesson(), words) == []


@pytest.mark.parametrize(
    ("name", "cell", "note"),
    [
        ("w_q", Cell("w_q", 3, 1, 1), "weight_edited"),
        ("w_q", Cell("w_q", 3, 1, 0), "weight_drawn"),
        ("w_o", Cell("w_o", 3, 1, 1), "weight_drawn"),  # row 3 of all heads stacked is in head 0
        ("w_o", Cell("w_o", 3, 1, 0), "weight_edited"),
        ("x", Cell("x", 3, 1), "x_edited"),
        ("x", Cell("x", 0, 1), "x_same"),
    ],
)
def test_a_cell_that_was_put_in_is_not_explained_as_drawn(name: str, cell: Cell, note: str) -> None:
    made = edited(name, {(3, 1): 4.0})
    explanation = explain_in(made, cell)
    assert explanation.notes == (note,)
    assert (
        explanation.value
        == made.trace.layer.parameters().get(name, made.trace.x[None])[cell.head, cell.row, cell.column]
    )
    data = board_data(scene(made), explanation)
    assert data["operands"][0]["cells"][cell.row][cell.column]["edited"] == note.endswith("edited")
    assert EN(f"board.notes.{note}") in data["notes"]


def test_words_that_were_made_different_by_hand_are_not_called_the_same() -> None:
    # "the" stands in places 0 and 4.
    made = edited("x", {(4, 0): 4.0})
    assert explain_in(made, Cell("x", 0, 1)).notes == ("x_drawn",)
    same = EN("playground.story.x_repeated").split("{second}")[1]
    assert same in paragraph("x", scene(lesson()))
    assert same not in paragraph("x", scene(made))


def test_an_edited_cell_of_x_is_not_explained_as_word_and_position() -> None:
    made = edited("x", {(3, 1): 4.0}, position="sinusoidal")
    (line,) = explain_in(made, Cell("x", 3, 1)).lines
    assert [part.text for term in line.terms for part in term] == ["4"]
    (line,) = explain_in(made, Cell("x", 3, 2)).lines
    assert len(line.terms) == 2
