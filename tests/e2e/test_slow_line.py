"""Nothing a reader does is lost while the answers to what was done before are still on their way."""

from collections.abc import Callable
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Locator, Route, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attnviz.lesson.lesson import mask
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen
from tests.e2e.serve import PAGES


class Line:
    """The line between one window and the server, on which answers can be held up."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.held, self.waiting = screen, False, list[str | bytes]()
        screen.page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        self.browser, server = browser, browser.connect_to_server()

        def ask(message: str | bytes) -> None:
            self.screen.sent(message)
            server.send(message)

        browser.on_message(ask)
        server.on_message(lambda message: self.waiting.append(message) if self.held else self._pass(message))

    def _pass(self, message: str | bytes) -> None:
        self.screen.received(message)
        self.browser.send(message)

    def release(self) -> None:
        self.held = False
        self.let_through(len(self.waiting))

    def wait_for_answers(self, count: int) -> int:
        """Wait until so many whole answers are held up; how many messages are."""
        while sum(map(_is_last, self.waiting)) < count:
            self.screen.page.wait_for_timeout(20)
        return len(self.waiting)

    def let_through(self, count: int) -> None:
        """Pass on the first so many messages that wait."""
        for _ in range(count):
            self._pass(self.waiting.pop(0))


def _is_last(message: str | bytes) -> bool:
    return isinstance(message, bytes) and ForwardMsg.FromString(message).HasField("script_finished")


CLICKS: dict[str, Callable[[Screen], Locator]] = {
    "the table": lambda screen: screen.of("table").get_by_role("button"),
    "the overview": lambda screen: screen.of("overview").get_by_role("button"),
    "another page": lambda screen: screen.pages.last,
}


@pytest.mark.parametrize("elsewhere", CLICKS)
def test_a_sentence_without_enter_is_not_lost_to_a_click_elsewhere(screen: Screen, elsewhere: str) -> None:
    """The box commits as the mouse goes down; where the line is slow, the click still names the old address."""
    line = Line(screen)
    screen.open()
    screen.sentence.fill("not yet entered")
    line.held = True
    CLICKS[elsewhere](screen).click(delay=500)
    screen.page.wait_for_timeout(500)  # both questions are answered, and no answer has arrived
    line.release()
    screen.wait_for_link(sentence="not yet entered")
    if elsewhere == "another page":
        screen.pages.first.click()
        screen.page.wait_for_url(lambda url: url.startswith(f"{screen.base}/?"))
        screen.settle()
    expect(screen.sentence).to_have_value("not yet entered")
    assert screen.tokens == ["not₀", "yet₁", "entered₂"]
    assert screen.link["sentence"] == "not yet entered"


def test_quick_steps_are_all_taken(screen: Screen) -> None:
    """Each N comes while the browser still shows the station of before, and sends that along."""
    line = Line(screen)
    screen.open(stage="x")
    line.held = True
    for _ in range(3):
        screen.page.keyboard.press("n")
        screen.page.wait_for_timeout(300)
    line.release()
    screen.wait_for_link(stage="scaled")
    assert screen.station == "scaled"


@pytest.mark.parametrize("pause", [0, 2500])
def test_a_step_is_taken_while_the_answer_to_the_last_but_one_arrives(screen: Screen, pause: int) -> None:
    """The third N comes from a browser that shows the first step and has not heard of the second, however late."""
    line = Line(screen)
    screen.open(stage="x")
    line.held = True
    screen.page.keyboard.press("n")
    first = line.wait_for_answers(1)
    screen.page.keyboard.press("n")
    line.wait_for_answers(2)
    screen.page.wait_for_timeout(pause)
    line.let_through(first)
    expect(screen.of("path").get_by_role("radio").nth(1)).to_be_checked()
    screen.page.keyboard.press("n")
    line.wait_for_answers(2)  # the second's and the third's
    line.release()
    screen.wait_for_link(stage="scaled")
    assert screen.station == "scaled"


def test_a_click_on_a_cell_and_a_quick_step_are_both_taken(screen: Screen) -> None:
    line = Line(screen)
    screen.open()
    line.held = True
    screen.click_cell("main_weights", 1, 2, (5, 5))
    screen.page.wait_for_timeout(500)
    screen.page.keyboard.press("n")
    screen.page.wait_for_timeout(500)
    line.release()
    screen.wait_for_link(stage="heads", query=1, key=2)
    assert screen.station == "heads"


def test_of_two_quick_clicks_on_cells_the_second_is_taken_too(screen: Screen) -> None:
    """It comes from a picture whose successor is on its way."""
    line = Line(screen)
    screen.open()
    line.held = True
    screen.click_cell("main_weights", 1, 2, (5, 5))
    line.wait_for_answers(1)
    screen.click_cell("main_weights", 4, 0, (5, 5))
    line.wait_for_answers(2)
    line.release()
    screen.wait_for_link(query=4, key=0)
    assert_weights_are_those_of_the_link(screen)


def test_a_mask_can_be_drawn_faster_than_it_is_answered(screen: Screen) -> None:
    line, cells = Line(screen), [(0, 1), (1, 3), (4, 0)]
    screen.open("masks")
    line.held = True
    for number, (row, column) in enumerate(cells, start=1):
        screen.click_cell("masks_drawing", row, column, (5, 5))
        line.wait_for_answers(number)
    line.release()
    screen.wait_for_link(mask="drawn")
    keep = mask(screen.settings, 5, 5)
    assert keep is not None
    assert [(int(row), int(column)) for row, column in np.argwhere(~keep)] == cells


def test_a_second_click_on_the_same_cell_takes_nothing_back(screen: Screen) -> None:
    """A reader has double-clicked."""
    line = Line(screen)
    screen.open()
    line.held = True
    for answers in (1, 2):
        screen.click_cell("main_weights", 1, 2, (5, 5))
        line.wait_for_answers(answers)
    line.release()
    screen.wait_for_link(query=1, key=2)
    assert screen.query == "have₁"


def test_a_step_can_be_taken_back_at_once(screen: Screen) -> None:
    """The browser sends what it showed before the step, and this time it is meant."""
    screen.open(stage="x")
    screen.page.keyboard.press("n")
    screen.wait_for_link(stage="qkv")
    screen.of("path").get_by_role("radio").first.click()
    screen.wait_for_link(stage="x")
    assert screen.station == "x"


SCRIPTS = ("TextInput", "NumberInput", "Selectbox", "Slider", "Checkbox")
LINK: dict[str, object] = {
    "sentence": "a b c d",
    "d_model": 6,
    "num_heads": 3,
    "d_k": 5,
    "d_v": 2,
    "score": "cosine",
}


@pytest.mark.parametrize("page", PAGES)
def test_a_click_before_the_boxes_have_arrived_changes_none_of_them(
    new_screen: Callable[..., Screen], page: str
) -> None:
    """Each kind of box has a script of its own; what a box is to show is sent before that has arrived."""
    screen, held = new_screen(), list[Route]()
    for script in SCRIPTS:
        screen.page.route(f"**/{script}.*.js", lambda route: held.append(route))
    screen.page.goto(f"{screen.base}/{'' if page == 'playground' else page}?{urlencode(LINK)}")
    more = screen.of("more_box").locator("summary").first
    more.click()
    screen.of("more").wait_for()
    assert held and screen.of("w_d_k").get_by_role("textbox").count() == 0
    for script in SCRIPTS:  # the last route that fits is asked first: one asked for only now is let through
        screen.page.route(f"**/{script}.*.js", lambda route: route.continue_())
    for route in held:
        route.continue_()
    screen.settle()
    more.click()
    screen.settle()
    assert screen.link == {name: str(value) for name, value in LINK.items()}
    expect(screen.number("w_d_k")).to_have_value("5")
    expect(screen.number("w_num_heads")).to_have_value("3")
