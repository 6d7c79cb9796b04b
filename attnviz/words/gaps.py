"""What a language does not say yet, and what of it cannot be right: for its translator."""

import json
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from . import SOURCE, is_optional, read
from .locales import categories, whole_categories


def placeholders(text: str) -> dict[str, list[str]]:
    """The names that stand in braces in a text, each with its plural forms, of which most have none.

    Raises ValueError where the braces do not stand in pairs round a name.
    """
    found: dict[str, list[str]] = {}
    for _, name, spec, _ in Formatter().parse(text):
        if name is not None:
            if not name.isidentifier():
                raise ValueError(f"a placeholder must be a name; got {{{name}}}")
            found.setdefault(name, []).extend([spec] if spec and "|" in spec else [])
    return found


def missing(folder: Path, language: str) -> dict[str, str]:
    """The texts that the language leaves out or blank, and what English says there, in English's order."""
    own = read(folder, language)
    return {
        name: text
        for name, text in read(folder, SOURCE).items()
        if text.strip() and not str(own.get(name, "")).strip() and not is_optional(name)
    }


def misfits(folder: Path, language: str) -> dict[str, str]:
    """The texts of the language that would be shown wrongly or not at all, and why."""
    english, own = read(folder, SOURCE), read(folder, language)
    found = {name: "; ".join(_faults(name, text, english, language)) for name, text in own.items()}
    return {name: why for name, why in found.items() if why}


def _faults(name: str, text: object, english: dict[str, str], language: str) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"must be a text in quotes; got {text!r}"
        return
    if name not in english:
        if not is_optional(name):
            yield "English has no text of this name"
        return
    if not text.strip():
        return  # not translated yet
    try:
        here, there = placeholders(text), placeholders(english[name])
    except ValueError as error:
        yield str(error)
        return
    if here.keys() != there.keys():
        expected, got = (", ".join(f"{{{n}}}" for n in sorted(names)) or "none" for names in (there, here))
        yield f"placeholders must be {expected}; got {got}"
    counts = {len(whole_categories(language)), len(categories(language))}
    for spec in (spec for specs in here.values() for spec in specs):
        if spec.count("|") + 1 not in counts:
            yield f"{spec} must have the forms {forms(language)}"


def forms(language: str) -> str:
    """The plural forms that a text of the language takes, in their order."""
    whole, every = whole_categories(language), categories(language)
    return "|".join(whole) + ("" if whole == every else f", or with fractions and millions {'|'.join(every)}")


def by_file(texts: dict[str, str]) -> dict[str, dict[str, str]]:
    """The texts by the file in which they belong, each under the rest of its name."""
    files: dict[str, dict[str, str]] = {}
    for name, text in texts.items():
        file, _, rest = name.partition(".")
        files.setdefault(f"{file}.toml", {})[rest] = text
    return files


def toml(texts: dict[str, str]) -> str:
    """The texts as TOML to fill in: blank, the English of each in the comment above it."""
    tables: dict[str, list[str]] = {}
    for name, text in texts.items():
        table, _, key = name.rpartition(".")
        tables.setdefault(table, []).append(f'# {json.dumps(text, ensure_ascii=False)}\n{key} = ""\n')
    plain = tables.pop("", [])
    return "\n".join(
        ["".join(plain), *(f"[{table}]\n{''.join(lines)}" for table, lines in tables.items())]
    ).lstrip()
