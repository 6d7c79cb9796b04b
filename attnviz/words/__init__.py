"""The words a reader sees, by language: one folder a language, one TOML file a page.

What a language does not say is said in English. Its folder bears its tag (BCP 47: de, pt-BR, zh-Hant).
"""

import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from markupsafe import Markup

from .locales import direction, plural

FOLDER = Path(__file__).parent  # one folder in it is one language
SOURCE = "en"  # says everything; the others are translated from it


class Words:
    """Looks up the words of one language: `words("playground.title", n=5)`.

    Where a text says `{n:token|tokens}`, n comes out as "1 token" or "5 tokens": the forms are those of the
    language (see `locales.plural`). What the language does not say is taken from English, by English rules.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.direction = direction(language)
        self._own = _texts(FOLDER, language)
        self._texts = _with_english(FOLDER, language)

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text called `name`, with `values` put in for its placeholders; KeyError if there is none.

        Without values the text is taken as it stands.
        """
        return self._texts[name].format(**self._prepared(name, values)) if values else self._texts[name]

    def either(self, name: str, fallback: str, /, **values: Any) -> str:
        """The text called `name`, or the fallback where there is none: what is registered later has its own name only."""
        return self(name, **values) if name in self._texts else fallback

    def html(self, name: str, /, **values: Any) -> Markup:
        """The text as HTML: its own tags stand, every value is escaped unless it is Markup already.

        A text taken from English says so, for screen readers and for the direction in which it is set.
        """
        text = Markup(self._texts[name]).format(**self._prepared(name, values))
        if name in self._own:
            return text
        return Markup('<span lang="{}" dir="{}">{}</span>').format(SOURCE, direction(SOURCE), text)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def raw(self, name: str) -> str:
        """The text as it stands in the locale file, placeholders and all."""
        return self._texts[name]

    def _prepared(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        """The values as the text takes them in: numbers know the forms of its language, the rest the page's direction."""
        spoken = self.language if name in self._own else SOURCE
        return {
            key: _Number(value, spoken)
            if _is_number(value)
            else _Apart(value)
            if self.direction == "rtl"
            else value
            for key, value in values.items()
        }


class _Number:
    """A number in a text: `format(_Number(1, "en"), "token|tokens")` is "1 token"."""

    def __init__(self, value: Any, language: str) -> None:
        self._value, self._language = value, language

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return format(self._value, spec)
        number = _plain(self._value)
        return f"{number} {plural(self._language, number, spec.split('|'))}"


class _Apart:
    """A value on a page from right to left: set apart, or its signs and brackets would change sides."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return f"\u2068{format(self._value, spec)}\u2069"

    def __html_format__(self, spec: str) -> Markup:
        text = self._value if isinstance(self._value, Markup) else format(self._value, spec)
        return Markup("<bdi>{}</bdi>").format(text)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _plain(value: Any) -> int | Decimal:
    """A number as it is written, which decides its form: NumPy's too, and 2.0 is 2."""
    if isinstance(value, Integral):
        return int(value)
    return value if isinstance(value, Decimal) else Decimal(f"{float(value):g}")


@cache
def _texts(folder: Path, language: str) -> dict[str, str]:
    """What the language itself says; a blank text says nothing where English says something."""
    if language not in _languages(folder):
        raise ValueError(f"language must be one of {', '.join(_languages(folder))}; got {language!r}")
    english = read(folder, SOURCE)
    texts = read(folder, language)
    return {name: text for name, text in texts.items() if text.strip() or not english.get(name, "").strip()}


@cache
def _with_english(folder: Path, language: str) -> dict[str, str]:
    english = {name: text for name, text in _texts(folder, SOURCE).items() if not is_optional(name)}
    return english | _texts(folder, language)


def is_optional(name: str) -> bool:
    """Whether a language may have nothing to say here: other names of a term are those of its own books."""
    return name.startswith("glossary.") and name.endswith(".also")


def read(folder: Path, language: str) -> dict[str, Any]:
    """The texts in the language's files as they stand, by file, table and key; none where there is no folder."""
    texts: dict[str, Any] = {}
    if folder.joinpath(language).is_dir():
        for file in sorted(folder.joinpath(language).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".toml"):
                page = file.name.removesuffix(".toml")
                texts |= _flat(page, tomllib.loads(file.read_text(encoding="utf-8")))
    return texts


def _flat(prefix: str, table: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(f"{prefix}.{name}", value)
        else:
            flat[f"{prefix}.{name}"] = value
    return flat


def languages() -> tuple[str, ...]:
    """The languages there are words for, English first: the folders that say what their language is called."""
    return _languages(FOLDER)


@cache
def _languages(folder: Path) -> tuple[str, ...]:
    names = sorted(
        f.name for f in folder.iterdir() if read(folder, f.name).get("common.language", "").strip()
    )
    return (SOURCE, *(name for name in names if name != SOURCE))
