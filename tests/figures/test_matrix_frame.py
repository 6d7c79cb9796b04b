"""Titles tell names and sizes, signs stand between, marks and blocks are outlined."""

import re

from attnviz.figures.labels import number_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Matrix
from attnviz.figures.palette import LIGHT
from tests.figures.matrix_cases import CONCAT, PART, RNG, A, O, V, drawn
from tests.figures.traces import in_plotly


def title(matrix: Matrix) -> str:
    return str(in_plotly(matrix_row)([matrix], palette=LIGHT, limit=1.0, cell=40).layout.annotations[0].text)


def test_titles_state_the_name_escaped_and_the_size() -> None:
    texts = [re.sub("<[^>]*>", "", note.text) for note in drawn(A, V).layout.annotations]
    assert texts == ["A  4 × 4", "V &lt;values&gt;  4 × 3", "×"]


def test_the_title_tells_the_size_of_the_whole_in_both_notations() -> None:
    assert "5,010 × 8" in title(PART)
    assert "8 × 5,010" in title(PART.transposed())


def test_what_is_raised_is_a_superscript_and_escaped() -> None:
    assert "E<sup>&lt;T&gt;</sup>" in title(PART)


def test_the_signs_stand_between_their_matrices() -> None:
    figure = drawn(A, V, O)
    signs = {note.text: note.x for note in figure.layout.annotations if note.text in ("×", "=")}
    edges = [figure.layout[f"xaxis{k}"].domain for k in ("", "2", "3")]
    assert edges[0][1] < signs["×"] < edges[1][0]
    assert edges[1][1] < signs["="] < edges[2][0]


def test_marks_are_outlined_in_the_colour_of_their_role() -> None:
    (mark,) = (shape for shape in drawn(A, V, O).layout.shapes if shape.type == "rect")
    assert (mark.y0, mark.y1, mark.x0, mark.x1) == (0.5, 1.5, -0.5, 2.5)
    assert (mark.line.color, mark.xref) == (LIGHT.query, "x3")


def test_every_block_of_columns_has_a_bar_and_its_name() -> None:
    figure = drawn(CONCAT)
    bars = [(shape.x0, shape.x1) for shape in figure.layout.shapes if shape.type == "line"]
    assert [(round(x0), round(x1)) for x0, x1 in bars] == [(0, 2), (3, 5)]
    names = {note.text: note.x for note in figure.layout.annotations if note.text.startswith("head")}
    assert names == {"head 1": 1.0, "head 2": 4.0}


def test_blocks_of_rows_are_outlined_and_named_at_the_left() -> None:
    w_o = Matrix(
        RNG.normal(size=(6, 5)),
        number_labels(6),
        number_labels(5),
        "W",
        row_blocks=(2, 4),
        block_names=("<1>", "2"),
    )
    figure = drawn(w_o)
    assert figure.layout.yaxis.tickvals == (0, 2)
    assert figure.layout.yaxis.ticktext == ("&lt;1&gt;", "2")
    boxes = [(shape.y0, shape.y1) for shape in figure.layout.shapes if shape.type == "rect"]
    assert boxes == [(-0.5, 1.5), (1.5, 5.5)]
