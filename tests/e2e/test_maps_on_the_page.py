"""Pictures of matrices on a page that changes round them: answers, themes, windows, hostile words, saved files."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import WebSocket, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from attnviz.figures.labels import number
from attnviz.figures.palette import PALETTES
from tests.e2e.drawn_maps import FILLS, expected, fills, tip
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen


def test_the_picture_stays_while_its_numbers_change(screen: Screen) -> None:
    """Nothing is taken away and put back, so nothing flickers and what is selected or scrolled stays."""
    screen.open()
    picture = screen.map("main_weights")
    picture.evaluate("""picture => {
      window.kept = picture.querySelector('.cells rect');
      window.taken = 0;
      new MutationObserver(changes => { for (const { removedNodes } of changes)
        window.taken += [...removedNodes].filter(node => !['tspan', '#text'].includes(node.nodeName)).length;
      }).observe(picture, { childList: true, subtree: true });
    }""")
    for d_k in (5, 6, 7):
        screen.set_number("w_d_k", d_k)
        screen.wait_for_link(d_k=d_k)
        assert_weights_are_those_of_the_link(screen)
    assert screen.page.evaluate("[window.kept.isConnected, window.taken]") == [True, 0]


def test_colours_glide_where_values_change_but_not_at_first_and_never_without_motion(
    new_screen: Callable[..., Screen],
) -> None:
    still = "svg => [svg.matches('.glides'), getComputedStyle(svg.querySelector('rect')).transitionDuration]"
    for motion, wanted in (("no-preference", [True, "0.15s"]), ("reduce", [True, "0s"])):
        screen = new_screen(reduced_motion=motion)
        screen.open()
        svg = screen.map("main_weights").locator("svg")
        assert svg.evaluate(still) == [False, "0s"]
        screen.set_number("w_d_k", 5)
        screen.wait_for_link(d_k=5)
        assert svg.evaluate(still) == wanted
        screen.say("another number of cells")
        screen.wait_for_link(sentence="another number of cells")
        assert svg.evaluate(still) == [False, "0s"]


def test_the_renderer_comes_once_and_no_answer_brings_it_again(screen: Screen) -> None:
    heard: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: heard.append(bytes(frame)))

    screen.page.on("websocket", listen)
    screen.open()
    script = b"A picture of matrices"
    assert sum(script in frame for frame in heard) == 1
    heard.clear()
    screen.set_number("w_d_k", 5)
    screen.wait_for_link(d_k=5)
    screen.of("path").get_by_role("radio").nth(6).click()
    screen.wait_for_link(d_k=5, stage="heads")
    assert len(heard) > 2
    assert not any(script in frame for frame in heard)


def test_another_theme_gives_the_same_picture_its_colours_with_the_next_answer(
    new_screen: Callable[..., Screen],
) -> None:
    screen = new_screen(color_scheme="light")
    screen.open()
    screen.map("main_weights").evaluate("picture => (window.kept = picture)")
    screen.page.emulate_media(color_scheme="dark")
    screen.set_number("w_d_k", 5)
    screen.wait_for_link(d_k=5)
    wanted = expected(screen.lesson().trace.weights[0], 1.0, PALETTES["dark"].weights, weights=True)
    np.testing.assert_allclose(fills(screen, "main_weights", 0, (5, 5)), wanted, atol=1)
    inks = screen.map("main_weights").locator(".ticks text").evaluate_all(FILLS)
    assert set(inks) == {PALETTES["dark"].ink}
    assert screen.page.evaluate("window.kept.isConnected")


HOSTILE = [
    "<b>x</b>",
    "<img/src=x/onerror=alert(1)>",
    "&lt;i&gt;",
    "$a$",
    "%{z}",
    "</tspan><script>alert(1)</script>",
]


@pytest.mark.parametrize("token", HOSTILE)
def test_a_token_is_drawn_told_and_saved_as_what_it_is(screen: Screen, token: str) -> None:
    screen.open(sentence=f"{token} b", tokenizer="words", stage="scores")
    tokens = screen.lesson().tokens.tokens
    picture = screen.map("main_scores")
    shown = [text.replace("\u2060", "") for text in picture.locator(".ticks text").all_text_contents()]
    for i, one in enumerate(tokens):
        if len(one) <= 12:
            assert sum(text.replace("\u200a", "").strip("“”").startswith(one[:1]) for text in shown) >= 2, (
                i,
                one,
            )
    assert picture.locator("b, i, img, script").count() == 0
    n = len(tokens)
    picture.hover(position=screen.cell("main_scores", 0, n - 1, (n, n)))
    told = tip(screen).locator("div").first.inner_text().replace("\u2060", "").replace("\u200a", "")
    assert told == f"{_quoted(tokens[0])}₀ → {_quoted(tokens[-1])}{_subscript(n - 1)}"
    assert tip(screen).locator("b, i, img, script").count() == 0


def _quoted(token: str) -> str:
    return f"“{token}”" if re.fullmatch(r"[^\w\s<>$+=|~^`]+", token) else token


def _subscript(place: int) -> str:
    return str(place).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


@pytest.mark.parametrize(("link", "key"), [({}, "main_weights"), ({"sentence": "x " * 60}, "main_weights")])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_picture_is_saved_whole(
    screen: Screen, tmp_path: Path, kind: str, link: dict[str, Any], key: str
) -> None:
    screen.open(**link)
    picture = screen.map(key)
    picture.hover()
    with screen.page.expect_download() as waiting:
        picture.get_by_role("button", name=f"Save the picture as {kind.upper()}").click()
    assert waiting.value.suggested_filename == f"attnviz_{key}.{kind}"
    file = tmp_path / "picture"
    waiting.value.save_as(file)
    box = picture.bounding_box()
    assert box is not None
    if kind == "png":
        with Image.open(BytesIO(file.read_bytes())) as image:
            assert image.size == (2 * round(box["width"]), 2 * round(box["height"]))
            assert len(image.convert("RGB").getcolors(1_000_000) or []) > 10
    else:
        text = file.read_text(encoding="utf-8")
        assert text.count("<rect") > 25 or "data:image/png" in text
        assert all(name in text for name in ("looks ↓", "is looked at →"))
        assert "script" not in text
    screen.page.mouse.move(5, 5)


def test_the_buttons_to_save_are_seen_on_hover_and_focus_only_and_speak_the_readers_language(
    screen: Screen,
) -> None:
    screen.open(language="ja")
    bar = screen.map("main_weights").locator(".save")
    expect(bar).to_have_css("opacity", "0")
    screen.map("main_weights").hover()
    expect(bar).to_have_css("opacity", "1")
    screen.page.mouse.move(5, 5)
    expect(bar).to_have_css("opacity", "0")
    button = bar.get_by_role("button", name="図を SVG で保存")
    button.focus()
    expect(bar).to_have_css("opacity", "1")


def test_a_picture_fits_the_window_when_that_changes(screen: Screen) -> None:
    screen.open()
    for width in (1100, 1440):
        screen.page.set_viewport_size({"width": width, "height": 900})
        screen.settle()
        picture = screen.map("main_weights")
        box, ground = picture.bounding_box(), picture.locator("svg").bounding_box()
        assert box is not None and ground is not None
        assert ground["width"] == pytest.approx(box["width"], abs=1)
        screen.click_cell("main_weights", 2, 1, (5, 5))
        screen.wait_for_link(query=2, key=1)


def test_numbers_are_text_that_can_be_selected_without_asking(screen: Screen) -> None:
    screen.open()
    weights = screen.lesson().trace.weights[0]
    picture = screen.map("main_weights")
    box, start, end = picture.bounding_box(), *(screen.cell("main_weights", 0, j, (5, 5)) for j in (0, 1))
    assert box is not None
    screen.page.mouse.move(box["x"] + start["x"] - 16, box["y"] + start["y"])
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + end["x"] + 16, box["y"] + end["y"], steps=5)
    screen.page.mouse.up()
    selected = screen.page.evaluate("String(getSelection())")
    assert number(float(weights[0, 0])) in selected
    screen.page.wait_for_timeout(300)
    assert "ask" not in screen.link


def test_cells_and_their_numbers_keep_their_colours_where_the_readers_own_are_forced(
    new_screen: Callable[..., Screen],
) -> None:
    screen = new_screen(forced_colors="active")
    screen.open()
    colours = screen.map("main_weights").evaluate("""picture => {
      const rect = picture.querySelector('.cells rect'), text = picture.querySelector('.numbers text');
      return [[rect, 'fill'], [text, 'fill']].map(([e, a]) => [getComputedStyle(e).fill, e.getAttribute(a)]);
    }""")
    for seen, meant in colours:
        assert _rgb(seen) == _rgb(meant)


def _rgb(colour: str) -> list[int]:
    if colour.startswith("#"):
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return [int(part) for part in re.findall(r"\d+", colour)][:3]


FORGED = [
    {"row": 0},
    {"row": -1, "column": 0, "axes": 0, "given": []},
    {"row": 0, "column": 0, "axes": 0, "given": ["weights"]},
    {"row": 999, "column": 999, "axes": 0, "given": [0, 0, 1, 1, 4, "weights"]},
    {"row": 0, "column": 0, "axes": 0, "given": [0, 0, 1, 1, 4, "<img src=x onerror=alert(1)>"]},
    "weights",
]


@pytest.mark.parametrize("told", FORGED, ids=json.dumps)
def test_a_click_that_no_picture_made_changes_nothing(screen: Screen, told: object) -> None:
    forged: list[str] = []

    def connect(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def ask(frame: str | bytes) -> None:
            message = BackMsg.FromString(bytes(frame)) if isinstance(frame, bytes) else BackMsg()
            for widget in message.rerun_script.widget_states.widgets:
                if '"asked"' in widget.json_trigger_value:
                    widget.json_trigger_value = json.dumps([{"event": "asked", "value": told}])
                    forged.append(widget.id)
            server.send(message.SerializeToString())

        browser.on_message(ask)

    screen.page.route_web_socket("**/_stcore/stream", connect)
    screen.open()
    screen.click_cell("main_weights", 1, 2, (5, 5))
    screen.settle()
    assert forged
    assert "ask" not in screen.link
    assert_weights_are_those_of_the_link(screen)
