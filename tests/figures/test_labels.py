"""Labels show tokens as they are: whole letters, no markup, positions that keep repeated words apart."""

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.labels import (
    LONGEST,
    escape,
    label,
    number,
    number_labels,
    quoted,
    shorten,
    subscript,
    text_width,
    token_labels,
    vector,
)

FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def unescaped(text: str) -> str:
    """What Plotly shows: it knows these entities, and no tag may be left."""
    assert not re.search(r"[<>]", text)
    return text.replace("\u2060", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@pytest.mark.parametrize(
    "token", ["<b>x</b>", "a & b", "&lt;", "<br>", "x<sub>1</sub>", "a < b > c", "&#60;b&#62;"]
)
def test_markup_is_shown_literally(token: str) -> None:
    # plotly.js#2927: the token <b>x</b> vanished and the text turned bold.
    assert unescaped(escape(token)) == token


@given(st.text())
def test_every_text_comes_through_but_line_breaks_which_are_made_visible(text: str) -> None:
    shown = escape(text)
    assert "\n" not in shown
    assert "\r" not in shown
    assert unescaped(shown) == re.sub("\r\n|\r|\n", "⏎", text).replace("\u2060", "")


@pytest.mark.parametrize("token", ["$x$", "$", "$$", r"$\alpha$", "costs $5 and $6", "$\n$"])
def test_a_label_is_never_a_formula(token: str) -> None:
    # Plotly hands a text to MathJax where it is wholly $...$.
    assert not re.fullmatch(r"\s*\$[^$\u2060].*\$\s*", escape(token))
    assert all(following == "\u2060" for following in re.findall(r"\$(.?)", escape(token)))


def test_repeated_words_get_different_labels() -> None:
    # plotly.js#1516: the two "the" collapsed into one row.
    labels = token_labels(["the", "cat", "sat", "on", "the", "mat"])
    assert labels.texts == ("the₀", "cat₁", "sat₂", "on₃", "the₄", "mat₅")
    assert len(labels) == 6


@given(st.lists(st.text(min_size=1), max_size=30))
def test_labels_keep_the_order_and_the_whole_of_every_token(tokens: list[str]) -> None:
    labels = token_labels(tokens, "query", "looks")
    assert (labels.role, labels.title, len(labels)) == ("query", "looks", len(tokens))
    for i, (token, text, whole) in enumerate(zip(tokens, labels.texts, labels.wholes, strict=True)):
        assert text == label(token, i)
        assert token in whole
        assert whole.endswith(subscript(i))


@given(st.text())
def test_what_is_shortened_is_whole_letters_and_an_ellipsis(token: str) -> None:
    short = shorten(token)
    before, after = regex.findall(r"\X", token), regex.findall(r"\X", short)
    if len(before) <= LONGEST:
        assert short == token
    else:
        assert short == "".join(before[: LONGEST - 1]) + "…"
        assert len(after) <= LONGEST


def test_a_letter_made_of_many_code_points_is_never_cut() -> None:
    assert shorten(FAMILY * LONGEST) == FAMILY * LONGEST
    assert shorten(FAMILY * 20) == FAMILY * (LONGEST - 1) + "…"
    assert shorten("e\u0301" * 20) == "e\u0301" * (LONGEST - 1) + "…"


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (".", "“\u200a.\u200a”"), ("。", "“\u200a。\u200a”"), ("...", "“\u200a...\u200a”"), ("'", "“\u200a'\u200a”"),
        ("pen", "pen"), ("U.S.A.", "U.S.A."), ("+", "+"),
    ],
)  # fmt: skip
def test_a_lone_punctuation_mark_is_quoted(token: str, shown: str) -> None:
    assert quoted(token) == shown


@given(st.integers(0, 10**6))
def test_a_position_is_written_in_subscript_digits(position: int) -> None:
    assert subscript(position).translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")) == str(position)


def test_coordinates_are_named_by_symbol_and_number() -> None:
    assert number_labels(3, symbol="q").texts == ("q₀", "q₁", "q₂")
    assert number_labels(0).texts == ()


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6))
def test_a_number_is_rounded_as_python_rounds_and_has_a_true_minus(value: float, digits: int) -> None:
    shown = number(value, digits)
    assert "-" not in shown
    assert float(shown.replace("−", "-")) == float(f"{value:.{digits}f}")


@given(st.floats(-0.005, 0.0))
def test_minus_zero_never_appears(value: float) -> None:
    assert number(value) in ("0.00", "−0.01")
    assert number(value, 1) == "0.0"
    assert number(-0.0, 0) == "0"


def test_a_vector_is_written_out_up_to_six_numbers() -> None:
    assert vector([0.25, -1.0, -0.001]) == "(0.25, −1.00, 0.00)"
    assert vector(range(6)) == "(0.00, 1.00, 2.00, 3.00, 4.00, 5.00)"
    assert vector(range(7)) == "(0.00, 1.00, 2.00, 3.00, 4.00, 5.00, …)"
    assert vector([1.0, 2.0, 3.0], digits=0, most=2) == "(1, 2, …)"


def test_the_widest_text_counts_and_japanese_is_wider_than_latin() -> None:
    assert text_width([]) == 0
    assert text_width(["i", "abcdef"]) == text_width(["abcdef"]) > text_width(["abc"])
    assert text_width(["日本語"]) > text_width(["abc"])
    family, flag = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1ef\U0001f1f5"
    assert (
        text_width([family]) == text_width([flag]) == text_width(["日"])
    )  # one sign on screen, however it is made
    assert text_width(["e\u0301"]) == text_width(["é"])
    assert text_width(["abc"], size=30) == pytest.approx(2 * text_width(["abc"], size=15), abs=1)
