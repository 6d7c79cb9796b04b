"""Each kind of setting writes what it reads, reads anything, and refuses what is not of its kind."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.lesson.kinds import Choice, Kind, Real, Switch, Text, Whole

# kind, its default, some of its values, some that are not
KINDS: dict[str, tuple[Kind, Any, list[Any], list[Any]]] = {
    "whole": (Whole(-3, 40), 7, [-3, 0, 40], [-4, 41, 1.0, True, "1", None]),
    "real": (Real(0.1, 50.0), 2.5, [0.1, 3, 49.999], [0.0, 51.0, float("nan"), float("inf"), True, "1"]),
    "choice": (Choice(("dot", "cosine")), "dot", ["dot", "cosine"], ["Dot", "", None, 0]),
    "switch": (Switch(), False, [True, False], [0, 1, "1", None]),
    "text": (Text(5), "abc", ["", "a b", "<b>&$", "日本語です"], ["123456", None, 5]),
}
each_kind = pytest.mark.parametrize(("kind", "default", "good", "bad"), KINDS.values(), ids=KINDS)


@each_kind
def test_a_value_of_the_kind_is_accepted_written_and_read_back(
    kind: Kind, default: Any, good: list[Any], bad: list[Any]
) -> None:
    for value in good:
        kind.check("name", value)
        assert kind.read(kind.write(value), default) == (value, "")


@each_kind
def test_a_value_of_another_kind_is_refused_by_the_name_of_the_setting(
    kind: Kind, default: Any, good: list[Any], bad: list[Any]
) -> None:
    for value in bad:
        with pytest.raises(ValueError, match=r"^d_model must be .*; got "):
            kind.check("d_model", value)


@each_kind
@given(text=st.text())
def test_whatever_the_text_what_is_read_is_of_the_kind(
    kind: Kind, default: Any, good: list[Any], bad: list[Any], text: str
) -> None:
    value, problem = kind.read(text, default)
    kind.check("name", value)
    assert problem in {"", "unknown", "clamped", "cut"}
    if problem == "unknown":
        assert value == default


@given(low=st.integers(-99, 99), size=st.integers(0, 99), number=st.integers())
def test_a_whole_number_outside_its_limits_is_brought_to_the_nearer_one(
    low: int, size: int, number: int
) -> None:
    value, problem = Whole(low, low + size).read(str(number), low)
    inside = low <= number <= low + size
    assert value == (number if inside else low if number < low else low + size)
    assert problem == ("" if inside else "clamped")


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_outside_its_limits_is_brought_to_the_nearer_one(number: float) -> None:
    value, problem = Real(0.5, 20.0).read(repr(number), 1.0)
    inside = 0.5 <= number <= 20.0
    assert value == (number if inside else 0.5 if number < 0.5 else 20.0)
    assert problem == ("" if inside else "clamped")


@given(value=st.floats(0.1, 50.0))
def test_a_number_is_read_back_to_the_last_bit(value: float) -> None:
    kind = Real(0.1, 50.0)
    assert kind.read(kind.write(value), 1.0) == (value, "")


HOSTILE = [
    "abc",
    "",
    " ",
    "1 ",
    "1_0",
    "٣",
    "０",
    "0x10",
    "+-3",
    "--3",
    "3.",
    "1e2",
    "NaN",
    "∞",
    "9" * 5000,
    "1;2",
    "<b>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_only_plain_digits_are_a_whole_number(text: str) -> None:
    assert Whole(0, 99).read(text, 7) == (7, "unknown")


@pytest.mark.parametrize(
    "text", ["abc", "", " ", "1_0", "٣.٥", "０.５", "nan", "inf", "-Infinity", "1e999", "0x1p3", "1,5"]
)
def test_only_plain_finite_numbers_are_a_number(text: str) -> None:
    assert Real(0.0, 99.0).read(text, 7.0) == (7.0, "unknown")


@pytest.mark.parametrize("text", ["true", "True", "on", "yes", "2", "", " 1", "01"])
def test_a_switch_is_0_or_1(text: str) -> None:
    for default in (True, False):
        assert Switch().read(text, default) == (default, "unknown")


@pytest.mark.parametrize("text", ["Dot", "dot ", "", "do", "dot\n", "cosine,dot"])
def test_a_choice_is_one_of_its_names_letter_by_letter(text: str) -> None:
    assert Choice(("dot", "cosine")).read(text, "cosine") == ("cosine", "unknown")


def test_a_text_that_is_too_long_is_cut_and_said_so() -> None:
    assert Text(4).read("abcd", "") == ("abcd", "")
    assert Text(4).read("abcde", "") == ("abcd", "cut")
