"""User text in Markdown and HTML is shown as it is: every mark escaped, nothing interpreted, nothing lost."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.labels import LONGEST
from attnviz.ui.kit.text.markup import markdown, token

HOSTILE = [
    "<img src=x onerror=alert(1)>", "<b>x</b>", "<script>alert(1)</script>", "&lt;b&gt;", "&amp;", "&#60;",
    "**a**", "*a*", "__a__", "_a_", "~~a~~", "`a`", "```a```", "# a", "> a", "- a", "+ a", "1. a", "1) a", "---",
    "[a](javascript:alert(1))", "![a](http://example.com/x.png)", "<http://example.com>", "http://example.com",
    "www.example.com", "a@example.com", "[^1]", "| a | b |", "- [ ] a",
    "$x$", "$$x$$", r"\(x\)", r"\alpha", "costs $5 and $6",
    ":smile:", ":material/home:", ":red[a]", ":red-background[a]", ":small[a]", ":streamlit:", "<-", "->", "--", "(c)",
]  # fmt: skip
ESCAPED = re.compile(rf"\\([{re.escape(string.punctuation)}])\u2060")


@pytest.mark.parametrize("text", HOSTILE)
def test_every_mark_of_a_hostile_token_is_escaped(text: str) -> None:
    # CommonMark: a backslash before ASCII punctuation makes it literal; the word joiner keeps the marks apart.
    shown = markdown(text)
    assert not set(ESCAPED.sub("", shown)) & set(string.punctuation)
    assert ESCAPED.sub(r"\1", shown) == text


@given(st.text())
def test_any_text_comes_back_when_the_escapes_are_taken_away(text: str) -> None:
    shown = markdown(text.replace("\u2060", ""))
    assert ESCAPED.sub(r"\1", shown) == text.replace("\u2060", "").replace("\n", "⏎")
    assert not set(ESCAPED.sub("", shown)) & set(string.punctuation)


def test_there_is_a_backslash_before_each_mark_of_ascii() -> None:
    assert markdown(string.punctuation) == "".join(f"\\{mark}\u2060" for mark in string.punctuation)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_token_in_html_is_text(text: str) -> None:
    shown = str(token(text, 12, "key"))
    inside = re.fullmatch(r'<bdi class="key">(.*)₁₂</bdi>', shown)
    assert inside
    assert not re.search(r"[<>]", inside[1])
    assert not re.search(r"&(?!(amp|lt|gt|#34|#39);)", inside[1])


def test_a_long_token_is_shortened_and_a_lone_mark_quoted() -> None:
    assert token("x" * 30, 0) == f"<bdi>{'x' * (LONGEST - 1)}…₀</bdi>"
    assert token(".", 4, "query") == '<bdi class="query">“\u200a.\u200a”₄</bdi>'
