"""Matrices in a row: values as given, cells of equal width, numbers where they fit."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.figures.labels import number, number_labels, token_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Matrix
from attnviz.figures.palette import LIGHT
from tests.figures.matrix_cases import CONCAT, LABELS, PART, RNG, A, O, V, drawn
from tests.figures.traces import heatmaps, in_plotly, markers, printed


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


def test_the_title_of_a_narrow_matrix_beside_a_very_wide_one_has_room() -> None:
    wide, pixels = 512, 1160
    narrow = Matrix(
        RNG.normal(size=(4, 16)), token_labels(list("abcd"), "query"), number_labels(16), "concat", "value",
        column_blocks=(1,) * 16, block_names=tuple(f"head {h}" for h in range(1, 17)),
    )  # fmt: skip
    full = Matrix(RNG.normal(size=(16, wide)), number_labels(16), number_labels(wide), "W", sign="×")
    figure = drawn(narrow, full, pixels=pixels)
    (start, end), (after, _) = (figure.layout[f"xaxis{k}"].domain for k in ("", "2"))
    letters = len("concat  4 × 16")
    assert (end - start) * pixels > 6 * letters
    assert after >= end
    assert not [note for note in figure.layout.annotations if note.text.startswith("head")]


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


def test_ones_and_zeros_need_no_decimals() -> None:
    figure = in_plotly(matrix_row)([PART], palette=LIGHT, limit=1.0, cell=40)
    assert set(printed(figure).values()) == {"0", "1"}


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


def test_the_pointer_hears_row_column_and_value() -> None:
    first, second = heatmaps(drawn(A, V))
    assert first.hovertemplate == "A  %{y}, %{x}<br>%{z:.4f}<extra></extra>"
    assert second.hovertemplate == "V &lt;values&gt;  %{y}, %{x}<br>%{z:.4f}<extra></extra>"
    np.testing.assert_array_equal(second.z, V.values.astype(np.float32))
    assert (second.xaxis, second.yaxis) == ("x2", "y2")


def test_what_a_mask_hides_is_hatched_in_its_own_matrix_and_says_so_to_the_pointer() -> None:
    hidden = A.values.copy()
    hidden[1, 2:] = np.nan
    (hatch,) = markers(drawn(V, replace(A, values=hidden, masked="<masked>")))
    assert list(zip(hatch.y, hatch.x, strict=True)) == [(1, 2), (1, 3)]
    assert (hatch.xaxis, hatch.yaxis) == ("x2", "y2")
    assert hatch.hovertemplate == "A  %{y}, %{x}<br>&lt;masked&gt;<extra></extra>"


def test_the_height_is_that_of_the_rows() -> None:
    heights = [
        drawn(Matrix(np.ones((n, 2)), token_labels(["a"] * n), number_labels(2), "x")).layout.height
        for n in (1, 3, 8)
    ]
    assert heights[1] - heights[0] == 2 * 40
    assert heights[2] - heights[1] == 5 * 40
