"""What CLDR says of a language: forms of numbers, direction, and which language stands nearest to a browser's."""

from decimal import Decimal

import pytest

from attnviz.words.locales import best_match, categories, direction, plural, whole_categories


@pytest.mark.parametrize(
    ("language", "whole", "every"),
    [
        ("en", "one other", "one other"),
        ("ja", "other", "other"),
        ("pl", "one few many", "one few many other"),
        ("cs", "one few other", "one few many other"),
        ("fr", "one other", "one many other"),
        ("pt-BR", "one other", "one many other"),
        ("ar", "zero one two few many other", "zero one two few many other"),
        ("tlh", "one other", "one other"),  # CLDR does not know it: as in English
    ],
)
def test_the_forms_of_a_language_are_those_of_cldr(language: str, whole: str, every: str) -> None:
    assert whole_categories(language) == tuple(whole.split())
    assert categories(language) == tuple(every.split())


@pytest.mark.parametrize(
    ("number", "three", "four"),
    [
        (1, "a", "a"),
        (2, "b", "b"),
        (5, "c", "c"),
        (22, "b", "b"),
        (112, "c", "c"),
        (Decimal("1.5"), "c", "d"),
    ],
)
def test_a_fraction_has_a_form_of_its_own_where_the_text_gives_one(
    number: int | Decimal, three: str, four: str
) -> None:
    assert plural("pl", number, ["a", "b", "c"]) == three
    assert plural("pl", number, ["a", "b", "c", "d"]) == four


def test_a_million_takes_its_own_form_or_else_that_of_the_rest() -> None:
    assert plural("fr", 1_000_000, ["jeton", "jetons"]) == "jetons"
    assert plural("fr", 1_000_000, ["jeton", "de jetons", "jetons"]) == "de jetons"
    assert plural("fr", 0, ["jeton", "jetons"]) == "jeton"


@pytest.mark.parametrize("forms", [["a"], ["a", "b", "c"]])
def test_forms_that_the_language_does_not_have_end_in_the_last_never_in_an_error(forms: list[str]) -> None:
    assert [plural("en", n, forms) for n in (0, 1, 5)] == [forms[-1]] * 3


@pytest.mark.parametrize(
    ("language", "way"),
    [
        ("en", "ltr"),
        ("ja", "ltr"),
        ("ar", "rtl"),
        ("he", "rtl"),
        ("fa", "rtl"),
        ("ur", "rtl"),
        ("tlh", "ltr"),
    ],
)
def test_the_direction_of_a_language_is_that_of_its_script(language: str, way: str) -> None:
    assert direction(language) == way


@pytest.mark.parametrize(
    ("tag", "available", "found"),
    [
        ("ja", "en ja", "ja"),
        ("ja-JP", "en ja", "ja"),
        ("JA-jp", "en ja", "ja"),
        ("en-US", "en ja", "en"),
        ("de-CH-1996", "en de", "de"),
        ("de-CH", "en de de-CH", "de-CH"),
        ("en-x-pirate", "en", "en"),  # RFC 4647: a single letter introduces nothing once what follows is cut
        ("pt-BR", "en pt pt-BR", "pt-BR"),
        ("pt", "en pt-BR", "pt-BR"),
        ("pt-PT", "en pt-BR pt", "pt"),
        ("zh-CN", "en zh-Hans zh-Hant", "zh-Hans"),
        ("zh-TW", "en zh-Hans zh-Hant", "zh-Hant"),
        ("zh-HK", "en zh zh-Hant", "zh-Hant"),  # the same script before the shorter tag
        ("zh-TW", "en zh", "zh"),  # another script before another language
        ("pt_BR", "en pt-BR", "pt-BR"),
        ("fr", "en ja", None),
        ("tlh", "en ja", None),
        ("", "en ja", None),
    ],
)
def test_a_browser_gets_the_nearest_language_that_there_is(
    tag: str, available: str, found: str | None
) -> None:
    assert best_match(tag, available.split()) == found
