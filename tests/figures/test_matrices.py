"""Matrices in a row: values as given, cells of equal width, numbers where they fit, column notation = transposed."""

import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.labels import number, number_labels, token_labels
from attnviz.figures.matrices import Mark, Matrix, matrix_row
from attnviz.figures.palette import LIGHT
from tests.figures.traces import heatmaps, markers, printed

RNG = np.random.default_rng(6)
TOKENS = ["the", "<b>", "$x$", "the"]  # n = 4
LABELS = token_labels(TOKENS, "query", "looks")
A = Matrix(RNG.dirichlet(np.ones(4), size=4), LABELS, number_labels(4), "A", weights=True)
V = Matrix(
    RNG.normal(size=(4, 3)), LABELS, number_labels(3, symbol="v"), "V <values>", "value", "×", clickable=True
)
O = Matrix(RNG.normal(size=(4, 3)), LABELS, number_labels(3, symbol="o"), "O", "value", "=",  # noqa: E741
           marks=(Mark((1, 1), (0, 2), "query"),))  # fmt: skip
CONCAT = Matrix(
    RNG.normal(size=(4, 6)), LABELS, number_labels(6, symbol="c"), "concat", "value",
    column_blocks=(3, 3), block_names=("head 1", "head 2"),
)  # fmt: skip


def drawn(*matrices: Matrix, **how: Any) -> go.Figure:
    given: dict[str, Any] = {"palette": LIGHT, "limit": 3.0, "cell": 40}
    return matrix_row(matrices, **(given | how))


def test_every_matrix_holds_its_values_in_float32_the_first_row_at_the_top() -> None:
    figure = drawn(A, V, O)
    for k, (matrix, shown) in enumerate(zip((A, V, O), heatmaps(figure), strict=True)):
        np.testing.assert_array_equal(shown.z, matrix.values.astype(np.float32))
        assert shown.z.dtype == np.float32
        suffix = str(k + 1) if k else ""
        assert figure.layout[f"yaxis{suffix}"].range == (3.5, -0.5)


def test_the_numbers_are_those_of_the_cells() -> None:
    figure = drawn(A, V)
    for suffix, matrix in (("", A), ("2", V)):
        expected = {(r, c): number(float(v)) for (r, c), v in np.ndenumerate(matrix.values)}
        assert printed(figure, suffix) == expected


def test_weights_run_from_0_to_1_beside_signed_numbers_on_their_shared_scale() -> None:
    scales = [(shown.zmin, shown.zmax) for shown in heatmaps(drawn(A, V, O))]
    assert scales == [(0, 1), (-3, 3), (-3, 3)]


@pytest.mark.parametrize("matrices", [(A, V, O), (CONCAT,), (A, CONCAT)])
def test_cells_are_equally_wide_in_all_matrices_and_none_lies_over_another(
    matrices: tuple[Matrix, ...],
) -> None:
    figure = drawn(*matrices)
    domains = [figure.layout[f"xaxis{shown.xaxis[1:]}"].domain for shown in heatmaps(figure)]
    widths = [(high - low) / m.values.shape[1] for (low, high), m in zip(domains, matrices, strict=True)]
    np.testing.assert_allclose(widths, widths[0], rtol=1e-9)
    edges = [edge for domain in domains for edge in domain]
    assert edges == sorted(edges)
    assert edges[0] == 0
    assert edges[-1] <= 1


def test_cells_are_equally_high_in_all_matrices() -> None:
    short = Matrix(RNG.normal(size=(2, 3)), token_labels(["a", "b"], "key"), number_labels(3), "K", "key")
    figure = drawn(A, short)
    heights = [
        (figure.layout[f"yaxis{k}"].domain[1] - figure.layout[f"yaxis{k}"].domain[0]) / rows
        for k, rows in (("", 4), ("2", 2))
    ]
    assert heights[0] == pytest.approx(heights[1])
    assert figure.layout.yaxis2.domain[1] == 1


def test_rows_are_named_by_their_tokens_one_tick_a_token_and_escaped() -> None:
    layout = drawn(A, V).layout
    assert layout.yaxis.tickvals == (0, 1, 2, 3)
    assert layout.yaxis.ticktext == ("the₀", "&lt;b&gt;₁", "$\u2060x$\u2060₂", "the₃")
    assert layout.yaxis.showticklabels
    assert not layout.yaxis2.showticklabels  # the same rows


def test_titles_state_the_name_escaped_and_the_size() -> None:
    texts = [re.sub("<[^>]*>", "", note.text) for note in drawn(A, V).layout.annotations]
    assert texts == ["A  4 × 4", "V &lt;values&gt;  4 × 3", "×"]


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


def test_in_column_notation_tokens_stand_above_their_columns() -> None:
    layout = drawn(V.transposed()).layout
    assert layout.xaxis.ticktext == ("the₀", "&lt;b&gt;₁", "$\u2060x$\u2060₂", "the₃")
    assert layout.xaxis.showticklabels
    assert layout.xaxis.side == "top"
    assert layout.yaxis.range == (2.5, -0.5)


@pytest.mark.parametrize(("columns", "pixels", "digits"), [(8, 660, 2), (20, 660, 1), (64, 660, None)])
def test_numbers_get_fewer_digits_and_then_none_as_cells_get_narrow(
    columns: int, pixels: int, digits: int | None
) -> None:
    wide = Matrix(RNG.normal(size=(4, columns)), LABELS, number_labels(columns), "x")
    figure = drawn(wide, pixels=pixels)
    assert {len(text.partition(".")[2]) for text in printed(figure).values()} == ({digits} - {None})


def test_numbers_are_left_out_where_rows_are_flat() -> None:
    assert printed(drawn(A, cell=17)) == {}
    assert printed(drawn(A, cell=18)) != {}


def test_where_rows_are_flat_every_second_or_third_row_is_named() -> None:
    tokens = [f"w{i}" for i in range(100)]
    tall = Matrix(RNG.normal(size=(100, 3)), token_labels(tokens, "query"), number_labels(3), "x")
    layout = drawn(tall, cell=5).layout
    assert layout.yaxis.tickvals == tuple(range(0, 100, 3))
    assert layout.yaxis.ticktext[1] == "w3₃"
    assert len(layout.yaxis.ticktext) == len(layout.yaxis.tickvals)


def test_the_pointer_hears_row_column_and_value_whether_or_not_the_matrix_can_be_clicked() -> None:
    figure = drawn(A, V)
    assert heatmaps(figure)[0].hovertemplate == "A  %{y}, %{x}<br>%{z:.4f}<extra></extra>"
    (target,) = markers(figure)
    assert target.hovertemplate == "V &lt;values&gt;  %{y}, %{x}<br>%{customdata:.4f}<extra></extra>"
    np.testing.assert_array_equal(target.customdata, V.values[target.y, target.x].astype(np.float32))
    assert (target.xaxis, target.yaxis) == ("x2", "y2")


def test_the_height_is_that_of_the_rows() -> None:
    heights = [
        drawn(Matrix(np.ones((n, 2)), token_labels(["a"] * n), number_labels(2), "x")).layout.height
        for n in (1, 3, 8)
    ]
    assert heights[1] - heights[0] == 2 * 40
    assert heights[2] - heights[1] == 5 * 40
