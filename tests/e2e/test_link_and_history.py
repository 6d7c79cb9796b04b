"""The address carries the whole state: reload, another browser, Back and Forward, page changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, expect

from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen
from tests.e2e.serve import PAGES, serving

# As many settings as one screen shows, none at its default.
FAR_FROM_DEFAULT: dict[str, Any] = {
    "sentence": "a & b=c + 1% a?",
    "tokenizer": "characters",
    "d_model": 5,
    "num_heads": 3,
    "d_k": 2,
    "d_v": 6,
    "score": "gaussian",
    "sigma": 1.5,
    "scale": "number",
    "divisor": 0.5,
    "mask": "window",
    "window": 2,
    "preset": "integers",
    "seed": 42,
    "head": 3,
    "query": 4,
    "key": 5,
}


def numbers(screen: Screen) -> list[list[np.ndarray]]:
    return [chart.maps() for chart in screen.charts()]


def assert_same_numbers(left: list[list[np.ndarray]], right: list[list[np.ndarray]]) -> None:
    assert len(left) == len(right) > 0
    for one, other in zip(left, right, strict=True):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_reloading_the_link_gives_the_same_numbers(screen: Screen) -> None:
    screen.open(**FAR_FROM_DEFAULT)
    screen.set_number("w_d_model", 6)
    screen.wait_for_link(d_model=6)
    before, said, address = numbers(screen), screen.sum_line, screen.page.url
    screen.visit(address)
    assert screen.page.url == address
    assert screen.link == {name: str(value) for name, value in (FAR_FROM_DEFAULT | {"d_model": 6}).items()}
    assert_same_numbers(numbers(screen), before)
    assert screen.sum_line == said
    expect(screen.sentence).to_have_value(str(FAR_FROM_DEFAULT["sentence"]))
    expect(screen.number("w_d_model")).to_have_value("6")


def test_another_browser_with_the_link_gives_the_same_numbers(new_screen: Callable[..., Screen]) -> None:
    one, other = new_screen(), new_screen(locale="ja-JP", color_scheme="dark")
    one.open(**FAR_FROM_DEFAULT)
    one.of("tokens").get_by_role("radio").nth(2).click()
    one.wait_for_link(query=2)
    other.visit(one.page.url)
    assert_same_numbers(numbers(one), numbers(other))
    assert other.sum_line.split(" = ")[1] == one.sum_line.split(" = ")[1]


def test_back_and_forward_step_through_earlier_states(screen: Screen) -> None:
    """From a neutral page, so that Back must also lead out of the app again."""
    screen.page.goto("about:blank")
    screen.open()
    first = numbers(screen)
    screen.set_number("w_num_heads", 3)
    screen.wait_for_link(num_heads=3)
    screen.say("two pens, two pens")
    screen.wait_for_link(num_heads=3, sentence="two pens, two pens")
    middle = numbers(screen)
    screen.of("path").get_by_role("radio").first.click()
    screen.wait_for_link(stage="x")

    screen.back()
    assert screen.link == {"num_heads": "3", "sentence": "two pens, two pens"}
    assert screen.station == "weights"
    assert_same_numbers(numbers(screen), middle)
    screen.back()
    assert screen.link == {"num_heads": "3"}
    expect(screen.sentence).to_have_value("I have a pen.")
    expect(screen.number("w_num_heads")).to_have_value("3")
    assert_weights_are_those_of_the_link(screen)

    screen.forward()
    assert screen.link == {"num_heads": "3", "sentence": "two pens, two pens"}
    expect(screen.sentence).to_have_value("two pens, two pens")
    assert_same_numbers(numbers(screen), middle)

    screen.back()
    screen.back()
    assert screen.link == {}
    expect(screen.number("w_num_heads")).to_have_value("2")
    assert_same_numbers(numbers(screen), first)
    screen.page.go_back()
    assert screen.page.url == "about:blank"


def test_a_change_after_back_starts_a_new_branch(screen: Screen) -> None:
    screen.open()
    for heads in (3, 4):
        screen.set_number("w_num_heads", heads)
        screen.wait_for_link(num_heads=heads)
    screen.back()
    screen.set_number("w_d_v", 5)
    screen.wait_for_link(num_heads=3, d_v=5)
    assert_weights_are_those_of_the_link(screen)
    screen.page.go_forward()  # there is nothing ahead any more
    screen.settle()
    assert screen.link == {"num_heads": "3", "d_v": "5"}
    screen.back()
    assert screen.link == {"num_heads": "3"}
    screen.back()
    assert screen.link == {}


def test_back_works_after_a_reload(screen: Screen) -> None:
    screen.open()
    screen.set_number("w_num_heads", 3)
    screen.wait_for_link(num_heads=3)
    screen.say("no pen")
    screen.wait_for_link(sentence="no pen")
    screen.answered = False
    screen.page.reload()
    screen.settle()
    screen.back()
    assert screen.link == {"num_heads": "3"}
    expect(screen.sentence).to_have_value("I have a pen.")
    assert_weights_are_those_of_the_link(screen)
    screen.forward()
    expect(screen.sentence).to_have_value("no pen")
    assert_weights_are_those_of_the_link(screen)


def test_controls_that_change_no_setting_leave_the_state_alone(screen: Screen) -> None:
    screen.open(num_heads=3)
    screen.set_number("w_d_v", 5)
    screen.wait_for_link(num_heads=3, d_v=5)
    screen.of("table").get_by_role("button").click()
    expect(screen.page.get_by_test_id("stDataFrame")).to_be_visible()
    screen.page.keyboard.press("Escape")
    screen.settle()
    assert screen.link == {"num_heads": "3", "d_v": "5"}
    assert_weights_are_those_of_the_link(screen)
    screen.back()
    assert screen.link == {"num_heads": "3"}


def test_a_sentence_too_long_for_the_link_survives_back(screen: Screen) -> None:
    long = "pen " * 2400
    screen.open()
    screen.say(long)
    expect(screen.page.locator(".av-notices").first).to_contain_text("too long for a link")
    screen.settle()
    screen.set_number("w_num_heads", 3)
    screen.wait_for_link(num_heads=3)
    screen.set_number("w_num_heads", 4)
    screen.wait_for_link(num_heads=4)
    screen.back()
    assert screen.link == {"num_heads": "3"}
    expect(screen.sentence).to_have_value(long)


def test_a_page_change_keeps_the_state(screen: Screen) -> None:
    screen.open(num_heads=3, sentence="a b a")
    screen.set_number("w_d_v", 5)
    screen.wait_for_link(d_v=5)
    state = screen.link
    screen.pages.nth(1).click()
    screen.page.wait_for_url(lambda url: url.split("?")[0] != f"{screen.base}/")
    screen.settle()
    assert screen.link == state
    expect(screen.number("w_num_heads")).to_have_value("3")
    screen.set_number("w_num_heads", 4)
    screen.wait_for_link(num_heads=4)
    screen.back()
    assert screen.link == state
    screen.back()
    assert screen.page.url.split("?")[0] == f"{screen.base}/"
    assert screen.link == state
    expect(screen.sentence).to_have_value("a b a")
    assert_weights_are_those_of_the_link(screen)
    screen.back()
    assert screen.link == {"num_heads": "3", "sentence": "a b a"}
    screen.forward()
    screen.forward()
    screen.forward()
    assert screen.link == state | {"num_heads": "4"}
    expect(screen.number("w_num_heads")).to_have_value("4")


def test_widgets_show_the_state_after_going_to_any_page_and_back(screen: Screen) -> None:
    screen.open(num_heads=3)
    screen.say("a b a")
    screen.wait_for_link(sentence="a b a")
    for page in range(1, len(PAGES)):
        for link in (page, 0):
            screen.answered = False
            screen.pages.nth(link).click()
            screen.settle()
            expect(screen.number("w_num_heads")).to_have_value("3")
            if screen.sentence.count():
                expect(screen.sentence).to_have_value("a b a")
        assert screen.station == "weights"
        assert screen.query == "a₂"
        assert screen.of("w_head").get_by_role("radio", checked=True).inner_text() == "1"
        assert_weights_are_those_of_the_link(screen)


def test_a_deep_link_may_be_the_first_request_of_a_server(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        context = browser.new_context(locale="en-US")
        screen = Screen(context.new_page(), server.base)
        try:
            screen.open("heads", num_heads=3, sentence="first of all")
            assert screen.page.url.split("?")[0] == f"{server.base}/heads"
            expect(screen.number("w_num_heads")).to_have_value("3")
            assert screen.settings.sentence == "first of all"
            screen.assert_sound()
            assert server.tracebacks() == ""
        finally:
            context.close()
