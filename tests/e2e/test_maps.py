"""The pictures of matrices as a browser draws them: every colour, number and word is of the trace, every cell answers."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz.explain import matrix
from attnviz.figures.labels import number
from attnviz.figures.palette import PALETTES
from tests.e2e.drawn_maps import expected, fills, printed, tip
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen


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
