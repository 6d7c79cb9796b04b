"""What a notebook is told is what a reader of the app is told, and every fault has its words."""

import ast
from pathlib import Path

import pytest

from attnviz.core.exchange.errors import EXPECTED, LONGEST, ExchangeError, excerpt, shortened
from attnviz.lesson.files.errors import LessonFileError
from attnviz.words import Words

EXCHANGE = Path(__file__).parents[3] / "attnviz/core/exchange"


def faults() -> set[str]:
    """The second argument of every ExchangeError, and of Given.wrong, that is written in the package."""
    found = set()
    for path in EXCHANGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("ExchangeError", "given.wrong"):
                found |= {n.value for n in ast.walk(node.args[1]) if isinstance(n, ast.Constant)}
    return {one for one in found if isinstance(one, str)}


def test_every_fault_has_its_words_and_no_words_are_left_over() -> None:
    # Two tables lead to words by what they hold: those of files of other kinds.
    assert faults() | {"hdf5", "pickle"} == EXPECTED.keys()


@pytest.mark.parametrize("expected", EXPECTED)
def test_the_english_of_a_notebook_is_that_of_the_app(expected: str) -> None:
    assert EXPECTED[expected] == Words("en").raw(f"file.expected.{expected}")


def test_a_fault_for_a_reader_says_the_same() -> None:
    error = ExchangeError("w_q", "shape", "(3, 2)", axes="(a, b)", shape=(2, 3))
    assert str(error) == "w_q: expected shape (a, b) = (2, 3); found (3, 2)."
    assert str(LessonFileError.of(error)) == str(error)
    assert "w_q" in LessonFileError.of(error).message(Words("ja"))
    assert str(ExchangeError("", "kind")) == "The file: expected .npz or .safetensors; found nothing."


def test_a_text_from_a_file_is_short_and_can_be_shown() -> None:
    assert shortened("a" * 99) == "a" * (LONGEST - 1) + "…"
    assert shortened("a\x00\u2028b") == r"a\x00\u2028b"
    assert [excerpt(value) for value in ([1, 2], {"a": 1}, None, "ü")] == [
        "[…] (2)",
        "{…} (1)",
        "null",
        '"ü"',
    ]
