"""The page on sqrt(d_k) in a browser: the sweep plays there alone, guesses stay, a class is led on, training stops."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, WebSocket, expect

from attnviz.ui.lessons.scaling.sentence import SWEEP, SentenceSweep, sentence_sweep
from attnviz.words import Words
from tests.e2e.screen import Screen

WORDS = Words("en")
STEPS = ("sentence", "cause", "softmax", "gradient", "learning", "wrong", "cures")


def says(name: str, **values: object) -> str:
    return WORDS(f"scaling.{name}", **values)


def sweep_of(screen: Screen) -> SentenceSweep:
    """What the maps must show, computed here and not there."""
    found = sentence_sweep(screen.settings)
    assert found is not None
    return found


def shown_maps(screen: Screen) -> NDArray[np.floating]:
    """The weights on screen, those with the scale first, shape (2 H, n, m)."""
    return np.stack(screen.charts()[0].maps())


def maps_at(sweep: SentenceSweep, d_k: int) -> NDArray[np.floating]:
    place = sweep.d_k.index(d_k)
    return np.concatenate([sweep.scaled[place], sweep.unscaled[place]]).astype(np.float32)


def button(screen: Screen, text: str) -> Locator:
    """A button inside the picture."""
    return screen.of("sentence_maps").locator(".updatemenu-button").filter(has_text=text)


SAYS_D_K = """d_k => [...document.querySelectorAll('.st-key-sentence_maps .textpoint')]
  .some(point => point.textContent.trim() === `dₖ = ${d_k}`)"""


def wait_for_d_k(screen: Screen, d_k: int) -> None:
    """Until the picture says that it shows this d_k; looked at on every frame, for it may show it briefly."""
    screen.page.wait_for_function(SAYS_D_K, arg=d_k)


def test_the_sweep_plays_in_the_browser_and_asks_the_server_nothing(screen: Screen) -> None:
    messages: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda _: messages.append("sent"))
        socket.on("framereceived", lambda _: messages.append("received"))

    screen.page.on("websocket", listen)
    screen.open("scaling", reveal=1, num_heads=3, sentence="a rose is a rose")
    sweep = sweep_of(screen)
    np.testing.assert_array_equal(shown_maps(screen), maps_at(sweep, 4))
    frames = "plot => plot._transitionData._frames.map(frame => frame.name)"
    plot = screen.of("sentence_maps").locator(".js-plotly-plot")
    assert plot.evaluate(frames) == [str(d_k) for d_k in SWEEP]
    assert messages  # the page itself came that way
    messages.clear()
    button(screen, says("sentence.play")).click()
    wait_for_d_k(screen, 32)  # it passes through what lies between
    wait_for_d_k(screen, 512)
    np.testing.assert_array_equal(shown_maps(screen), maps_at(sweep, 512))
    button(screen, says("sentence.back", d_k=4)).click()
    wait_for_d_k(screen, 4)
    np.testing.assert_array_equal(shown_maps(screen), maps_at(sweep, 4))
    assert messages == []


def test_the_sweep_can_be_paused(screen: Screen) -> None:
    screen.open("scaling", reveal=1)
    button(screen, says("sentence.play")).click()
    wait_for_d_k(screen, 8)
    button(screen, says("sentence.pause")).click()
    before = shown_maps(screen)
    screen.page.wait_for_timeout(1500)  # four frames, if it went on
    np.testing.assert_array_equal(shown_maps(screen), before)
    # Plotly leaves the promise of an animation that was interrupted rejected, with nothing said and nobody to hear.
    assert screen.errors == ["undefined"]
    screen.errors.clear()


def test_the_slider_of_d_k_moves_the_maps_the_link_and_every_other_slider(screen: Screen) -> None:
    screen.open("scaling", reveal=1)
    screen.of("w_d_k_sentence").get_by_role("slider").press("ArrowRight")
    screen.wait_for_link(reveal=1, d_k=8)
    np.testing.assert_array_equal(shown_maps(screen), maps_at(sweep_of(screen), 8))
    for step in ("sentence", "cause", "softmax", "gradient", "wrong"):
        expect(screen.of(f"w_d_k_{step}").get_by_test_id("stSliderThumbValue")).to_have_text("8")
    expect(screen.number("w_d_k")).to_have_value("8")  # and the sidebar's


def test_a_guess_opens_its_step_and_is_remembered_on_another_page(screen: Screen) -> None:
    screen.open("scaling")
    assert screen.page.locator(".js-plotly-plot").count() == 0
    guess = screen.of("guess_scaling.sentence".replace(".", "-")).get_by_role("radio").first
    guess.click()
    verdict = screen.page.locator(".av-verdict")
    expect(verdict).to_contain_text(says("sentence.guess_1"))
    expect(verdict).to_contain_text(says("sentence.guess_3"))
    expect(screen.of("step_sentence").locator(".js-plotly-plot")).to_have_count(1)
    expect(screen.page.locator(".js-plotly-plot")).to_have_count(1)
    nav = screen.of("controls")
    nav.get_by_role("link", name=WORDS("playground.menu")).click()
    expect(screen.of("path")).to_be_visible()
    nav.get_by_role("link", name=WORDS("scaling.menu")).click()
    expect(verdict).to_contain_text(says("sentence.guess_1"))
    expect(guess).to_have_attribute("aria-checked", "true")


def test_n_leads_a_class_through_all_steps_and_p_back(screen: Screen) -> None:
    screen.open("scaling", present=1, reveal=1)
    expect(screen.page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    for number, step in enumerate(STEPS[1:], start=2):
        screen.page.locator("body").press("n")
        screen.wait_for_link(step=number)
        expect(screen.page.locator("h2")).to_have_text(f"{number}. {says(f'{step}.title')}")
    screen.page.locator("body").press("n")
    screen.page.locator("body").press("p")
    screen.wait_for_link(step=len(STEPS) - 1)
    expect(screen.page.locator("h2")).to_have_count(1)


def test_large_type_leaves_question_and_pictures_on_one_screen(new_screen: Callable[..., Screen]) -> None:
    screen = new_screen()
    for number in (1, 2, 3, 7):
        screen.open("scaling", present=1, reveal=1, step=number)
        for shown in (screen.page.locator("h2"), screen.page.locator(".av-sumup")):
            box = shown.bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= 900 - 30  # the first of its lines


def test_training_draws_as_it_goes_stops_and_goes_on(screen: Screen) -> None:
    screen.open("scaling", present=1, reveal=1, step=5)
    bar = screen.of("training_bar")
    expect(screen.page.locator(".av-verdict")).to_have_count(0)  # nothing is measured yet
    bar.get_by_role("button", name=says("learning.start")).click()
    stop = bar.get_by_role("button", name=says("learning.stop"))
    expect(stop).to_be_visible()
    expect(screen.of("run").locator(".js-plotly-plot .main-svg").first).to_be_visible()
    stop.click()
    expect(bar.get_by_role("button", name=says("learning.again"))).to_be_visible()
    screen.settle()
    where = bar.inner_text()
    assert re.search(r"\d+%", where)
    screen.page.wait_for_timeout(1500)  # a few looks, if it went on
    assert bar.inner_text() == where
    bar.get_by_role("button", name=says("learning.again")).click()
    expect(screen.page.locator(".av-table tbody tr")).to_have_count(
        3, timeout=180_000
    )  # two browsers may share the cores
    expect(screen.page.locator(".av-verdict")).to_be_visible()
    assert screen.link == {"present": "1", "reveal": "1", "step": "5"}


def test_stopping_and_going_on_in_haste_leaves_the_page_whole(screen: Screen) -> None:
    screen.open("scaling", present=1, reveal=1, step=5)
    bar = screen.of("training_bar")
    for pause in (1500, 300, 700, 100, 300, 700, 1500, 300, 100, 700):  # ms: within and between two looks
        bar.get_by_role("button").first.click()
        screen.page.wait_for_timeout(pause)
    expect(screen.of("final").locator(".js-plotly-plot .main-svg").first).to_be_visible()
