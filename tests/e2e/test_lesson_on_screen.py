"""What a reader does on the playground, and that every number then on screen recomputes."""

from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from attnviz.lesson.settings import STAGES
from attnviz.words import Words
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen


def test_the_first_page_is_filled_and_its_cells_hold_the_numbers(screen: Screen) -> None:
    screen.open()
    assert screen.link == {}
    expect(screen.sentence).to_have_value("I have a pen.")
    assert screen.station == "weights"
    assert len(screen.charts()[0].texts()) == 25
    assert_weights_are_those_of_the_link(screen)
    # Printed, not only sent: 25 numbers and 15 statistics stand in the picture.
    assert screen.of("main_weights").locator(".numbers text").count() == 25 + 15


def test_another_sentence_is_typed(screen: Screen) -> None:
    screen.open()
    screen.say("The cat sat on the mat today.")
    screen.wait_for_link(sentence="The cat sat on the mat today.")
    assert screen.tokens[:3] == ["The₀", "cat₁", "sat₂"]
    assert len(screen.tokens) == 8
    assert_weights_are_those_of_the_link(screen)


def test_an_example_is_picked(screen: Screen) -> None:
    screen.open()
    screen.of("example").get_by_role("combobox").click()
    screen.page.get_by_role("option", name="time flies like an arrow").click()
    screen.wait_for_link(sentence="time flies like an arrow")
    expect(screen.sentence).to_have_value("time flies like an arrow")
    assert_weights_are_those_of_the_link(screen)


def test_more_heads_leave_those_there_were_alone(screen: Screen) -> None:
    screen.open()
    before = screen.charts()[1].maps()
    screen.set_number("w_num_heads", 3)
    screen.wait_for_link(num_heads=3)
    assert_weights_are_those_of_the_link(screen)
    after = screen.charts()[1].maps()
    assert len(after) == 3
    np.testing.assert_array_equal(after[:2], before)


def test_sizes_are_free_of_one_another(screen: Screen) -> None:
    screen.open(d_model=7, num_heads=3, d_k=3, d_v=5)
    assert_weights_are_those_of_the_link(screen)
    shapes = [text.splitlines()[1] for text in screen.of("path").get_by_role("radio").all_inner_texts()]
    assert shapes == ["5 × 7", "3×5×3, 5", *["3 × 5 × 5"] * 4, "3 × 5 × 5", "5 × 15", "5 × 7"]


def test_a_click_on_a_cell_moves_the_focus_and_the_sum(screen: Screen) -> None:
    screen.open()
    before = screen.sum_line
    screen.click_cell("main_weights", 1, 2, (5, 5))
    screen.wait_for_link(query=1, key=2)
    assert screen.query == "have₁"
    expect(screen.of("w_key").get_by_role("combobox")).to_have_value("a₂")
    assert screen.sum_line != before
    assert "have₁" in screen.sum_line
    assert_weights_are_those_of_the_link(screen)
    # The picture was drawn anew: its cells must still take a click.
    screen.click_cell("main_weights", 4, 0, (5, 5))
    screen.wait_for_link(query=4, key=0)
    assert_weights_are_those_of_the_link(screen)


def test_another_head_and_another_query_by_their_controls(screen: Screen) -> None:
    screen.open()
    screen.of("w_head").get_by_role("radio").nth(1).click()
    screen.wait_for_link(head=2)
    screen.of("tokens").get_by_role("radio").first.click()
    screen.wait_for_link(head=2, query=0)
    assert_weights_are_those_of_the_link(screen)


