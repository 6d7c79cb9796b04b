"""What a reader types or a link brings is text: nothing is interpreted, run or fetched, and nothing freezes."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from attnviz.figures.labels import label
from attnviz.lesson.settings import STAGES
from attnviz.text import tokenize
from attnviz.words import Words
from tests.e2e.screen import Screen

HOSTILE = (
    "<img src=x onerror=alert(1)> <b>bold</b> $x$ **a** :smile: ![x](http://e/x.png) "
    "[a](javascript:alert(1)) <script>alert(1)</script> &lt;i&gt; `code` # - 1. {0} %{y} \\\\frac"
)


def assert_taken_literally(screen: Screen) -> None:
    """No element came of the text, nothing was asked for because of it, and it ran nothing."""
    screen.assert_sound()
    main = screen.page.get_by_test_id("stMain")
    assert main.locator("img, script, a[href], iframe, object").count() == 0
    for place in ("tokens", "w_key"):
        assert screen.of(place).locator("em:not(label *), strong, code, .katex, i, b").count() == 0
    assert [url for url in screen.requests if urlsplit(url).path.endswith(("/x", "/x.png"))] == []


@pytest.mark.parametrize("tokenizer", ["words", "characters"])
def test_a_hostile_sentence_is_shown_literally(screen: Screen, tokenizer: str) -> None:
    screen.open(tokenizer=tokenizer)
    screen.say(HOSTILE)
    screen.wait_for_link(sentence=HOSTILE)
    expect(screen.sentence).to_have_value(HOSTILE)
    tokens = tokenize(HOSTILE, tokenizer).tokens
    expected = [label(token, i) for i, token in enumerate(tokens)]
    assert screen.tokens == expected
    assert_taken_literally(screen)


def test_no_station_interprets_a_hostile_sentence(screen: Screen) -> None:
    short = "<img src=x onerror=alert(1)> $x$ ![x](http://e/x.png) **a**"
    screen.open(sentence=short, stage="x", mask="causal")
    for stage in (*STAGES[1:], "overview"):
        screen.page.locator("body").press("o" if stage == "overview" else "n")
        screen.wait_for_link(stage=None if stage == "weights" else stage)
        assert_taken_literally(screen)


def test_labels_of_a_picture_are_the_tokens(screen: Screen) -> None:
    sentence = "<b> $x$ & **a**"
    screen.open(sentence=sentence)
    tokens = tokenize(sentence).tokens
    ticks = screen.of("main_weights").locator(".ticks text").all_text_contents()
    shown = [text.replace("\u2060", "") for text in ticks]
    assert sorted(shown) == sorted(2 * [label(token, i) for i, token in enumerate(tokens)])


def test_a_hostile_link_falls_back_and_says_so_literally(screen: Screen) -> None:
    bad = {
        "score": "<img src=x onerror=alert(1)>",
        "seed": "$x$",
        "mask": "**a**",
        "language": "![x](http://e/x.png)",
        "d_model": "100000",
        "notation": "[a](javascript:alert(1))",
        "stage": "../../etc/passwd",
        "unheard_of": "<script>alert(1)</script>",
    }
    screen.open(**bad, num_heads=3)
    assert screen.settings.num_heads == 3
    notices = screen.page.locator(".av-notices").first.inner_text()
    for name, value in bad.items():
        assert (value in notices) == (name != "unheard_of")
    expect(screen.number("w_num_heads")).to_have_value("3")
    assert len(screen.charts()) == 2
    assert_taken_literally(screen)


@pytest.mark.parametrize("sentence", ["", " \u200b "])
def test_an_empty_sentence_is_met_with_a_friendly_line(screen: Screen, sentence: str) -> None:
    screen.open(sentence=sentence)
    expect(screen.page.get_by_test_id("stMain")).to_contain_text(Words("en")("playground.empty"))
    screen.assert_sound()
    screen.say("pen")
    screen.wait_for_link(sentence="pen")
    assert screen.tokens == ["pen₀"]
    assert screen.charts()[0].texts() == ["1.00"]


def test_600_tokens_are_cut_with_a_word_and_still_answer(screen: Screen) -> None:
    screen.open()
    screen.say(" ".join(f"w{i}" for i in range(600)))
    screen.wait_for_link(query=None)
    expect(screen.page.get_by_test_id("stMain")).to_contain_text(
        Words("en").html("playground.cut", limit=512, cut=88, unread=0).striptags()
    )
    assert len(screen.tokens) == 512
    assert screen.charts()[0].maps()[0].shape == (64, 64)
    screen.of("w_head").get_by_role("radio").nth(1).click()
    screen.wait_for_link(head=2)
    screen.click_cell("main_weights", 10, 20, (64, 64))
    screen.wait_for_link(query=80, key=160)
    screen.assert_sound()
