"""Whatever of a link cannot be taken as given is said in one line, on every page; and of what is typed, too."""

import pytest

from attnviz.lesson.settings import DEFAULTS
from attnviz.ui.kit.setting_names import setting_name
from attnviz.words import Words, languages
from tests.pages.app import checked, notices, open_page, settings
from tests.pages.test_every_page import each_language, each_page

BAD = {
    "pinned": "d_k=abc", "ask": "nothing.1", "hide": "<b>,seed", "muted": "x", "drawn": "abc", "edits": "zz",
}  # fmt: skip


@each_page
@each_language
def test_case_47_a_bad_text_of_the_link_is_said_on_every_page(page: str, language: str) -> None:
    app = open_page(page, language=language, **BAD)
    said, words = notices(app), Words(language)
    for name in BAD:
        assert setting_name(name, words) in said
    assert words("common.names.d_k") in said
    assert "&lt;b&gt;" in said
    assert said.count("<p>") == len(BAD)


@each_page
def test_case_47_edits_that_this_browser_does_not_hold_are_said_on_every_page(page: str) -> None:
    missing = str(Words("en").html("edit.missing"))
    assert notices(open_page(page, edits="kept~0123")).count(missing) == 1
    pinned = notices(open_page(page, pinned="edits=kept~0123"))
    assert missing in pinned
    assert Words("en")("common.names.pinned") in pinned


@pytest.mark.parametrize("text", ["%26" * 80, "&" * 80, "=" * 80, "pinned=" * 1000])
def test_case_41_a_pin_of_many_parts_is_said_and_does_no_harm(text: str) -> None:
    app = open_page(pinned=text)
    assert settings(app) == DEFAULTS
    assert Words("en")("common.names.pinned") in notices(app)


def test_case_41_of_a_setting_that_stands_twice_the_last_counts_and_that_is_said() -> None:
    app = open_page()
    app.query_params["seed"] = ["3", "4"]
    checked(app.run())
    assert settings(app).seed == 4
    said = notices(app)
    assert Words("en")("common.names.seed") in said
    assert "3" in said


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("text", ["1e2", "1,000", "１２", "abc", "", "-"])
def test_case_59_a_seed_that_is_no_whole_number_is_said_and_stays(language: str, text: str) -> None:
    app = open_page(language=language, seed=7)
    checked(app.text_input(key="w_seed").set_value(text).run())
    assert settings(app).seed == 7
    assert app.text_input(key="w_seed").value == "7"
    assert Words(language)("common.names.seed") in notices(app)


def test_case_59_a_typed_mask_with_other_signs_is_tidied_and_that_is_said() -> None:
    app = open_page(mask="drawn")
    checked(app.text_input(key="w_drawn").set_value("0x1").run())
    assert settings(app).drawn == app.text_input(key="w_drawn").value == "011"
    assert Words("en")("common.names.drawn") in notices(app)
