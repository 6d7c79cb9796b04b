"""Change it by hand in a real browser: what is typed and pasted is what the picture then shows."""

from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from attnviz.words import Words
from tests.e2e.default_lesson import assert_output, drawn
from tests.e2e.edit_grid import click, grid, open_grid, pick, type_in
from tests.e2e.screen import Screen

EN = Words("en")


def test_a_weight_typed_into_the_grid_makes_the_output_that_an_oracle_recomputes(screen: Screen) -> None:
    screen.open(stage="qkv", head=2)
    before = screen.charts()[0].maps()
    open_grid(screen, "W_V")
    pick(screen, 6, 1, 4)
    type_in(screen, "2.5")
    screen.page.wait_for_url("**edits=w_v*")
    screen.settle()
    arrays = drawn()
    arrays["w_v"][1, 6, 1] = 2.5
    # The grid is still open, and beside it the picture has followed.
    expect(grid(screen)).to_be_visible()
    after = screen.charts()[0].maps()
    np.testing.assert_allclose(after[2], arrays["x"] @ arrays["w_v"][1], atol=1e-6)
    assert not np.allclose(after[2], before[2])
    assert "Cells put in by hand: W_V, head 2: 1" in screen.page.locator("body").inner_text()
    assert EN("edit.partly_random") in screen.page.locator("body").inner_text()
    assert_output(screen, arrays)


def test_one_cell_after_the_other_is_typed_without_leaving_the_grid(screen: Screen) -> None:
    screen.open(stage="output")
    open_grid(screen)
    pick(screen, 0, 7, 8)
    for text in ("1", "-2", "0.5"):  # Enter goes one row down
        type_in(screen, text)
        screen.settle()
    arrays = drawn()
    arrays["w_o"].reshape(8, 8)[:3, 7] = (1, -2, 0.5)
    screen.page.wait_for_url("**23~0.5*")
    screen.settle()
    assert_output(screen, arrays)


def test_in_column_notation_the_grid_stands_as_the_picture_does(screen: Screen) -> None:
    screen.open(stage="x", notation="columns")
    open_grid(screen)
    pick(screen, 7, 3, 5)  # coordinate 7 of token 3
    type_in(screen, "-1.5")
    screen.page.wait_for_url("**edits=x*")
    screen.settle()
    arrays = drawn()
    arrays["x"][3, 7] = -1.5
    np.testing.assert_allclose(screen.charts()[0].maps()[0], arrays["x"].T, atol=1e-6)
    assert_output(screen, arrays)


def test_a_block_is_pasted_from_a_spreadsheet_and_what_is_no_number_is_said(
    new_screen: Callable[..., Screen],
) -> None:
    screen = new_screen(permissions=["clipboard-read", "clipboard-write"])
    screen.open(stage="qkv")
    open_grid(screen)
    pick(screen, 2, 1, 4)
    screen.page.evaluate("navigator.clipboard.writeText('1\\t2\\n3\\tpen <b>\\n-0.125\\t1e-3')")
    screen.page.keyboard.press("Control+v")
    screen.page.wait_for_url("**edits=w_q*")
    screen.settle()
    arrays = drawn()
    arrays["w_q"][0, 2, 1:3], arrays["w_q"][0, 3, 1] = (1, 2), 3
    arrays["w_q"][0, 4, 1:3] = (-0.125, 1e-3)
    box = screen.page.locator(".st-key-edit_box").inner_text()
    assert "row 3, column 2: “pen <b>” is not a number" in box
    assert EN("edit.refused.kept") in box
    assert_output(screen, arrays)


def test_one_matrix_and_all_are_reset_and_back_undoes_it(screen: Screen) -> None:
    screen.open(stage="qkv", edits="w_k~2x8x4~0~9~~w_q~2x8x4~0~7~40~8")
    open_grid(screen)
    screen.of("edit_reset").get_by_role("button").click()
    screen.wait_for_link(edits="w_k~2x8x4~0~9~~w_q~2x8x4~40~8")  # head 2 keeps its own
    screen.of("edit_reset_all").get_by_role("button").click()
    screen.wait_for_link(edits=None)
    np.testing.assert_allclose(screen.charts()[0].maps()[0], drawn()["x"] @ drawn()["w_q"][0], atol=1e-6)
    screen.back()
    screen.wait_for_link(edits="w_k~2x8x4~0~9~~w_q~2x8x4~40~8")
    arrays = drawn()
    arrays["w_k"][0, 0, 0], arrays["w_q"][1, 2, 0] = 9, 8
    assert_output(screen, arrays)


def test_a_deleted_cell_holds_again_what_was_drawn(screen: Screen) -> None:
    screen.open(stage="qkv", edits="w_q~2x8x4~0~7~1~8")
    open_grid(screen)
    pick(screen, 0, 1, 4)
    screen.page.keyboard.press("Delete")
    screen.wait_for_link(edits="w_q~2x8x4~0~7")
    arrays = drawn()
    arrays["w_q"][0, 0, 0] = 7
    assert_output(screen, arrays)


def test_the_mask_is_drawn_in_ticks(screen: Screen) -> None:
    screen.open(stage="masked", mask="causal")
    open_grid(screen)
    click(screen, 1, 3, 5)
    screen.wait_for_link(mask="drawn", drawn="10000.11010.11100.11110.11111")
    keep = np.tri(5, dtype=bool)
    keep[1, 3] = True
    shown = screen.charts()[0].maps()[0]
    np.testing.assert_array_equal(np.isfinite(shown), keep)
    screen.of("edit_reset").get_by_role("button").click()
    screen.wait_for_link(mask="causal", drawn=None)
