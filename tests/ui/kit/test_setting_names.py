"""A setting is called by its name in words: a page's own by the words of that page."""

import pytest

from attnviz.lesson.settings import all_settings
from attnviz.ui.kit.setting_names import setting_name
from attnviz.words import Words, languages


@pytest.mark.parametrize("language", languages())
def test_every_setting_has_a_name_of_its_page_or_one_for_all(language: str) -> None:
    words = Words(language)
    for name, one in all_settings().items():
        group = f"{one.page}.knobs" if one.page else "common.names"
        assert setting_name(name, words) == words(f"{group}.{name}")


def test_what_has_no_words_is_called_as_in_a_link() -> None:
    assert setting_name("no_such_setting", Words("ja")) == "no_such_setting"
