"""The words a reader sees, by language: one folder a language, one TOML file a page."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from numbers import Integral
from typing import Any

from markupsafe import Markup


class Words:
    """Looks up the words of one language: `words("playground.title", n=5)`.

    Where a text says `{n:token|tokens}`, a whole number n comes out as "1 token" or "5 tokens".
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = _texts(language)

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text called `name`, with `values` put in for its placeholders; KeyError if there is none.

        Without values the text is taken as it stands, so that LaTeX keeps its braces.
        """
        return self._texts[name].format(**_counted(values)) if values else self._texts[name]

    def html(self, name: str, /, **values: Any) -> Markup:
        """The text as HTML: its own tags stand, every value is escaped unless it is Markup already."""
        return Markup(self._texts[name]).format(**_counted(values))

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def raw(self, name: str) -> str:
        """The text as it stands in the locale file, placeholders and all."""
        return self._texts[name]


class _Count(int):
    """A whole number that knows its noun: `format(_Count(1), "token|tokens")` is "1 token"."""

    def __format__(self, spec: str) -> str:
        one, bar, several = spec.partition("|")
        return f"{int(self)} {one if self == 1 else several}" if bar else super().__format__(spec)


def _counted(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _Count(value) if isinstance(value, Integral) and not isinstance(value, bool) else value
        for name, value in values.items()
    }


@cache
def _texts(language: str) -> dict[str, str]:
    if language not in languages():
        raise ValueError(f"language must be one of {', '.join(languages())}; got {language!r}")
    texts: dict[str, str] = {}
    for file in files(__package__).joinpath(language).iterdir():
        if file.name.endswith(".toml"):
            page = file.name.removesuffix(".toml")
            texts |= _flat(page, tomllib.loads(file.read_text(encoding="utf-8")))
    return texts


def _flat(prefix: str, table: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(f"{prefix}.{name}", value)
        else:
            flat[f"{prefix}.{name}"] = value
    return flat


@cache
def languages() -> tuple[str, ...]:
    """The languages there are words for, English first."""
    names = sorted(f.name for f in files(__package__).iterdir() if f.joinpath("common.toml").is_file())
    return ("en", *(name for name in names if name != "en"))
