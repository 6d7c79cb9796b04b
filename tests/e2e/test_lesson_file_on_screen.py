"""A lesson saved in a real browser is what opens in another one, and a broken file changes nothing."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz.core.embedding import embed
from attnviz.core.exchange.files import WRITERS
from attnviz.core.exchange.npz import write_npz
from attnviz.core.layer import MultiHeadAttention
from attnviz.lesson.edits import read_edits
from attnviz.words import Words
from tests.e2e.default_lesson import TOKENS, assert_output, drawn
from tests.e2e.edit_grid import open_grid, pick, type_in
from tests.e2e.screen import Screen

EN = Words("en")


def save(screen: Screen) -> Path:
    """The lesson file of the lesson on screen."""
    open_files(screen)
    with screen.page.expect_download() as download:
        screen.of("file_save").get_by_role("button").click()
    return Path(download.value.path())


def open_files(screen: Screen) -> None:
    for section in ("common.more", "file.title"):
        screen.page.get_by_test_id("stSidebar").get_by_text(EN(section), exact=True).click()
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
        ("cut.json", b'{"format": "attnviz lesson", "version": 1, "set', "The file"),
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


@pytest.mark.parametrize("end", ["npz", "safetensors"])
def test_a_layer_by_pytorchs_names_is_on_screen_with_the_heads_that_were_set(
    screen: Screen, tmp_path: Path, end: str
) -> None:
    own = MultiHeadAttention.random(d_model=6, num_heads=3, d_k=2, d_v=2, seed=9)
    state = {f"model.layers.3.self_attn.{name}": array for name, array in own.to_torch().items()}
    with (tmp_path / "state").open("wb") as file:
        WRITERS[f".{end}"](file, state)
    screen.open(num_heads=3, stage="output")
    open_files(screen)
    upload(screen, name=f"torch.{end}", data=(tmp_path / "state").read_bytes())
    notices = screen.page.locator(".av-notices").inner_text()
    assert f"torch.{end} is open." in notices
    assert "model.layers.3.self_attn.in_proj_weight" in notices
    assert "The file does not say for how many heads: H = 3, as it was set." in notices
    assert_output(screen, {"x": embed(TOKENS, 6, 0)} | own.parameters())


def test_a_half_precision_file_of_2_to_the_20_numbers_is_taken_and_unknown_names_are_listed(
    screen: Screen,
) -> None:
    """Case 60: it was over the limit, and a file with other names had "nothing"."""
    numbers = np.linspace(-1.0, 1.0, 2**18).astype(np.float16)
    arrays = dict.fromkeys(("w_q", "w_k", "w_v"), numbers.reshape(4, 512, 128)) | {
        "w_o": numbers.reshape(4, 128, 512)
    }
    screen.open(sentence="a b", stage="scores")
    open_files(screen)
    out = io.BytesIO()
    write_npz(out, arrays)
    upload(screen, name="half.npz", data=out.getvalue())
    screen.wait_for_link(num_heads=4, d_model=512, d_k=128, d_v=128)
    out = io.BytesIO()
    write_npz(out, {"wte": numbers, "wpe": numbers})
    upload(screen, name="other.npz", data=out.getvalue())
    message = screen.page.locator(".av-notices").inner_text()
    assert "other.npz was not opened. The file: expected names of attnviz (w_q, …), PyTorch" in message
    assert "found wte, wpe." in message
