"""What could not be taken as given is said in the reader's words, never in a name from the code."""

import re

import pytest

from attnviz.lesson.kinds import Choice, Switch
from attnviz.lesson.settings import DEFAULTS, all_settings, change, from_link
from attnviz.ui.kit.setting_names import setting_name
from attnviz.ui.kit.text.told import shown, told
from attnviz.words import Words, languages

in_each_language = pytest.mark.parametrize("language", languages())
CODE = re.compile(r"[a-z]+_[a-z_]+")
NAMES = {"d_model", "d_k", "d_v"}  # the field's own, which look like code
PYTORCH = "torch_step"  # its options are names from PyTorch


@in_each_language
@pytest.mark.parametrize("preset", ["folded", "three_linear"])
def test_case_58_a_preset_that_does_not_fit_is_named_as_at_its_control(language: str, preset: str) -> None:
    words = Words(language)
    settings, notices = change(DEFAULTS, preset=preset, d_model=512, num_heads=16)
    assert (settings.preset, settings.d_v) == ("random", 128)
    lines = [told(notice, words) for notice in notices]
    assert words(f"common.preset.{preset}") in lines[0].unescape()
    assert words("common.preset.random") in lines[0].unescape()
    assert not any(set(CODE.findall(line)) - NAMES or f"“{preset}”" in line for line in lines)


@in_each_language
@pytest.mark.parametrize("name", [name for name in all_settings() if name != PYTORCH])
def test_case_58_no_notice_of_any_setting_shows_a_name_from_the_code(language: str, name: str) -> None:
    words, kind = Words(language), all_settings()[name].kind
    for text in ("?", "-99999", "99999", "\u0002" * 3, "9" * 600_000):
        for notice in from_link({name: text})[1]:
            line = told(notice, words).unescape()
            assert setting_name(name, words) in line
            assert not set(CODE.findall(line.replace(text, ""))) - NAMES
            if isinstance(kind, Choice | Switch) and name not in NUMBERS:
                called = shown(name, notice.used, words)
                assert called in line
                assert called in texts(words)


NUMBERS = ("patch_size", "learned_d_k")  # choices between numbers


def texts(words: Words) -> set[str]:
    """All that this language says, without what is filled in."""
    return {str(words.raw(name)).replace("{auto}", "").strip(" :：") for name in words}


@in_each_language
def test_case_47_what_was_given_is_cut_and_stands_as_text(language: str) -> None:
    (notice,) = from_link({"hide": "<b>" + "x" * 90})[1]
    line = told(notice, Words(language))
    assert "&lt;b&gt;" + "x" * 36 + "…" in line
    assert Words(language)("common.nothing") in line
