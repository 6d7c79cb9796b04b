"""Change it by hand in a real browser: what is typed, pasted, saved and opened is what the picture then shows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from attnviz.core.embedding import embed
from attnviz.core.layer import MultiHeadAttention
from attnviz.edits import read_edits
from attnviz.words import Words
from tests.e2e.screen import Screen

TOKENS = ["I", "have", "a", "pen", "."]
WIDTH, HEIGHT = 72, 35  # pixels of a cell of the grid
EN = Words("en")
Arrays = dict[str, NDArray[np.float64]]


def drawn() -> Arrays:
    """Everything that the default lesson draws, without a lesson."""
    layer = MultiHeadAttention.random(d_model=8, num_heads=2, d_k=4, d_v=4, seed=0)
    return {"x": embed(TOKENS, 8, 0)} | {name: array.copy() for name, array in layer.parameters().items()}


def by_hand(a: Arrays, keep: NDArray[np.bool_] | None = None) -> Arrays:
    """The definition in plain NumPy, head by head, from the arrays alone."""
    outputs, weights = 0.0, []
    for h in range(len(a["w_q"])):
        scores = (a["x"] @ a["w_q"][h]) @ (a["x"] @ a["w_k"][h]).T / np.sqrt(a["w_q"].shape[2])
        powers = np.exp(scores) * (1.0 if keep is None else keep)
        weights.append(powers / powers.sum(axis=1, keepdims=True))
        outputs = outputs + weights[-1] @ (a["x"] @ a["w_v"][h]) @ a["w_o"][h]
    return {"output": np.asarray(outputs), "weights": np.array(weights)}


def open_grid(screen: Screen, matrix: str = "") -> None:
    """Open the grids of the station, and there the one of this name."""
    screen.of("edit").get_by_role("button").first.click()
    expect(grid(screen)).to_be_visible()
    if matrix:
        screen.page.locator(".st-key-edit_box").get_by_role("radio", name=matrix, exact=True).click()
    screen.settle()


def grid(screen: Screen) -> Any:
    return screen.page.locator(".st-key-edit_box [data-testid='stDataFrame'] canvas").first


def click(screen: Screen, row: int, column: int, columns: int) -> None:
    """Click a cell of the grid of so many columns."""
    box = grid(screen).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] - WIDTH * (columns - column - 0.5)
    screen.page.mouse.click(x, box["y"] + HEIGHT * (row + 1.5))


def pick(screen: Screen, row: int, column: int, columns: int) -> None:
    """Choose a cell of the grid, for typing."""
    click(screen, row, column, columns)
    cell = screen.page.locator(f".st-key-edit_box [data-testid=glide-cell-{column + 1}-{row}]")
    expect(cell).to_have_attribute("aria-selected", "true")
    drawn_twice(screen)


def type_in(screen: Screen, text: str) -> None:
    """Type into the chosen cell and press Enter: a box opens with the first key and closes with Enter."""
    box = screen.page.locator("[id^=gdg-overlay] textarea")
    screen.page.keyboard.type(text[0])
    expect(box).to_be_focused()
    screen.page.keyboard.type(text[1:])
    expect(box).to_have_value(text)
    drawn_twice(screen)  # the grid takes over what is in the box on its next frame; no finger is faster
    screen.page.keyboard.press("Enter")
    expect(box).to_have_count(0)


def drawn_twice(screen: Screen) -> None:
    screen.page.evaluate(
        "async () => { for (let i = 0; i < 2; i++) await new Promise(done => requestAnimationFrame(done)); }"
    )


def assert_output(screen: Screen, arrays: Arrays, keep: NDArray[np.bool_] | None = None) -> None:
    """The output on screen is what the arrays make."""
    if screen.link.get("stage") != "output":
        screen.page.keyboard.press("Escape")
        screen.of("path").get_by_role("radio").last.click()
        screen.wait_for_link(stage="output")
    shown = screen.charts()[0].maps()
    expected = by_hand(arrays, keep)["output"]
    columns = screen.link.get("notation") == "columns"
    np.testing.assert_allclose(shown[0].T if columns else shown[-1], expected, atol=1e-6)


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


def save(screen: Screen) -> Path:
    """The lesson file of the lesson on screen."""
    open_files(screen)
    with screen.page.expect_download() as download:
        screen.of("file_save").get_by_role("button").click()
    return Path(download.value.path())


def open_files(screen: Screen) -> None:
    screen.page.get_by_test_id("stSidebar").get_by_text(EN("file.title"), exact=True).click()
    expect(screen.of("file_save")).to_be_visible()
    screen.settle()


def upload(screen: Screen, *, name: str, data: bytes) -> None:
    screen.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )
    screen.page.locator(".av-notices").get_by_text(name).wait_for()
    screen.settle()


def test_a_lesson_saved_here_and_opened_elsewhere_has_the_same_numbers(
    new_screen: Callable[..., Screen],
) -> None:
    arrays = drawn()
    first = new_screen(accept_downloads=True)
    first.open(stage="qkv", temperature=1, key=2)
    open_grid(first, "W_K")
    pick(first, 0, 0, 4)
    type_in(first, "0.1")
    first.page.wait_for_url("**edits=w_k*")
    first.settle()
    arrays["w_k"][0, 0, 0] = 0.1
    first.page.keyboard.press("Escape")
    saved = save(first).read_bytes()
    assert_output(first, arrays)
    # A fresh window, in another language, with settings of its own.
    second = new_screen(locale="ja-JP")
    second.open(num_heads=3, seed=5, mask="causal", language="en")
    open_files(second)
    upload(second, name="from_elsewhere.json", data=saved)
    second.wait_for_link(num_heads=None, seed=None, mask=None, key=2, edits="w_k~2x8x4~0~0.1", language="en")
    assert_output(second, arrays)
    np.testing.assert_array_equal(second.charts()[0].maps()[-1], first.charts()[0].maps()[-1])


def test_edits_too_many_for_a_link_are_in_the_file_and_found_again_by_back(
    new_screen: Callable[..., Screen],
) -> None:
    layer = MultiHeadAttention.random(d_model=8, num_heads=2, d_k=4, d_v=4, seed=9)
    parts = [{"matrix": name, "values": array.tolist()} for name, array in layer.parameters().items()]
    file = {"format": "attnviz lesson", "version": 1, "settings": {"stage": "output"}, "edits": parts}
    arrays = {"x": embed(TOKENS, 8, 0)} | layer.parameters()
    screen = new_screen(accept_downloads=True)
    screen.open()
    open_files(screen)
    upload(screen, name="whole.json", data=json.dumps(file).encode())
    assert screen.link["edits"].startswith("kept~")
    assert_output(screen, arrays)
    body = screen.page.locator("body").inner_text()
    assert EN("edit.own") in body
    assert EN("edit.not_in_link") in body
    screen.of("path").get_by_role("radio").first.click()
    screen.wait_for_link(stage="x")
    screen.back()
    assert_output(screen, arrays)
    with screen.page.expect_download() as download:
        screen.of("file_save").get_by_role("button").click()
    saved = json.loads(Path(download.value.path()).read_bytes())
    assert {part["matrix"]: part["values"] for part in saved["edits"]} == {
        name: array.tolist() for name, array in layer.parameters().items()
    }
    # The link alone does not bring them to another browser, and says so.
    other = new_screen()
    other.visit(screen.page.url)
    assert EN("edit.missing") in other.page.locator("body").inner_text()


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("cut.json", b'{"format": "attnviz lesson", "version": 1, "set', "$"),
        (
            "later.json",
            b'{"format": "attnviz lesson", "version": 2, "settings": {}, "edits": []}',
            "$.version",
        ),
        ("<b>evil</b>.npz", b"PK\x03\x04 no zip", "The file"),
        ("x.safetensors", b"\x02\0\0\0\0\0\0\0{}", "w_q"),
    ],
)
def test_a_broken_file_gets_a_message_and_nothing_is_lost(
    screen: Screen, name: str, data: bytes, place: str
) -> None:
    screen.open(edits="w_q~2x8x4~0~7", head=2, stage="output")
    link = screen.link
    open_files(screen)
    upload(screen, name=name, data=data)
    message = screen.page.locator(".av-notices").inner_text()
    assert f"{name} was not opened. {place}: expected " in message
    assert "Nothing was changed." in message
    assert screen.link == link
    arrays = drawn()
    arrays["w_q"][0, 0, 0] = 7
    assert_output(screen, arrays)
    assert read_edits(screen.link["edits"]).count == 1
