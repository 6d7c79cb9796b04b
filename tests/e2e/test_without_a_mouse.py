"""The app by keyboard, and what it tells a reader who does not see it or has colours of their own."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen
from tests.e2e.serve import PAGES


def press(screen: Screen, key: str, **link: object) -> None:
    """Press a key and wait for the link that follows."""
    screen.page.keyboard.press(key)
    screen.wait_for_link(**link)


def test_the_marked_cell_is_asked_by_a_key(screen: Screen) -> None:
    screen.open(stage="heads", query=1)
    press(screen, "a", ask="head_outputs")
    expect(screen.page.locator(".board .title")).to_contain_text("head 1 [have₁, 0]")


@pytest.mark.parametrize(
    ("path", "key"), [("", "overview"), ("", "edit"), ("scores", "reveal"), ("scores", "present")]
)
def test_a_button_that_turns_something_on_keeps_the_focus(screen: Screen, path: str, key: str) -> None:
    screen.open(path)
    button = screen.of(key).get_by_role("button")
    button.focus()
    for _ in range(2):  # on, and off again
        screen.answered = False
        screen.page.keyboard.press("Enter")
        screen.settle()
        expect(button).to_be_focused()


def test_the_boards_buttons_keep_the_focus(screen: Screen) -> None:
    screen.open(ask="output.2", stage="output")
    back = screen.page.locator(".board button").first
    back.focus()
    for ask in ("contributions.2", "concat.0", "head_outputs.0"):
        press(screen, "Enter", ask=ask)
        expect(back).to_be_focused()


def test_what_the_board_reads_aloud_stays_one_element(screen: Screen) -> None:
    screen.open(ask="weights")
    lines = screen.page.locator(".board [aria-live]").element_handle()
    press(screen, "n", ask="head_outputs")
    assert lines.evaluate("lines => lines.isConnected && lines.childElementCount > 0")
    expect(screen.page.locator(".board > *").nth(1)).to_have_class("lines")


def test_an_emptied_number_goes_back_to_what_it_was(screen: Screen) -> None:
    screen.open(d_k=5)
    screen.number("w_d_k").select_text()
    screen.page.keyboard.press("n")  # no number: the box is empty
    expect(screen.number("w_d_k")).to_have_value("")
    screen.page.keyboard.press("Tab")
    expect(screen.number("w_d_k")).to_have_value("5")
    screen.set_number("w_d_v", 3)
    screen.wait_for_link(d_k=5, d_v=3)


def test_the_document_says_which_language_it_is_in(screen: Screen) -> None:
    screen.open(language="ja")
    expect(screen.page.locator("html")).to_have_attribute("lang", "ja")
    screen.page.get_by_role("radio", name="English").click()
    screen.wait_for_link(language="en")
    expect(screen.page.locator("html")).to_have_attribute("lang", "en")


def test_tab_does_not_go_through_a_folded_sidebar(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(viewport={"width": 640, "height": 800})
    screen.open()
    for _ in range(4):
        screen.page.keyboard.press("Tab")
        assert screen.page.evaluate("!document.activeElement.closest('.stSidebar')")


@pytest.mark.parametrize("page", PAGES)
def test_names_are_words_and_a_page_has_one_title(screen: Screen, page: str) -> None:
    screen.open("" if page == "playground" else page, reveal=1)
    screen.of("more_box").locator("summary").first.click()
    screen.of("more").wait_for()
    screen.settle()
    names = screen.page.locator("[aria-label]").evaluate_all("all => all.map(e => e.ariaLabel)")
    assert [name for name in names if re.search(r"[$\\]|:\w+\[", name)] == []
    expect(screen.page.locator("h1")).to_have_count(1)


def test_what_is_chosen_shows_in_colours_forced_by_the_reader(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen(forced_colors="active")
    screen.open(stage="overview", head=2)
    buttons = screen.page.locator(".stMain button, .st-key-w_language button").evaluate_all(
        "all => all.map(e => [e.ariaChecked == 'true' || !!e.querySelector('strong'), getComputedStyle(e).backgroundColor])"
    )
    chosen, others = ({colour for on, colour in buttons if on is wanted} for wanted in (True, False))
    assert len(chosen) == 1
    assert not chosen & others


def test_on_paper_there_is_no_sidebar_and_a_wide_picture_is_whole(screen: Screen) -> None:
    screen.open(stage="output")
    screen.page.set_viewport_size({"width": 718, "height": 1050})  # A4 with Chromium's margins
    screen.settle()
    screen.page.emulate_media(media="print")
    expect(screen.page.locator(".stSidebar")).to_be_hidden()
    box = screen.map("main_output").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 718
