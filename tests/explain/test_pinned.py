"""Two lessons compared: pinning keeps the numbers, differences are NumPy's."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention
from attnviz.explain.pinned import Change, both, largest_change, pin, pinned, settings_changed
from attnviz.explain.stations import MADE
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import (
    DEFAULTS,
    LIMIT_CHARACTERS,
    STAGES,
    Settings,
    all_settings,
    find_setting,
    from_link,
)

A = Settings(sentence="red green red blue", d_model=7, num_heads=3, d_k=3, d_v=5, seed=2)


def lesson(settings: Settings) -> Lesson:
    """The lesson of settings that have one."""
    made = make_lesson(settings)
    assert made is not None
    return made


def test_pinning_keeps_every_setting_that_makes_numbers_and_no_other() -> None:
    b = replace(
        A, language="ja", stage="output", head=2, ask="x.1", pinned="old", scale="none", mask="causal"
    )
    kept = pinned(pin(b))
    assert kept is not None
    for name in all_settings():
        expected = DEFAULTS if find_setting(name).look else b
        assert kept[name] == expected[name], name


def test_the_default_setting_can_be_pinned_and_nothing_pinned_is_none() -> None:
    assert pinned(pin(DEFAULTS)) == DEFAULTS
    assert pinned("") is None


@pytest.mark.parametrize("text", ["%%%", "d_k=abc&num_heads=99", "pinned=x&language=ja", "=&=&", "a" * 5000])
def test_a_broken_pin_falls_back_field_by_field(text: str) -> None:
    kept = pinned(text)
    assert kept is not None
    assert kept.d_k == DEFAULTS.d_k
    assert kept.language == DEFAULTS.language


def test_what_differs_is_named() -> None:
    b = replace(A, scale="none", num_heads=2, language="ja", head=2)
    assert set(settings_changed(A, b)) == {"scale", "num_heads"}


def test_the_difference_of_the_weights_is_that_of_two_layers_called_by_hand() -> None:
    a, b = lesson(A), lesson(replace(A, scale="none"))
    layer = MultiHeadAttention.random(d_model=7, num_heads=3, d_k=3, d_v=5, seed=2)
    pair = both(a, b, "weights", 1)
    assert pair is not None
    scaled, plain = (layer(a.trace.x, scale=scale).weights[1] for scale in ("auto", "none"))
    np.testing.assert_allclose(pair[1] - pair[0], plain - scaled, atol=1e-15)
    change = largest_change(*pair)
    assert change is not None
    place = np.unravel_index(np.abs(plain - scaled).argmax(), plain.shape)
    assert (change.row, change.column) == place
    assert change.by == pytest.approx((plain - scaled)[place])


def test_shapes_that_do_not_match_and_heads_that_are_missing_give_nothing() -> None:
    a = lesson(A)
    assert both(a, lesson(replace(A, sentence="one two")), "weights", 0) is None
    assert both(a, lesson(replace(A, num_heads=1)), "weights", 2) is None
    assert both(a, lesson(replace(A, num_heads=1)), "weights", 0) is not None


def test_no_change_is_none_and_hidden_cells_do_not_count() -> None:
    first = np.array([[1.0, np.nan], [2.0, 5.0]])
    assert largest_change(first, first) is None
    second = np.array([[1.0, 7.0], [2.0, np.nan]])
    assert largest_change(first, second) is None
    assert largest_change(first, np.array([[0.5, 9.0], [2.25, 5.0]])) == Change(0, 0, 1.0, 0.5)


def test_every_station_has_something_to_compare() -> None:
    assert set(MADE) == set(STAGES)


def test_two_sentences_at_their_limit_can_be_pinned() -> None:
    longest = "𠮷" * LIMIT_CHARACTERS
    b = replace(A, sentence=longest, source=longest)
    assert pinned(replace(b, pinned=pin(b)).pinned) == b


@pytest.mark.parametrize("text", ["&" * 80, "%26" * 80, "a&" * 200_000, "pinned=" * 70_000, "d_k=3&" * 5000])
def test_case_41_a_pin_of_any_number_of_parts_falls_back(text: str) -> None:
    assert pinned(text) == DEFAULTS
    settings, (notice,) = from_link({"pinned": text})
    assert settings == DEFAULTS
    assert (notice.name, notice.problem, notice.used) == ("pinned", "unknown", "")


def test_case_47_what_is_wrong_inside_a_pin_is_named_one_by_one() -> None:
    settings, notices = from_link({"pinned": "d_k=abc&num_heads=99&seed=3&seed=4&foo=1&language=ja&hide=x"})
    assert pinned(settings.pinned) == replace(DEFAULTS, num_heads=16, seed=4)
    assert {notice.within for notice in notices} == {"pinned"}
    assert {(n.name, n.problem, n.given, n.used) for n in notices} == {
        ("d_k", "unknown", "abc", "4"),
        ("num_heads", "clamped", "99", "16"),
        ("seed", "twice", "3", "4"),
        ("pinned", "passed_over", "foo=1&language=ja&hide=x", ""),
    }


@pytest.mark.parametrize("text", ["sentence=a%20b", "sentence=a+b", "seed=0&d_k=4&mask=causal", "-", ""])
def test_case_47_a_pin_with_nothing_wrong_stands_as_it_was_written(text: str) -> None:
    settings, notices = from_link({"pinned": text})
    assert (settings.pinned, notices) == (text, ())
