"""A language whose folder comes while the app runs: every page opens in it, and says in English what it lacks."""

import pytest

from attnviz.words import Words
from tests.pages.app import ROOT, checked, html, open_page, settings

PAGES = tuple(path.stem for path in sorted((ROOT / "pages").glob("*.py")))
pytestmark = pytest.mark.usefixtures("words_folder")


@pytest.mark.parametrize("language", ["pl", "ar"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_in_a_language_that_is_only_begun(page: str, language: str) -> None:
    app = open_page(page, language=language, reveal=1)
    assert settings(app).language == language
    for popover in app.get("popover"):
        app.session_state[popover.proto.id.rsplit("-", 1)[1]] = True
    checked(app.run())
    assert '<span lang="en" dir="ltr">' in html(app)
    assert f"**{Words('en')(f'{page}.menu')}**" in [link.proto.label for link in app.get("page_link")]


def test_the_switcher_lists_every_language_by_its_own_name_and_changes_to_it() -> None:
    app = open_page(locale="pl-PL")
    switcher = next(group for group in app.button_group if group.key == "w_language")
    assert switcher.options == ["English", "العربية", "日本語", "Polski"]
    assert switcher.value == "pl"
    checked(switcher.set_value("ar").run())
    assert settings(app).language == "ar"


def test_the_count_of_tokens_is_said_by_the_rules_of_the_language() -> None:
    for sentence, said in (("a", "1 token"), ("a b", "2 tokeny"), ("a b c d e", "5 tokenów")):
        app = open_page(language="pl", sentence=sentence)
        strip = next(group for group in app.button_group if group.key == "tokens")
        assert f"*{said} × d_model 8*" in strip.label
