"""The glossary: every term in every language, shapes that turn with the notation, given terms first."""

import re

import pytest

from attnviz.ui.kit.text.glossary import TERMS, entries, entry
from attnviz.words import Words, languages

each_language = pytest.mark.parametrize("language", languages())
ASKED = (
    "token", "embedding", "query", "key", "value", "score", "scale", "softmax", "weights", "head", "head_output",
    "concatenation", "w_o", "output", "mask", "causal", "self_attention", "cross_attention", "temperature", "residual",
    "d_model", "d_k", "d_v", "num_heads", "position", "one_hot",
)  # fmt: skip


def names(text: str) -> list[str]:
    return re.findall(r"<dt><b>(.*?)</b>", text)


@each_language
def test_every_term_has_a_name_and_one_sentence_or_two(language: str) -> None:
    words = Words(language)
    shown = entries(words)
    assert names(str(shown)) == [words.html(f"glossary.{term}.name") for term in TERMS]
    for term in TERMS:
        sentences = re.findall(r"[.。](?:\s|$)|。", words(f"glossary.{term}.text"))
        assert 1 <= len(sentences) <= 3, term


def test_the_terms_that_the_lessons_need_are_there() -> None:
    assert set(ASKED) <= set(TERMS)


@each_language
def test_given_terms_stand_first_and_no_term_is_lost(language: str) -> None:
    words = Words(language)
    shown = str(entries(words, ("w_o", "mask")))
    first, rest = shown.split("<details")
    assert len(names(first)) == 2 and names(first)[1] == words("glossary.mask.name")
    assert len(names(first)) + len(names(rest)) == len(TERMS)


def test_shapes_are_those_of_the_notation() -> None:
    words = Words("en")
    rows, columns = (re.sub("<.*?>", "", entry(words, "w_o", columns=c)) for c in (False, True))
    assert "H dv × dmodel" in rows and "dmodel × H dv" in columns
    rows, columns = (re.sub("<.*?>", "", entry(words, "score", columns=c)) for c in (False, True))
    assert "n × m" in rows and "m × n" in columns
