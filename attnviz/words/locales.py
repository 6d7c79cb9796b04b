"""What CLDR knows about a language, read by way of Babel: its plural forms, its direction, its relatives.

A language that CLDR does not know is treated as English is.
"""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Literal

from babel.core import Locale, UnknownLocaleError, get_global

CATEGORIES = ("zero", "one", "two", "few", "many", "other")  # in this order the forms stand in a text
_EVERYDAY = 1000  # whole numbers below it show which categories a reader meets


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale("en")


@cache
def direction(language: str) -> Literal["ltr", "rtl"]:
    """Which way the language is written."""
    return "rtl" if _locale(language).text_direction == "rtl" else "ltr"


@cache
def categories(language: str) -> tuple[str, ...]:
    """The plural categories of the language, "other" last: one and other in English, six in Arabic."""
    rule = _locale(language).plural_form
    return tuple(name for name in CATEGORIES if name in rule.tags or name == "other")


@cache
def whole_categories(language: str) -> tuple[str, ...]:
    """Those that whole numbers take: in Polish one, few and many, while "other" is for fractions."""
    rule = _locale(language).plural_form
    met = {rule(n) for n in range(_EVERYDAY)}
    return tuple(name for name in CATEGORIES if name in met)


def plural(language: str, number: int | Decimal, forms: Sequence[str]) -> str:
    """The form that fits the number: `forms` are those of `whole_categories`, or of all `categories`, in their order.

    Where the language has no form for a number among them, or they are too few or too many, it is the last.
    """
    names = next((n for n in (whole_categories(language), categories(language)) if len(n) == len(forms)), ())
    category = _locale(language).plural_form(number)
    return forms[names.index(category)] if category in names else forms[-1]


def best_match(tag: str, available: Sequence[str]) -> str | None:
    """The language among `available` for a reader whose browser asks for `tag` (BCP 47: pt-BR); None for none.

    First what the tag cut short leads to (RFC 4647, section 3.4), then a relative: the same language in the same
    script, so that zh-TW finds zh-Hant, not zh. Another script is better than another language.
    """
    names = {name.lower(): name for name in available}
    shorter = [names[cut] for cut in _cut_short(tag.replace("_", "-").lower()) if cut in names]
    alike = [
        name for name in (*shorter, *available) if _language_and_script(name) == _language_and_script(tag)
    ]
    return next(iter((*alike, *shorter)), None)


def _cut_short(tag: str) -> list[str]:
    """The tag, then without its last subtag, and so on; a single letter never stands last."""
    subtags = tag.split("-")
    return ["-".join(subtags[:end]) for end in range(len(subtags), 0, -1) if len(subtags[end - 1]) > 1]


@cache
def _language_and_script(tag: str) -> tuple[str, str]:
    """The language of a tag and the script in which it is likely written."""
    try:
        known = Locale.parse(tag.replace("_", "-"), sep="-")
    except (UnknownLocaleError, ValueError):
        return tag.split("-")[0].lower(), ""
    likely = get_global("likely_subtags")
    whole = likely.get(f"{known.language}_{known.territory}") or likely.get(known.language) or ""
    return known.language, known.script or "".join(part for part in whole.split("_")[1:2])
