"""A lesson file loses no bit, and what is read from it is within the limits."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from attnviz.lesson.edits import Edit, Edits, fingerprint
from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.lesson_file import LARGEST_FILE, load, save
from attnviz.lesson.settings import DEFAULTS, Settings, all_settings, fit
from tests.lesson.any_settings import SETTINGS
from tests.lesson.edit_cases import EDITS, exact
from tests.lesson.lesson_files import SIZES, WORDS, file, one_edit, text


@given(SETTINGS, EDITS)
def test_a_lesson_file_gives_back_settings_and_edits_bit_for_bit(settings: Settings, edits: Edits) -> None:
    settings, _ = fit(settings)
    opened, found, notices = load(save(settings, edits).encode())
    assert opened == replace(settings, edits="")
    assert exact(found) == exact(edits)
    assert notices == ()


def test_an_opened_lesson_has_the_same_output_bit_for_bit() -> None:
    settings = replace(WORDS, **SIZES, score="general", seed=4, temperature=1.1)
    plain = make_lesson(settings)
    assert plain is not None
    x = Edit("x", (14, 7), np.array([0, 97]), np.array([0.1, -1 / 3]), fingerprint(plain.tokens.tokens))
    edits = Edits((Edit("w_v", (3, 7, 5), np.array([104]), np.array([2 / 3])), x))
    opened, found, _ = load(save(settings, edits).encode())
    one, other = make_lesson(settings, edits), make_lesson(opened, found)
    assert one is not None
    assert other is not None
    assert one.trace.output.tobytes() == other.trace.output.tobytes()
    assert (one.trace.layer.w_v[2, 6, 4], one.trace.x[13, 6]) == (2 / 3, -1 / 3)


def test_an_edit_of_x_without_a_fingerprint_belongs_to_the_sentence_of_the_file() -> None:
    settings, edits, _ = load(
        text(one_edit([[0.5, None], [None, 2]], "x") | {"settings": {"sentence": "a b", "d_model": 2}})
    )
    made = make_lesson(settings, edits)
    assert made is not None
    assert (made.trace.x[0, 0], made.trace.x[1, 1], made.hand.aside) == (0.5, 2.0, ())


@pytest.mark.parametrize("value", [12, "12", 12.0])
def test_settings_are_read_from_numbers_and_from_texts_as_in_a_link(value: object) -> None:
    assert load(
        text(file(settings={"d_model": value, "residual": True, "temperature": 0.5, "mask": "causal"}))
    )[0] == (replace(DEFAULTS, d_model=12, residual=True, temperature=0.5, mask="causal"))


def test_settings_out_of_their_limits_come_inside_and_are_named() -> None:
    settings, _, notices = load(text(file(settings={"d_model": 9999, "seed": "abc", "d_modle": 3})))
    assert settings == replace(DEFAULTS, d_model=512)
    assert notices == (
        Notice("edits", "ignored", "d_modle", ""),
        Notice("d_model", "clamped", "9999", "512"),
        Notice("seed", "unknown", "abc", "0"),
    )


def test_null_at_any_level_leaves_what_is_there() -> None:
    values = [None, [None, [None, 0.5], None]]
    _, edits, _ = load(text(one_edit(values)))
    (edit,) = edits.entries
    assert (edit.shape, edit.at.tolist(), edit.values.tolist()) == ((2, 3, 2), [9], [0.5])


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert load(b"\xef\xbb\xbf" + text(file())) == (DEFAULTS, Edits(), ())


def test_every_setting_but_the_text_of_the_edits_is_written_out() -> None:
    assert json.loads(save(DEFAULTS, Edits()))["settings"].keys() == all_settings().keys() - {"edits"}


def test_a_lesson_too_large_for_a_file_is_refused() -> None:
    edits = Edits((Edit.whole("w_q", np.full((1, 400, 400), 1 / 3)),))
    with pytest.raises(ValueError, match=f"at most {LARGEST_FILE} bytes; got 3[0-9]+"):
        save(DEFAULTS, edits)
    with pytest.raises(ValueError, match="got more than 2400000"):
        save(DEFAULTS, Edits((Edit.whole("w_q", np.zeros((4, 400, 500))),)))
