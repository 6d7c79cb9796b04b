"""What a translator is told: each text that is missing, and each that would be shown wrongly."""

import re
import tomllib
from pathlib import Path

import pytest

from attnviz.words import FOLDER, read
from attnviz.words.gaps import by_file, forms, misfits, missing, placeholders, toml

ENGLISH = read(FOLDER, "en")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{n:token|tokens} × d_model {d_model}", {"n": ["token|tokens"], "d_model": []}),
        ("{n:a|b|c|d}{m:x|y} {n}", {"n": ["a|b|c|d"], "m": ["x|y"]}),
        ("{length}{repeated}", {"length": [], "repeated": []}),
        ("{size:,}", {"size": []}),
        ("no place", {}),
    ],
)
def test_placeholders_are_found_with_their_forms(text: str, found: dict[str, list[str]]) -> None:
    assert placeholders(text) == found


@pytest.mark.parametrize("text", ["{n", "n}", "{}", "{0}", "{a b}"])
def test_braces_that_hold_no_name_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\{|\}|name"):
        placeholders(text)


def test_a_language_without_a_folder_lacks_everything_but_what_is_optional() -> None:
    said = [name for name, text in ENGLISH.items() if text.strip() and not name.endswith(".also")]
    assert list(missing(FOLDER, "de")) == said
    assert misfits(FOLDER, "de") == {}


def test_what_is_left_out_or_blank_is_missing(words_folder: Path) -> None:
    gaps = missing(words_folder, "pl")
    assert gaps["common.head_n"] == "head {n}"
    assert gaps["scores.title"] == ENGLISH["scores.title"]
    assert not gaps.keys() & {"common.language", "common.reset", "playground.count", "playground.story.x"}
    assert misfits(words_folder, "ar") == {}


@pytest.mark.parametrize(
    ("file", "line", "why"),
    [
        ("common", 'head_n = "głowa"', r"placeholders must be \{n\}; got none"),
        ("common", 'head_n = "głowa {m}"', r"placeholders must be \{n\}; got \{m\}"),
        ("common", 'head_n = "głowa {n} }"', r"\}|placeholder must be a name"),
        ("common", 'heads_title = "Wszystkie {} głowy"', r"a placeholder must be a name; got \{\}"),
        ("common", 'hed_n = "głowa {n}"', "English has no text of this name"),
        ("common", "head_n = 3", "must be a text in quotes; got 3"),
        (
            "playground",
            'count = "{n:głowa|głowy} {d_model}"',
            r"głowa\|głowy must have the forms one\|few\|many, or",
        ),
        (
            "playground",
            'count = "{n:a|b|c|d|e} {d_model}"',
            r"must have the forms one\|few\|many, or .* one\|few\|many\|other",
        ),
    ],
)
def test_a_text_that_cannot_be_right_is_named_with_the_reason(
    words_folder: Path,
    file: str,
    line: str,
    why: str,
) -> None:
    (words_folder / "pl" / f"{file}.toml").write_text(f"{line}\n", encoding="utf-8")
    found = {name: why for name, why in misfits(words_folder, "pl").items() if name.startswith(f"{file}.")}
    assert list(found) == [f"{file}.{line.split(' ')[0]}"]
    assert re.search(why, *found.values())


@pytest.mark.parametrize(
    "line",
    [
        'count = "{n:a|b|c} {d_model}"',
        'count = "{n:a|b|c|d} {d_model}"',
        'count = "głowy: {n} {d_model}"',
        'count = ""',
    ],
)
def test_a_text_may_have_three_forms_in_polish_or_four_or_none(words_folder: Path, line: str) -> None:
    (words_folder / "pl" / "playground.toml").write_text(line, encoding="utf-8")
    assert misfits(words_folder, "pl") == {}


def test_a_skeleton_is_toml_that_names_every_text_once_and_says_nothing_yet(tmp_path: Path) -> None:
    (tmp_path / "de").mkdir()
    (tmp_path / "en").symlink_to(Path(str(FOLDER)) / "en")
    for file, texts in by_file(missing(FOLDER, "de")).items():
        tomllib.loads(toml(texts))
        (tmp_path / "de" / file).write_text(toml(texts), encoding="utf-8")
    assert read(tmp_path, "de") == dict.fromkeys(missing(FOLDER, "de"), "")
    assert missing(tmp_path, "de") == missing(FOLDER, "de")
    assert misfits(tmp_path, "de") == {}


def test_the_forms_of_a_language_are_named_in_their_order() -> None:
    assert forms("en") == "one|other"
    assert forms("ja") == "other"
    assert forms("pl").startswith("one|few|many, or ") and forms("pl").endswith("one|few|many|other")
