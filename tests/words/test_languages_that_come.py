"""A language is a folder: what it says is shown by its own rules, what it does not say is said in English."""

from pathlib import Path

import pytest
from markupsafe import Markup

from attnviz.words import Words, languages

pytestmark = pytest.mark.usefixtures("words_folder")


def test_a_folder_that_says_its_name_is_a_language() -> None:
    assert languages() == ("en", "ar", "ja", "pl")
    assert [Words(name)("common.language") for name in languages()] == [
        "English",
        "العربية",
        "日本語",
        "Polski",
    ]


def test_a_folder_that_does_not_say_its_name_is_not_one_yet(words_folder: Path) -> None:
    other = words_folder.with_name("other")
    words_folder.rename(other)
    (other / "pl" / "common.toml").write_text('language = " "\nreset = "Wyczyść"\n', encoding="utf-8")
    (other / "de").mkdir()
    (other / "de" / "scores.toml").write_text('title = "Bewertungen"\n', encoding="utf-8")
    (other / "notes.txt").write_text("not a language", encoding="utf-8")
    other.rename(words_folder.with_name("third"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnviz.words.FOLDER", words_folder.with_name("third"))
        assert languages() == ("en", "ar", "ja")
        with pytest.raises(ValueError, match="language must be one of en, ar, ja; got 'pl'"):
            Words("pl")


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (1, "1 token"),
        (2, "2 tokeny"),
        (5, "5 tokenów"),
        (12, "12 tokenów"),
        (22, "22 tokeny"),
        (0, "0 tokenów"),
    ],
)
def test_polish_counts_by_its_own_rules(n: int, shown: str) -> None:
    assert Words("pl")("playground.count", n=n, d_model=7) == f"{shown} × d_model 7"


@pytest.mark.parametrize(
    ("n", "form"), [(0, "رمز"), (1, "رمز واحد"), (2, "رمزان"), (7, "رموز"), (99, "رمزًا"), (100, "رمز")]
)
def test_arabic_counts_by_its_own_rules(n: int, form: str) -> None:
    said = Words("ar")("playground.count", n=n, d_model=7)
    assert said == f"{n} {form} × d_model 7"


@pytest.mark.parametrize(("n", "shown"), [(1, "1 more term"), (5, "5 more terms")])
@pytest.mark.parametrize("language", ["pl", "ar", "ja", "en"])
def test_what_a_language_does_not_say_is_said_in_english_by_english_rules(
    language: str, n: int, shown: str
) -> None:
    said = Words(language).html("playground.rest", n=n)
    if language == "ja":
        assert "term" not in said
    else:
        assert shown in said
        assert ('<span lang="en" dir="ltr">' in said) == (language != "en")


def test_a_blank_text_is_one_that_is_not_there_yet() -> None:
    assert Words("pl")("common.head_n", n=3) == "head 3"


def test_every_text_of_english_can_be_said() -> None:
    for name in Words("en"):
        if not name.endswith(".also"):
            assert isinstance(Words("pl").raw(name), str)


def test_other_names_of_a_term_are_not_taken_from_english() -> None:
    borrowed = [name for name in Words("pl") if name.endswith(".also")]
    assert borrowed == []
    assert [name for name in Words("en") if name.endswith(".also")] != []


def test_in_a_text_from_right_to_left_a_value_keeps_its_own_direction_and_is_escaped() -> None:
    words = Words("ar")
    assert words.direction == "rtl"
    said = words.html("common.steps.answer", answer="(−1.02, <0>)")
    assert said == "يقول القياس: <b><bdi>(−1.02, &lt;0&gt;)</bdi></b>"
    assert words("common.scale.auto", auto="(−1)") == "تلقائي: \u2068(−1)\u2069"
    assert "<bdi><i>x</i></bdi>" in words.html("common.steps.answer", answer=Markup("<i>x</i>"))


@pytest.mark.parametrize("language", ["en", "ja", "pl"])
def test_other_languages_put_values_in_as_they_are(language: str) -> None:
    words = Words(language)
    assert words.direction == "ltr"
    assert "<bdi>" not in words.html("common.steps.answer", answer="x")
    assert "\u2068" not in words("common.scale.auto", auto="(−1)")