def test_the_language_switches_the_whole_page_and_keeps_every_choice(screen: Screen) -> None:
    choices = {"score": "cosine", "mask": "causal", "num_heads": "3", "d_v": "5", "seed": "7", "head": "2"}
    screen.open(**choices, notation="columns")
    before = [chart.maps() for chart in screen.charts()]
    screen.page.get_by_role("radio", name="日本語").click()
    screen.wait_for_link(**choices, notation="columns", language="ja")
    _assert_speaks(screen, "ja", "en")
    # Streamlit once forgot translated choices on the run after the switch.
    screen.set_number("w_d_k", 5)
    screen.wait_for_link(**choices, notation="columns", language="ja", d_k=5)
    screen.set_number("w_d_k", 4)
    screen.wait_for_link(**choices, notation="columns", language="ja", d_k=None)
    _assert_speaks(screen, "ja", "en")
    expect(screen.of("w_score").get_by_role("combobox")).to_have_value(Words("ja")("common.score.cosine"))
    for old, new in zip(before, [chart.maps() for chart in screen.charts()], strict=True):
        np.testing.assert_array_equal(old, new)
    screen.page.get_by_role("radio", name="English").click()
    screen.wait_for_link(**choices, notation="columns", language="en")
    _assert_speaks(screen, "en", "ja")


def _assert_speaks(screen: Screen, language: str, other: str) -> None:
    text = screen.page.locator("body").inner_text()
    for name in ("common.controls.seed", "common.reset", "common.untrained", "playground.stages.weights"):
        assert Words(language)(name) in text
    for name in ("common.reset", "common.untrained"):
        assert Words(other)(name) not in text
    for chosen in ("mask.causal", "score.cosine"):
        assert Words(language)(f"common.{chosen}") in _shown_choices(screen)


def _shown_choices(screen: Screen) -> list[str]:
    boxes = screen.page.get_by_test_id("stSidebar").get_by_role("combobox").all()
    return [box.input_value() for box in boxes]


def test_n_and_p_step_along_the_path(screen: Screen) -> None:
    screen.open()
    screen.page.locator("body").press("n")
    screen.wait_for_link(stage="heads")
    assert screen.station == "heads"
    screen.page.locator("body").press("p")
    screen.wait_for_link(stage=None)
    assert screen.station == "weights"


def test_every_station_opens_from_the_path(screen: Screen) -> None:
    screen.open(num_heads=3, d_v=5)
    for position, name in enumerate(STAGES):
        screen.of("path").get_by_role("radio").nth(position).click()
        screen.wait_for_link(stage=None if name == "weights" else name)
        assert screen.charts()
        screen.assert_sound()


def test_letters_and_arrows_in_the_sentence_box_stay_there(screen: Screen) -> None:
    screen.open()
    screen.sentence.click()
    screen.sentence.press("End")
    screen.page.keyboard.type(" npo NPO")
    expect(screen.sentence).to_have_value("I have a pen. npo NPO")
    caret = "box => box.selectionStart"
    assert screen.sentence.evaluate(caret) == 21
    screen.page.keyboard.press("ArrowLeft")
    screen.page.keyboard.press("ArrowLeft")
    assert screen.sentence.evaluate(caret) == 19
    screen.page.keyboard.press("Control+ArrowLeft")
    assert screen.sentence.evaluate(caret) == 18
    screen.settle()
    assert screen.station == "weights"
    assert screen.link == {}
    screen.page.keyboard.press("Enter")
    screen.wait_for_link(sentence="I have a pen. npo NPO", stage=None)


def test_the_table_saved_is_the_trace_exactly(new_screen: Callable[..., Screen]) -> None:
    import pandas as pd

    screen = new_screen(accept_downloads=True)
    screen.open(sentence="a b, a", num_heads=3, head=2, seed=5)
    screen.of("table").get_by_role("button").click()
    save = screen.of("csv").get_by_role("button")
    expect(screen.page.get_by_test_id("stDataFrame")).to_be_visible()
    with screen.page.expect_download() as download:
        save.click()
    saved = pd.read_csv(download.value.path(), index_col=0)
    np.testing.assert_array_equal(saved.to_numpy(), screen.lesson().trace.weights[1])
    assert list(saved.index) == list(saved.columns) == ["a₀", "b₁", "“\u200a,\u200a”₂", "a₃"]
    shown = screen.page.get_by_test_id("stCode").inner_text()
    assert shown.strip() == download.value.path().read_text(encoding="utf-8-sig").strip()
