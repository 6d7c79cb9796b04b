"""No sentence and no link breaks the playground, and what was not taken as given is said."""

import pytest

from attnviz.lesson.settings import LIMIT_TOKENS
from tests.pages.app import checked, figures, html, notices, open_page, settings

BAD = {
    "empty": "", "blanks": "   ", "one token": "one", "600 tokens": "word " * 600, "10,000 characters": "x" * 10_000,
    "controls": "a\x00\x07b\u202ec", "image": "<img src=x onerror=alert(1)>", "formula": "$x$", "bold": "**a**",
    "icon": ":smile: :material/home:", "tag": "<b>", "repeated": "Buffalo buffalo buffalo buffalo the the",
    "numbers": "3.14 1,000 2026-11-30 10:30 50%", "money": "costs $5 and $6", "family": "👨‍👩‍👧‍👦 é 🇯🇵",
    "right to left": "שלום עולם",
    "thai": "สวัสดีชาวโลก", "placeholder": "{n} {query} %{x} {0}", "entities": "&lt;b&gt; &amp;",
    "link": "[a](javascript:alert(1))",
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD.values(), ids=BAD)
def test_nothing_typed_breaks_the_page_or_is_lost(sentence: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    if sentence.strip():
        app.button_group(key="path").set_value(
            "x"
        )  # where tokens stand in prose, in a picture and in a table of ids
        checked(app.run())
    assert app.text_input(key="w_sentence").value == sentence
    assert settings(app).sentence == sentence
    assert "<img" not in html(app)


@pytest.mark.parametrize("sentence", ["", "   ", "\x00"])
def test_without_a_token_the_page_asks_for_one(sentence: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    assert "one word is enough" in notices(app)
    assert figures(app) == {}
    checked(app.button_group(key="path").set_value("qkv").run())  # the path is always there
    assert settings(app).stage == "qkv"
    app.text_input(key="w_sentence").set_value("one")
    checked(app.run())
    assert "main_qkv" in figures(app)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("word " * 600, f"first {LIMIT_TOKENS} tokens are used; 88 more"),
        ("x" * 15_000, "are read; 5000 more"),
        ("x" * 10_000, "too long for a link"),
        ("a\x00\x07b", "2 invisible control characters"),
        ("สวัสดีชาวโลก", "its tokens are characters"),
    ],
)
def test_a_limit_that_bites_says_so(sentence: str, said: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    assert said in notices(app)


def test_a_sentence_with_nothing_wrong_has_no_notice() -> None:
    assert notices(open_page()) == ""


def test_tokens_reach_plotly_escaped() -> None:
    app = open_page(sentence="<b> $x$ &amp;", query=0)
    axis = figures(app)["main_weights"]["layout"]["xaxis"]["ticktext"]
    assert not any("<b>&" not in text and "<" in text and "span" not in text for text in axis)
    assert sum("&lt;" in text for text in axis) == 1
    assert all(text[text.index("$") + 1] == "\u2060" for text in axis if "$" in text)


HOSTILE_LINKS = {
    "num_heads": ("9999", 16), "d_k": ("-3", 1), "seed": ("abc", 0), "d_model": ("1e3", 8), "score": ("<b>", "dot"),
    "temperature": ("nan", 1.0), "residual": ("true", False), "query": ("-1", 0), "stage": ("../x", "weights"),
    "language": ("tlh", "auto"),
}  # fmt: skip


def test_a_hostile_link_is_clamped_or_reset_and_the_page_names_each() -> None:
    app = open_page(**{name: text for name, (text, _) in HOSTILE_LINKS.items()})
    for name, (_, value) in HOSTILE_LINKS.items():
        assert settings(app)[name] == value
    said = notices(app)
    assert said.count("<p>") == len(HOSTILE_LINKS)
    assert "&lt;b&gt;" in said
    assert "9999" in said


def test_sizes_beyond_the_product_limit_are_brought_down_and_the_page_says_so() -> None:
    app = open_page(num_heads=16, d_model=512, stage="x")
    app.number_input(key="w_d_k").set_value(512)
    checked(app.run())
    assert app.number_input(key="w_d_k").value == settings(app).d_k == 128
    assert "d_k" in notices(app)
    assert "512" in notices(app)
