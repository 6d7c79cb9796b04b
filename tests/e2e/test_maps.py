"""The pictures of matrices as a browser draws them: every colour, number and word is of the trace, every cell answers."""

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, WebSocket, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from attnviz.explain import matrix
from attnviz.figures.labels import number
from attnviz.figures.palette import PALETTES, Scale, cell_colours
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen

FILLS = "rects => rects.map(rect => rect.getAttribute('fill'))"


def fills(screen: Screen, key: str, k: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The colours (rows, columns, 3) of one of the matrices of a picture, from 0 to 255; NaN where there is none."""
    rects = screen.map(key).locator(".cells > g").nth(k).locator("rect")
    found = rects.evaluate_all(FILLS)
    colours = [[np.nan] * 3 if fill == "none" else re.findall(r"\d+", fill) for fill in found]
    return np.array(colours, float).reshape(*shape, 3)


def expected(
    values: NDArray[np.floating], limit: float, scale: Scale, *, weights: bool
) -> NDArray[np.float64]:
    shares = values / limit if weights else (values / limit + 1) / 2
    codes = cell_colours(np.nan_to_num(shares), scale)
    colours = np.array([[int(code[i : i + 2], 16) for i in (1, 3, 5)] for code in codes.ravel()], float)
    colours[np.isnan(values).ravel()] = np.nan
    return colours.reshape(*values.shape, 3)


def printed(picture: Locator) -> list[str]:
    return picture.locator(".numbers text").all_text_contents()


def tip(screen: Screen) -> Locator:
    return screen.page.locator(".av-map .tip:popover-open")


@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_cell_has_the_colour_and_the_number_of_its_weight(
    new_screen: Callable[..., Screen], theme: str, notation: str
) -> None:
    screen = new_screen(color_scheme=theme)
    screen.open(mask="causal", notation=notation, num_heads=3, head=2, sentence="a b c d", source="e f g h i")
    trace = screen.lesson().trace
    weights = np.where(trace.keep, trace.weights, np.nan)  # type: ignore[arg-type]
    if notation == "columns":
        weights = weights.swapaxes(1, 2)
    scale = PALETTES[theme].weights
    _, n, m = weights.shape
    assert n != m
    wanted = expected(weights[1], 1.0, scale, weights=True)
    np.testing.assert_allclose(fills(screen, "main_weights", 0, (n, m)), wanted, atol=1)
    for h, head in enumerate(weights):
        wanted = expected(head, 1.0, scale, weights=True)
        np.testing.assert_allclose(fills(screen, "heads_weights", h, (n, m)), wanted, atol=1)
    shown = [number(float(value)) for value in weights[1].ravel() if not np.isnan(value)]
    assert printed(screen.map("main_weights"))[: len(shown)] == shown


def test_matrices_side_by_side_have_the_colours_and_numbers_of_their_cells(screen: Screen) -> None:
    screen.open(stage="qkv", d_k=3, d_v=5, theme="light")
    trace = screen.lesson().trace
    matrices = [matrix(trace, name, 0) for name in ("query", "key", "value")]
    limit = max(float(np.abs(values).max()) for values in (trace.query, trace.key, trace.value))
    for k, values in enumerate(matrices):
        wanted = expected(values, limit, PALETTES["light"].signed, weights=False)
        np.testing.assert_allclose(fills(screen, "main_qkv", k, values.shape), wanted, atol=1)
    shown = [number(float(value)) for values in matrices for value in values.ravel()]
    assert printed(screen.map("main_qkv")) == shown


def test_a_dense_picture_is_painted_and_its_pixels_are_its_cells(screen: Screen) -> None:
    screen.open(sentence=" ".join(f"w{i}" for i in range(64)), full_scale=1)
    weights = screen.lesson().trace.weights[0]
    picture = screen.map("main_weights")
    assert picture.locator(".cells rect").count() == 0
    cells = [
        (0, 0),
        (63, 63),
        (10, 50),
        (50, 10),
        tuple(map(int, np.unravel_index(weights.argmax(), (64, 64)))),
    ]
    colour = """(picture, { x, y }) => {
      const canvas = picture.querySelector('canvas'), ratio = canvas.width / canvas.clientWidth;
      return [...canvas.getContext('2d').getImageData(Math.floor(x * ratio), Math.floor(y * ratio), 1, 1).data];
    }"""
    wanted = expected(weights, 1.0, PALETTES["light"].weights, weights=True)
    for row, column in cells:
        found = picture.evaluate(colour, screen.cell("main_weights", row, column, (64, 64)))
        np.testing.assert_allclose(found[:3], wanted[row, column], atol=1)


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_a_click_asks_the_cell_that_was_clicked_in_either_notation(screen: Screen, notation: str) -> None:
    screen.open(notation=notation, sentence="a b c d", source="e f g", stage="scores")
    shape = (4, 3) if notation == "rows" else (3, 4)
    place = (2, 1) if notation == "rows" else (1, 2)
    screen.click_cell("main_scores", *place, shape)
    screen.wait_for_link(ask="scores", query=2, key=1)
    assert (
        screen.map("main_scores").evaluate("picture => picture.figure.layout.shapes.at(-1)")["x0"]
        == place[1] - 0.5
    )


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_each_of_several_matrices_answers_for_itself(screen: Screen, notation: str) -> None:
    screen.open(stage="output", notation=notation, d_v=3, num_heads=2)
    # concat, W_O, output: in column notation the other way round and each turned
    w_o = (6, 8) if notation == "rows" else (8, 6)
    place = (4, 7) if notation == "rows" else (7, 4)
    screen.click_cell("main_output", *place, w_o, matrix=1)
    screen.wait_for_link(ask="w_o.1.7", head=2)


def test_a_click_on_a_small_map_takes_its_head(screen: Screen) -> None:
    screen.open(num_heads=5)
    screen.click_cell("heads_weights", 2, 4, (5, 5), matrix=3)
    screen.wait_for_link(head=4)
    assert_weights_are_those_of_the_link(screen)


def test_a_masked_cell_is_hatched_and_says_so(screen: Screen) -> None:
    screen.open(mask="causal")
    path = screen.map("main_weights").locator(".hatches path")
    strokes = path.get_attribute("d") or ""
    assert strokes.count("M") == 10
    at = screen.cell("main_weights", 0, 4, (5, 5))
    places = [tuple(map(float, found)) for found in re.findall(r"M([\d.]+) ([\d.]+)l", strokes)]
    assert min(np.hypot(x - 4.5 - at["x"], y + 4.5 - at["y"]) for x, y in places) < 1
    screen.map("main_weights").hover(position=at)
    expect(tip(screen)).to_have_text("I₀ → “\u200a.\u200a”₄masked: may not be looked at")


def test_the_pointer_hears_both_tokens_whole_and_the_number(screen: Screen) -> None:
    long = "pneumonoultramicroscopicsilicovolcanoconiosis"
    screen.open(sentence=f"a {long} b")
    weight = screen.lesson().trace.weights[0, 1, 1]
    screen.map("main_weights").hover(position=screen.cell("main_weights", 1, 1, (3, 3)))
    expect(tip(screen)).to_have_text(f"{long}₁ → {long}₁weight {weight:.4f}")
    assert long not in "".join(screen.map("main_weights").locator(".ticks text").all_text_contents())
    screen.page.mouse.move(5, 5)
    expect(tip(screen)).to_have_count(0)


def test_cells_are_walked_heard_and_asked_by_keyboard(screen: Screen) -> None:
    screen.open(query=1, key=2)
    weights = screen.lesson().trace.weights[0]
    holder = screen.map("main_weights").locator(".at")
    holder.focus()
    names = ["I₀", "have₁", "a₂", "pen₃"]

    def heard(row: int, column: int) -> None:
        expect(holder).to_be_focused()
        expect(holder).to_have_accessible_name(
            f"{names[row]} → {names[column]}, weight {weights[row, column]:.4f}"
        )
        expect(holder).to_have_role("button")

    heard(1, 2)  # the cell that is outlined
    screen.page.keyboard.press("ArrowRight")
    heard(1, 3)
    screen.page.keyboard.press("ArrowUp")
    screen.page.keyboard.press("ArrowUp")  # there is no further one
    heard(0, 3)
    box, middle = holder.bounding_box(), screen.cell("main_weights", 0, 3, (5, 5))
    picture = screen.map("main_weights").bounding_box()
    assert box is not None and picture is not None
    assert abs(box["x"] + box["width"] / 2 - picture["x"] - middle["x"]) < 1
    assert abs(box["y"] + box["height"] / 2 - picture["y"] - middle["y"]) < 1
    screen.page.keyboard.press("Enter")
    screen.wait_for_link(ask="weights", query=0, key=3)
    heard(0, 3)  # the focus has stayed


def test_by_arrows_one_goes_from_head_to_head(screen: Screen) -> None:
    screen.open(num_heads=6)
    holder = screen.map("heads_weights").locator(".at")
    holder.focus()
    for key, name in (
        ("ArrowRight", "head 2"),
        ("ArrowDown", "head 6"),
        ("ArrowLeft", "head 5"),
        ("ArrowUp", "head 1"),
    ):
        screen.page.keyboard.press(key)
        expect(holder).to_have_accessible_name(name)
    screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press(" ")
    screen.wait_for_link(head=5)


def test_a_picture_has_the_name_that_it_had_as_a_group(screen: Screen) -> None:
    screen.open()
    name = "Weights: map of head 1, 5 queries by 5 keys. The button Table shows the same numbers as a table."
    expect(screen.page.get_by_role("group", name=name)).to_have_count(1)


def test_a_swipe_over_a_picture_scrolls_the_page_and_a_tap_asks(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    screen.open()
    picture = screen.map("main_weights")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    main = screen.page.get_by_test_id("stMain")
    before = main.evaluate("main => main.scrollTop")
    x, y = box["x"] + 200, box["y"] + 300
    touch = screen.page.context.new_cdp_session(screen.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        moved = {"x": x, "y": y - 25 * step}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [moved]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.page.wait_for_function(
        "before => document.querySelector('.stMain').scrollTop > before + 150", arg=before
    )
    assert "ask" not in screen.link
    at = screen.cell("main_weights", 1, 2, (5, 5))
    picture.tap(position=at)
    screen.wait_for_link(ask="weights", query=1, key=2)


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
