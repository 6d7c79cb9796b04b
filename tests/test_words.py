"""English and Japanese say everything, every word that the code asks for is there, and its HTML is sound."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from markupsafe import Markup

from attnviz.lesson.kinds import Choice
from attnviz.lesson.settings import all_settings, find_setting
from attnviz.ui.app.sidebar import HIDEABLE
from attnviz.words import FOLDER, Words, languages, read
from attnviz.words.gaps import misfits, missing, placeholders

ROOT = Path(__file__).parents[1]
CODE = sorted([*(ROOT / "attnviz").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])
SCREEN = [
    path
    for path in CODE
    if not path.is_relative_to(ROOT / "attnviz") or path.is_relative_to(ROOT / "attnviz/ui")
]
ENGLISH = Words("en")
COMPLETE = ("en", "ja")  # the others may leave to English what they do not say yet
TAGS = {"b", "i", "em", "sub", "sup", "span", "bdi", "var", "br", "code", "p", "ul", "ol", "li", "a", "small"}
each_language = pytest.mark.parametrize("language", languages())


@dataclass(frozen=True)
class Call:
    """One look-up in the code: the name as a pattern (exact where nothing is put in), and the values given."""

    place: str
    pattern: str
    exact: bool
    html: bool
    values: frozenset[str] | None  # None where they are handed on by **

    @property
    def names(self) -> list[str]:
        """The texts that it may look up."""
        if self.exact:
            return [self.pattern]
        return [name for name in ENGLISH if re.fullmatch(self.pattern, name)]


@cache
def calls() -> tuple[Call, ...]:
    """Every words("...", ...) and words.html("...", ...) whose name is written out, at least in part."""
    return tuple(call for path in CODE for call in calls_of(path))


def calls_of(path: Path) -> Iterator[Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and node.args and is_words(node.func)):
            continue
        name = node.args[0]
        html = isinstance(node.func, ast.Attribute) and node.func.attr == "html"
        values = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
        open_ended = any(keyword.arg is None for keyword in node.keywords)
        place = f"{path.relative_to(ROOT)}:{node.lineno}"
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield Call(place, name.value, True, html, None if open_ended else values)
        elif isinstance(name, ast.JoinedStr):
            parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in name.values)
            yield Call(place, "".join(parts), False, html, None if open_ended else values)


def is_words(function: ast.expr) -> bool:
    """words, scene.words, self.words, state.words(), Words(...), and .html of these."""
    if isinstance(function, ast.Attribute) and function.attr in ("html", "raw"):
        return is_words(function.value)
    if isinstance(function, ast.Call):
        function = function.func
    return (isinstance(function, ast.Name) and function.id == "words") or (
        isinstance(function, ast.Attribute) and function.attr == "words"
    )


def test_english_comes_first_and_every_language_names_itself() -> None:
    assert languages()[0] == "en"
    assert set(COMPLETE) <= set(languages())
    assert len({Words(language)("common.language") for language in languages()}) == len(languages())


@pytest.mark.parametrize("language", COMPLETE)
def test_these_languages_say_everything_themselves(language: str) -> None:
    assert len(read(FOLDER, language)) > 1000
    assert missing(FOLDER, language) == {}


@each_language
def test_a_language_says_nothing_that_english_does_not(language: str) -> None:
    # Other names of a term are those that the language's own books use: English need not have any.
    more = set(Words(language)) - set(ENGLISH)
    assert [name for name in sorted(more) if not re.fullmatch(r"glossary\.\w+\.also", name)] == []


@each_language
def test_every_text_says_something(language: str) -> None:
    words = Words(language)
    assert all(isinstance(words.raw(name), str) for name in words)
    silent = [name for name in words if not words.raw(name).strip()]
    assert [name for name in silent if not name.endswith(".between")] == []  # what joins two sentences


@each_language
def test_every_language_has_english_placeholders_and_its_own_plural_forms(language: str) -> None:
    assert misfits(FOLDER, language) == {}


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (1, "1 token"),
        (0, "0 tokens"),
        (5, "5 tokens"),
        (1_234_567, "1234567 tokens"),
        (np.int64(1), "1 token"),
        (1.0, "1 token"),
        (1.5, "1.5 tokens"),
        (np.float32(0.25), "0.25 tokens"),
        (Decimal("1.0"), "1.0 tokens"),
    ],
)
def test_a_count_takes_the_noun_that_fits_it(n: float | Decimal, shown: str) -> None:
    said = Words("en")("playground.count", n=n, d_model=7)
    assert said.startswith(f"{shown} ×")
    assert said.endswith(" 7")


def test_every_text_that_the_code_names_is_there() -> None:
    assert len(calls()) > 100
    assert [
        f"{call.place} {call.pattern}" for call in calls() if call.exact and call.pattern not in ENGLISH
    ] == []


def test_every_name_that_the_code_puts_together_can_be_one_of_the_texts() -> None:
    assert [f"{call.place} {call.pattern}" for call in calls() if not call.names] == []


@each_language
def test_a_text_gets_every_value_that_it_has_a_place_for(language: str) -> None:
    words = Words(language)
    short = [
        f"{call.place} {name}: {missing}"
        for call in calls()
        if call.exact and call.values is not None
        for name in call.names
        if name in words and (missing := placeholders(words.raw(name)).keys() - call.values)
    ]
    assert short == []


def test_no_value_is_handed_to_a_text_that_has_no_place_for_it() -> None:
    texts = {name: "".join(w.raw(name) for w in map(Words, languages()) if name in w) for name in ENGLISH}
    idle = [
        f"{call.place} {call.pattern}: {value}"
        for call in calls()
        if call.exact and call.values and call.pattern in ENGLISH
        for value in call.values
        if not re.search(rf"\{{{value}[:}}]", texts[call.pattern])
    ]
    assert idle == []


@each_language
@pytest.mark.parametrize(
    "name",
    [
        n
        for n, one in all_settings().items()
        if isinstance(one.kind, Choice) and f"common.controls.{n}" in ENGLISH
    ],
)
def test_every_option_of_a_control_in_the_sidebar_has_words(language: str, name: str) -> None:
    kind, words = find_setting(name).kind, Words(language)
    assert isinstance(kind, Choice)
    if name == "language":
        return
    shown = [words(f"common.{name}.{option}", auto="?") for option in kind.options]
    assert len(set(shown)) == len(kind.options)


@each_language
@pytest.mark.parametrize("name", [*HIDEABLE, "notation", "hide"])
def test_every_control_has_a_label_and_one_line_of_help(language: str, name: str) -> None:
    words = Words(language)
    assert words(f"common.controls.{name}")
    assert "\n" not in words(f"common.help.{name}")
    assert len(words(f"common.help.{name}")) <= 130


class Checker(HTMLParser):
    """Notes every tag that is unknown, unclosed, or closed where it was not open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS or any(
            name.startswith("on") or "javascript" in (value or "") for name, value in attrs
        ):
            self.wrong.append(self.get_starttag_text() or tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")


@each_language
def test_the_tags_of_every_text_are_known_and_balanced(language: str) -> None:
    words, wrong = Words(language), {}
    for name in words:
        checker = Checker()
        checker.feed(words.raw(name))
        checker.close()
        if checker.wrong or checker.open:
            wrong[name] = (*checker.wrong, *checker.open)
    assert wrong == {}


@each_language
def test_the_classes_in_texts_are_those_of_the_style_sheet(language: str) -> None:
    style = (ROOT / "attnviz/ui/kit/assets/style.css").read_text(encoding="utf-8")
    used = {
        name
        for text in map(Words(language).raw, Words(language))
        for classes in re.findall(r'class="([^"]*)"', text)
        for name in classes.split()
    }
    assert [name for name in sorted(used) if not re.search(rf"\.{re.escape(name)}\b", style)] == []


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a file that may reach the screen: no docstrings, errors, keys of words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))
        elif isinstance(node, ast.Raise | ast.Assert):
            hidden |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", SCREEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sentence_is_written_in_the_code_of_the_screen(path: Path) -> None:
    phrase = re.compile(r"\b[A-Za-z]{2,},? [a-z]{2,},? [a-z]{2,}\b|[\u3040-\u30ff\u4e00-\u9fff]")
    markup = re.compile(r"<[^>]*>")
    found = [f"{line}: {text!r}" for line, text in strings(path) if phrase.search(markup.sub(" ", text))]
    assert found == []


