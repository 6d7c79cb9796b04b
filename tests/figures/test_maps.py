"""The large map shows the matrix it is given, right way up, every token by name, and masked cells without a number."""

import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.labels import token_labels
from attnviz.figures.maps import MOST_NUMBERS, MOST_TICKS, Statistic, attention_map
from attnviz.figures.palette import DARK, LIGHT
from tests.figures.traces import heatmaps, in_plotly, markers, printed, texts

QUERIES = ["the", "cat", "sat", "on", "the", "mat"]  # n = 6
KEYS = ["a", "<b>x</b>", "$x$", "&"]  # m = 4
SCORES = np.random.default_rng(5).normal(size=(6, 4))
MASKED = np.where(np.tri(6, 4, dtype=bool), SCORES, np.nan)


def drawn(matrix: np.ndarray[Any, Any] = SCORES, **how: Any) -> go.Figure:
    n, m = matrix.shape
    queries = (QUERIES * (n // 6 + 1))[:n]
    keys = (KEYS * (m // 4 + 1))[:m]
    given: dict[str, Any] = {
        "rows": token_labels(queries, "query", "looks"),
        "columns": token_labels(keys, "key", "is looked at"),
        "palette": LIGHT,
        "limit": 3.0,
        "weights": False,
        "focus": (4, 2),
        "name": "score",
        "masked": "masked",
    }
    return in_plotly(attention_map)(matrix, **(given | how))


def the_map(figure: go.Figure) -> go.Heatmap:
    (found,) = heatmaps(figure)
    return found


def plain(text: str) -> str:
    return re.sub("<[^>]*>", "", text)


def test_the_map_holds_the_matrix_row_0_at_the_top_in_float32() -> None:
    figure = drawn()
    np.testing.assert_array_equal(the_map(figure).z, SCORES.astype(np.float32))
    assert the_map(figure).z.dtype == np.float32
    assert figure.layout.yaxis.range == (5.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 3.5)
    assert figure.layout.xaxis.side == "top"


def test_six_tokens_are_six_rows_though_two_of_them_are_the_same_word() -> None:
    # plotly.js#1516.
    layout = drawn().layout
    assert layout.yaxis.tickvals == (0, 1, 2, 3, 4, 5)
    assert [plain(text) for text in layout.yaxis.ticktext] == ["the₀", "cat₁", "sat₂", "on₃", "the₄", "mat₅"]
    assert layout.yaxis.showticklabels
    assert layout.xaxis.showticklabels


def test_tokens_that_look_like_markup_are_escaped_on_every_axis() -> None:
    layout = drawn(focus=(0, 0)).layout
    written = ("&lt;b&gt;x&lt;/b&gt;₁", "$\u2060x$\u2060₂", "“\u200a&amp;\u200a”₃")
    assert layout.xaxis.ticktext[1:] == written
    assert layout.xaxis3.ticktext[1:] == written


def test_both_axes_are_named() -> None:
    # tensor2tensor#500: matrix transposed, axes unnamed.
    titles = [note.text for note in drawn(rows=token_labels(QUERIES, "query", "<looks>")).layout.annotations]
    assert titles == ["is looked at →", "&lt;looks&gt; ↓"]


def test_the_numbers_are_those_of_the_cells_printed_from_float64() -> None:
    figure = drawn()
    assert printed(figure, "3") == {
        (i, j): f"{SCORES[i, j]:.2f}".replace("-", "−") for i in range(6) for j in range(4)
    }


def test_a_masked_cell_has_no_number_and_no_colour_but_a_hatch_and_says_masked() -> None:
    # A sentinel of -1e9 once stood in such cells and stretched the colours.
    figure = drawn(MASKED)
    hidden = np.isnan(MASKED)
    assert np.array_equal(np.isnan(the_map(figure).z), hidden)
    assert set(printed(figure, "3")) == set(zip(*map(np.ndarray.tolist, np.nonzero(~hidden)), strict=True))
    (hatch,) = markers(figure)
    assert list(zip(hatch.y, hatch.x, strict=True)) == list(zip(*np.nonzero(hidden), strict=True))
    assert hatch.hovertemplate == "%{y} → %{x}<br>masked<extra></extra>"
    assert (hatch.xaxis, hatch.yaxis) == (the_map(figure).xaxis, the_map(figure).yaxis)
    assert the_map(figure).hoverongaps is False


def test_a_map_with_nothing_masked_has_no_hatch() -> None:
    assert not markers(drawn())


def test_a_map_with_everything_masked_has_no_number() -> None:
    figure = drawn(np.full((6, 4), np.nan))
    assert printed(figure, "3") == {}
    assert np.isnan(the_map(figure).z).all()


def test_weights_are_on_the_scale_from_0_to_the_limit_whatever_they_are() -> None:
    shown = the_map(drawn(np.full((6, 4), 0.02), weights=True, limit=1.0))
    assert (shown.zmin, shown.zmax) == (0, 1)
    signed = the_map(drawn())
    assert (signed.zmin, signed.zmax) == (-3, 3)


def test_the_pointer_hears_both_tokens_in_full_and_the_value_of_the_cell() -> None:
    # plotly.js#2570: one token of 60 letters.
    long = "x" * 60
    figure = drawn(columns=token_labels([long, "b", "c", "d"], "key", "is looked at"))
    shown = the_map(figure)
    assert (shown.xaxis, shown.yaxis) == ("x3", "y3")
    assert shown.hovertemplate == "%{y} → %{x}<br>score %{z:.4f}<extra></extra>"
    np.testing.assert_array_equal(shown.z, SCORES.astype(np.float32))
    assert figure.layout.xaxis3.ticktext[0] == f"{long}₀"
    assert figure.layout.xaxis3.overlaying == "x"
    assert figure.layout.yaxis3.overlaying == "y"
    assert figure.layout.yaxis3.range == figure.layout.yaxis.range
    assert figure.layout.xaxis3.range == figure.layout.xaxis.range
    assert figure.layout.xaxis3.domain == figure.layout.xaxis.domain


def test_the_query_is_outlined_in_its_colour_and_the_cell_in_the_keys() -> None:
    row, cell = drawn(palette=DARK).layout.shapes
    assert (row.y0, row.y1, row.x0, row.x1, row.line.color) == (3.5, 4.5, -0.5, 3.5, DARK.query)
    assert (cell.y0, cell.y1, cell.x0, cell.x1, cell.line.color) == (3.5, 4.5, 1.5, 2.5, DARK.key)


def test_in_column_notation_the_query_is_a_column() -> None:
    figure = drawn(
        SCORES.T,
        rows=token_labels(KEYS, "key", "is looked at"),
        columns=token_labels(QUERIES, "query", "looks"),
        focus=(2, 4),
    )
    column, cell = figure.layout.shapes
    assert (column.x0, column.x1, column.y0, column.y1, column.line.color) == (
        3.5,
        4.5,
        -0.5,
        3.5,
        LIGHT.query,
    )
    assert (cell.x0, cell.y0) == (3.5, 1.5)
    np.testing.assert_array_equal(the_map(figure).z, SCORES.T.astype(np.float32))


STATISTICS = (Statistic("sum", ("1.00",) * 6), Statistic("max", tuple(f"0.{i}0" for i in range(6))))


def test_statistics_stand_beside_the_rows_of_their_queries() -> None:
    figure = drawn(np.abs(SCORES), weights=True, statistics=STATISTICS)
    assert printed(figure, "2") == {(i, k): s.values[i] for k, s in enumerate(STATISTICS) for i in range(6)}
    assert {trace.yaxis for trace in texts(figure) if trace.xaxis == "x2"} == {"y"}
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    titles = [note.text for note in figure.layout.annotations if note.xref == "x2"]
    assert titles == ["sum", "max"]


def test_statistics_stand_under_the_columns_where_those_are_the_queries() -> None:
    figure = drawn(
        np.abs(SCORES).T,
        rows=token_labels(KEYS, "key", "is looked at"),
        columns=token_labels(QUERIES, "query", "looks"),
        weights=True,
        statistics=STATISTICS,
    )
    under = [(note.x, plain(note.text)) for note in figure.layout.annotations if note.xref == "x"]
    assert under == [(i, s.values[i]) for s in STATISTICS for i in range(6)]
    assert figure.layout.xaxis.domain == (0, 1)


@pytest.mark.parametrize(("columns", "room"), [(MOST_NUMBERS, True), (MOST_NUMBERS + 1, False)])
def test_numbers_are_printed_only_where_a_cell_has_room(columns: int, room: bool) -> None:
    figure = drawn(np.ones((6, columns)))
    assert bool(printed(figure, "3")) == room


@pytest.mark.parametrize("m", [MOST_TICKS, MOST_TICKS + 1, 64])
def test_above_32_tokens_labels_are_thinned_evenly_and_the_pointer_still_knows_all(m: int) -> None:
    figure = drawn(np.ones((6, m)))
    step = 1 if m <= MOST_TICKS else 2
    assert figure.layout.xaxis.tickvals == tuple(range(0, m, step))
    assert len(figure.layout.xaxis.ticktext) == len(figure.layout.xaxis.tickvals)
    assert figure.layout.xaxis3.tickvals == tuple(range(m))


def test_above_64_tokens_a_cell_is_a_block_that_keeps_its_peak_and_names_its_range() -> None:
    matrix = np.zeros((6, 130))
    matrix[3, 100] = -2.5
    figure = drawn(matrix, focus=(3, 100))
    shown = the_map(figure).z
    assert shown.shape == (6, 44)
    assert shown[3, 33] == -2.5
    assert np.count_nonzero(shown) == 1
    assert figure.layout.xaxis3.ticktext[33] == "“\u200a&amp;\u200a”₉₉ … &lt;b&gt;x&lt;/b&gt;₁₀₁"
    cell = figure.layout.shapes[1]
    assert (cell.x0, cell.x1, cell.y0, cell.y1) == (32.5, 33.5, 2.5, 3.5)


def test_one_token_makes_a_map_of_one_cell() -> None:
    figure = drawn(np.array([[1.0]]), focus=(0, 0), weights=True, limit=1.0)
    assert the_map(figure).z.shape == (1, 1)
    assert printed(figure, "3") == {(0, 0): "1.00"}


@pytest.mark.parametrize("m", [4, 13, 40])
def test_the_top_margin_holds_the_longest_label(m: int) -> None:
    keys = token_labels(["x" * 60] * m, "key", "is looked at")
    figure = drawn(np.ones((6, m)), columns=keys)
    turned = m > MOST_NUMBERS
    assert figure.layout.xaxis.tickangle == (-90 if turned else 0)
    assert figure.layout.margin.t >= (100 if turned else 58)
