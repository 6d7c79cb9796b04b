"""Heat maps hold the array as given; numbers, blocks and axes are true to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from attnviz.figures import base
from attnviz.figures.base import (
    axis,
    hover_axes,
    in_blocks,
    layout,
    outline,
    scale_of,
)
from attnviz.figures.labels import number, token_labels
from attnviz.figures.palette import LIGHT, PALETTES, cell_inks
from tests.figures.traces import trace_in_plotly

VALUES = np.random.default_rng(1).normal(size=(3, 5))  # 3 rows, 5 columns
MASKED = np.where(np.tri(3, 5, dtype=bool), VALUES, np.nan)
finite = st.floats(-1e6, 1e6)
cell_numbers, cells, hatch, heatmap = map(
    trace_in_plotly, (base.cell_numbers, base.cells, base.hatch, base.heatmap)
)


def test_whole_numbers_have_no_decimals_and_weights_always_have() -> None:
    whole = np.array([[2.0, -3.0], [0.0, np.nan]])
    assert cell_numbers(whole, palette=LIGHT, limit=3, weights=False, size=13).text == ("2", "−3", "0")
    mixed = cell_numbers(whole + 0.5, palette=LIGHT, limit=4, weights=False, size=13)
    assert mixed.text == ("2.50", "−2.50", "0.50")
    assert cell_numbers(np.eye(2), palette=LIGHT, limit=1, weights=True, size=13).text[0] == "1.00"


def test_a_heat_map_holds_the_array_as_given_in_float32() -> None:
    drawn = heatmap(MASKED, palette=LIGHT, limit=2.5, weights=False)
    assert drawn.z.dtype == np.float32
    np.testing.assert_array_equal(drawn.z, MASKED.astype(np.float32))
    assert drawn.hoverongaps is False


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_weights_run_from_0_to_the_limit_and_signed_numbers_from_minus_it(palette: object) -> None:
    assert isinstance(palette, type(LIGHT))
    weights = heatmap(VALUES, palette=palette, limit=1.0, weights=True)
    signed = heatmap(VALUES, palette=palette, limit=2.5, weights=False)
    assert (weights.zmin, weights.zmax, weights.colorscale) == (0, 1, palette.weights)
    assert (signed.zmin, signed.zmax, signed.colorscale) == (-2.5, 2.5, palette.signed)
    assert not weights.showscale
    assert not signed.showscale


@given(arrays(np.float64, (4, 3), elements=finite | st.just(float("nan"))))
def test_the_shared_scale_reaches_the_largest_magnitude_and_is_never_0(values: NDArray[np.float64]) -> None:
    limit = scale_of([values, values[:2] / 2])
    kept = np.abs(values[np.isfinite(values)])
    assert limit == (kept.max() if kept.any() else 1.0)


def test_the_scale_of_nothing_is_1() -> None:
    assert scale_of([]) == scale_of([np.full((2, 2), np.nan)]) == scale_of([np.zeros((0, 3))]) == 1.0


@pytest.mark.parametrize("weights", [True, False])
def test_every_cell_with_a_number_has_it_printed_from_float64_in_its_place(weights: bool) -> None:
    # 0.125 + 1e-12 rounds up to 0.13; in float32 it is 0.125 and would print as 0.12.
    values = np.abs(MASKED) if weights else MASKED.copy()
    values[2, 0] = 0.125 + 1e-12
    drawn = cell_numbers(values, palette=LIGHT, limit=3.0, weights=weights, size=13)
    printed = dict(zip(zip(drawn.y.tolist(), drawn.x.tolist(), strict=True), drawn.text, strict=True))
    kept = zip(*np.nonzero(np.isfinite(values)), strict=True)
    assert printed == {(int(r), int(c)): number(float(values[r, c])) for r, c in kept}
    assert printed[2, 0] == "0.13"
    assert drawn.mode == "text"


def test_the_ink_of_a_number_is_chosen_by_its_own_cell() -> None:
    values = np.array([[0.0, 0.5, 1.0]])
    drawn = cell_numbers(values, palette=LIGHT, limit=1.0, weights=True, size=13)
    assert list(drawn.textfont.color) == cell_inks(values[0], LIGHT.weights).tolist()
    signed = cell_numbers(np.array([[-2.0, 0.0, 2.0]]), palette=LIGHT, limit=2.0, weights=False, size=13)
    assert list(signed.textfont.color) == cell_inks(np.array([0.0, 0.5, 1.0]), LIGHT.signed).tolist()


def test_a_number_that_rounds_to_zero_has_no_sign() -> None:
    drawn = cell_numbers(np.array([[-0.001, -0.0, 0.004]]), palette=LIGHT, limit=1.0, weights=False, size=13)
    assert list(drawn.text) == ["0.00", "0.00", "0.00"]


def test_a_hatch_stands_in_every_masked_cell_and_tells_what_it_is_told() -> None:
    drawn = hatch(np.isnan(MASKED), LIGHT, "2", hover="masked")
    assert list(zip(drawn.y.tolist(), drawn.x.tolist(), strict=True)) == [
        (r, c) for r in range(3) for c in range(5) if c > r
    ]
    assert (drawn.xaxis, drawn.yaxis, drawn.hovertemplate) == ("x2", "y2", "masked")
    assert hatch(np.isnan(MASKED), LIGHT).hoverinfo == "skip"


def test_cells_over_a_picture_are_unseen_and_as_many_as_asked_for() -> None:
    drawn = cells((3, 5), hover="%{y}")
    assert (drawn.type, drawn.z.shape, drawn.opacity, drawn.hovertemplate) == ("heatmap", (3, 5), 0, "%{y}")


def test_the_first_row_is_at_the_top_and_the_first_column_at_the_left() -> None:
    # plotly.py#413: the first token was drawn at the bottom.
    assert axis(4, (0, 1))["range"] == [-0.5, 3.5]
    assert axis(4, (0, 1), reverse=True)["range"] == [3.5, -0.5]


def test_an_axis_has_one_escaped_tick_a_token() -> None:
    labels = token_labels(["<b>x</b>", "$x$", "a&b", "the", "the"], "query")
    made = axis(5, (0, 1), labels=labels)
    assert made["tickvals"] == [0, 1, 2, 3, 4]
    assert made["ticktext"] == ["&lt;b&gt;x&lt;/b&gt;₀", "$\u2060x$\u2060₁", "a&amp;b₂", "the₃", "the₄"]


def test_the_token_in_focus_is_bold_in_the_colour_of_its_role_and_still_escaped() -> None:
    labels = token_labels(["a", "<i>", "b"], "key")
    made = axis(3, (0, 1), labels=labels, marked=1, palette=LIGHT)
    assert made["ticktext"] == ["a₀", f'<b><span style="color:{LIGHT.key_text}">&lt;i&gt;₁</span></b>', "b₂"]
    assert axis(3, (0, 1), labels=labels, marked=7, palette=LIGHT)["ticktext"][0] == "a₀"


def test_unseen_axes_know_every_token_in_full() -> None:
    long = "x" * 60
    made = hover_axes(token_labels([long, "<b>"]), token_labels(["$", "b", "c"]), (0, 0.5), "3")
    assert made["yaxis3"]["ticktext"] == [f"{long}₀", "&lt;b&gt;₁"]
    assert made["xaxis3"]["ticktext"] == ["$\u2060₀", "b₁", "c₂"]
    assert made["yaxis3"]["range"] == [1.5, -0.5]
    assert not made["xaxis3"]["showticklabels"]


def test_an_outline_holds_the_cells_it_names_and_no_other() -> None:
    box = outline((1, 2), (0, 4), "#000000", 2, "3")
    assert (box["y0"], box["y1"], box["x0"], box["x1"]) == (0.5, 2.5, -0.5, 4.5)
    assert (box["xref"], box["yref"]) == ("x3", "y3")


def test_pictures_have_no_plotly_interaction_but_hover() -> None:
    made = layout(200, LIGHT, {"l": 1, "r": 2, "t": 3, "b": 4})
    assert made["dragmode"] is False
    assert made["hovermode"] == "closest"
    assert made["margin"] == {"pad": 0, "l": 1, "r": 2, "t": 3, "b": 4}
    assert made["paper_bgcolor"] == made["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert layout(200, LIGHT, {})["shapes"] is not made["shapes"]


@pytest.mark.parametrize("shape", [(64, 64), (3, 5), (2, 3, 64)])
def test_up_to_64_tokens_every_cell_is_drawn(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(2).normal(size=shape)
    shown, high, wide = in_blocks(values)
    assert shown is values
    assert (high, wide) == (1, 1)


def blocks_in_loops(values: NDArray[np.float64], high: int, wide: int) -> list[list[float]]:
    """The entry of largest magnitude of each block, the first of equals; NaN where there is none."""
    n, m = values.shape
    return [
        [
            max(
                (v for v in values[i : i + high, j : j + wide].ravel().tolist() if np.isfinite(v)),
                key=abs,
                default=float("nan"),
            )
            for j in range(0, m, wide)
        ]
        for i in range(0, n, high)
    ]


@pytest.mark.parametrize(("n", "m"), [(65, 65), (130, 70), (512, 9), (3, 200), (129, 512)])
def test_a_block_keeps_its_peak(n: int, m: int) -> None:
    values = np.random.default_rng(n).normal(size=(n, m))
    values = np.where(np.tri(n, m, dtype=bool), values, np.nan)
    shown, high, wide = in_blocks(values)
    assert shown.shape == (-(-n // high), -(-m // wide))
    assert max(shown.shape) <= 64
    assert (high, wide) == (-(-n // 64), -(-m // 64))
    np.testing.assert_array_equal(shown, blocks_in_loops(values, high, wide))


def test_heads_are_put_in_blocks_each_by_itself() -> None:
    values = np.random.default_rng(3).normal(size=(3, 100, 70))
    shown, high, wide = in_blocks(values)
    np.testing.assert_array_equal(shown, [in_blocks(head)[0] for head in values])
    assert (high, wide) == (2, 2)