def test_japanese_is_not_english_left_as_it_was() -> None:
    japanese, sentence = Words("ja"), re.compile(r"[A-Za-z]{3,} [a-z]{3,} [a-z]{2,}")
    left = [
        name for name in japanese if sentence.search(re.sub("<[^>]*>|\\{[^}]*\\}", " ", japanese.raw(name)))
    ]
    assert [name for name in left if japanese.raw(name) == ENGLISH.raw(name)] == []


def test_values_are_put_in_and_without_values_braces_stay() -> None:
    words = Words("en")
    assert words("common.head_n", n=3) == "head 3"
    assert words("common.head_n") == "head {n}"
    with pytest.raises(KeyError):
        words("common.no_such_text")
    with pytest.raises(KeyError):
        words("common.head_n", m=3)


def test_html_keeps_the_tags_of_the_text_and_escapes_the_values() -> None:
    words = Words("en")
    hostile = "<img src=x onerror=alert(1)>"
    text = words.html("common.steps.answer", answer=hostile)
    assert text == "The measurement says: <b>&lt;img src=x onerror=alert(1)&gt;</b>"
    assert "<i>as it is</i>" in words.html("common.steps.answer", answer=Markup("<i>as it is</i>"))


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"language must be one of en, .*; got 'tlh'"):
        Words("tlh")
