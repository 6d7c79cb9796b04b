"""The browser sends back the label of a choice: labels that change with other settings must do no harm."""

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen


@pytest.mark.parametrize("score", ["cosine", "additive"])
def test_after_another_score_every_control_still_answers(screen: Screen, score: str) -> None:
    screen.open()
    screen.of("w_score").get_by_role("combobox").click()
    screen.page.get_by_role("option", name=score).click()
    screen.wait_for_link(score=score)
    expect(screen.of("w_scale").get_by_role("combobox")).to_have_value("auto: none")
    screen.set_number("w_d_k", 3)
    screen.wait_for_link(score=score, d_k=3, scale=None)
    screen.click_cell("main_weights", 1, 2, (5, 5))
    screen.wait_for_link(query=1, key=2, score=score)


def test_the_key_in_focus_shows_the_token_of_the_new_sentence(screen: Screen) -> None:
    screen.open(key=2)
    screen.say("one two three")
    screen.wait_for_link(sentence="one two three")
    expect(screen.of("w_key").get_by_role("combobox")).to_have_value("three₂")
    screen.set_number("w_d_k", 3)
    screen.wait_for_link(d_k=3, key=2, sentence="one two three")
