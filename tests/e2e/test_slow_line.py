"""Nothing a reader does is lost while the answers to what was done before are still on their way."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.e2e.screen import Screen


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
        while self.waiting:
            self._pass(self.waiting.pop(0))


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


def test_a_step_can_be_taken_back_at_once(screen: Screen) -> None:
    """The browser sends what it showed before the step, and this time it is meant."""
    screen.open(stage="x")
    screen.page.keyboard.press("n")
    screen.wait_for_link(stage="qkv")
    screen.of("path").get_by_role("radio").first.click()
    screen.wait_for_link(stage="x")
    assert screen.station == "x"
