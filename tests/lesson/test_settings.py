"""Settings travel through a link unharmed, and a bad link does no harm."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from attnviz.lesson.kinds import Choice, Kind, Real, Text, Whole
from attnviz.lesson.settings import (
    DEFAULTS,
    LIMIT_PRODUCT,
    STAGES,
    Settings,
    all_settings,
    change,
    find_setting,
    fit,
    from_link,
    to_link,
)
from attnviz.words import Words, languages
from tests.lesson.any_settings import SETTINGS, values_of

FITTED = (
    "d_k",
    "d_v",
    "preset",
)  # what `fit` brings within the limits and names; the focused head it only moves

ANY_LINK = st.dictionaries(st.sampled_from((*all_settings(), "H", "", "unknown")), st.text(max_size=60))


def outside(kind: Kind) -> tuple[str, Any] | None:
    """A text beyond the limits of a kind and the value that must stand instead; None where there are no limits."""
    match kind:
        case Whole(low, _):
            return str(low - 1), low
        case Real(_, high):
            return str(high + 1), high
        case Text(longest) if kind == Text(longest):
            return "x" * (longest + 1), "x" * longest
    return None


def product(settings: Settings) -> int:
    return settings.num_heads * settings.d_model * max(settings.d_k, settings.d_v)


def test_every_setting_has_a_default_of_its_kind() -> None:
    for name, one in all_settings().items():
        one.kind.check(name, one.default)
    assert fit(DEFAULTS) == (DEFAULTS, ())


@pytest.mark.parametrize("name", all_settings())
@examples(max_examples=20)
@given(data=st.data())
def test_every_field_comes_back_from_a_link(name: str, data: st.DataObject) -> None:
    settings, _ = fit(DEFAULTS.put(**{name: data.draw(values_of(find_setting(name).kind))}))
    assert from_link(to_link(settings)) == (settings, ())


@examples(max_examples=40)
@given(SETTINGS)
def test_all_fields_together_come_back_from_a_link_through_an_address_bar(given: Settings) -> None:
    settings, _ = fit(given)
    address = urlencode(to_link(settings))
    assert from_link(dict(parse_qsl(address, keep_blank_values=True))) == (settings, ())


@examples(max_examples=40)
@given(SETTINGS)
def test_only_what_differs_from_the_defaults_is_in_the_link(settings: Settings) -> None:
    different = {name for name in all_settings() if settings[name] != DEFAULTS[name]}
    assert to_link(settings).keys() == different


def test_the_default_settings_need_no_link() -> None:
    assert to_link(DEFAULTS) == {}
    assert from_link({}) == (DEFAULTS, ())


@given(ANY_LINK)
def test_any_link_gives_valid_settings_and_the_same_ones_again(link: dict[str, str]) -> None:
    settings, notices = from_link(link)
    assert product(settings) <= LIMIT_PRODUCT
    assert all(notice.name in all_settings() for notice in notices)
    assert from_link(to_link(settings)) == (settings, ())


@given(ANY_LINK)
def test_a_value_that_is_not_taken_as_it_stands_is_named_with_what_stands_instead(
    link: dict[str, str],
) -> None:
    settings, notices = from_link(link)
    named = {notice.name: notice for notice in notices}
    for name in all_settings().keys() & link.keys():
        kept = find_setting(name).kind.read(link[name], None) == (settings[name], "")
        assert kept or name in named or name == "head"
    for notice in named.values():
        assert notice.used == find_setting(notice.name).kind.write(settings[notice.name])


@pytest.mark.parametrize(
    "name", [name for name, one in all_settings().items() if not isinstance(one.kind, Text)]
)
def test_nonsense_falls_back_to_the_default_and_only_there(name: str) -> None:
    settings, (notice,) = from_link({name: "<script>", "sentence": "kept"})
    assert settings == replace(DEFAULTS, sentence="kept")
    assert (notice.name, notice.problem, notice.given) == (name, "unknown", "<script>")


@pytest.mark.parametrize("name", [name for name, one in all_settings().items() if outside(one.kind)])
def test_what_is_beyond_a_limit_is_brought_to_it_and_said_so(name: str) -> None:
    beyond = outside(find_setting(name).kind)
    assert beyond is not None
    settings, (notice,) = from_link({name: beyond[0]})
    assert settings == DEFAULTS.put(**{name: beyond[1]})
    assert notice.name == name
    assert notice.problem == ("cut" if isinstance(find_setting(name).kind, Text) else "clamped")


def test_a_link_that_dodges_the_limits_is_brought_back_and_every_value_named() -> None:
    # playground#63, streamlit#9342: H=9999, d_k=-3, seed=abc.
    settings, notices = from_link({"num_heads": "9999", "d_k": "-3", "seed": "abc", "d_v": "5"})
    assert settings == replace(DEFAULTS, num_heads=16, d_k=1, d_v=5)
    problems = [(notice.name, notice.problem, notice.used) for notice in notices]
    assert problems == [("num_heads", "clamped", "16"), ("d_k", "clamped", "1"), ("seed", "unknown", "0")]


def test_parameters_of_others_are_passed_over() -> None:
    assert from_link({"utm_source": "mail", "embed": "true", "H": "3"}) == (DEFAULTS, ())


@examples(max_examples=40)
@given(SETTINGS)
def test_sizes_fit_together_whatever_is_asked_for(given: Settings) -> None:
    settings, notices = fit(given)
    assert product(settings) <= LIMIT_PRODUCT
    assert settings.head <= settings.num_heads
    assert settings.preset != "folded" or settings.d_v == settings.d_model
    assert fit(settings) == (settings, ())
    changed = {name for name in all_settings() if settings[name] != given[name]}
    assert changed - {"head"} <= {notice.name for notice in notices} <= set(FITTED)


def test_sizes_within_the_product_limit_are_free_of_one_another() -> None:
    wanted = replace(DEFAULTS, d_k=3, d_v=5, num_heads=3, d_model=7)
    assert fit(wanted) == (wanted, ())
    assert fit(replace(DEFAULTS, d_model=512, num_heads=16, d_k=128, d_v=128))[1] == ()


def test_a_head_too_wide_for_the_product_limit_is_made_narrower_and_said_so() -> None:
    settings, notices = change(DEFAULTS, d_model=512, num_heads=16, d_k=200, d_v=2)
    assert (settings.d_k, settings.d_v) == (128, 2)
    assert [(n.name, n.problem, n.given, n.used) for n in notices] == [("d_k", "product", "200", "128")]


def test_the_folded_form_sets_d_v_to_d_model_and_says_so() -> None:
    settings, notices = change(DEFAULTS, preset="folded")
    assert settings.d_v == settings.d_model == 8
    assert [(n.name, n.problem, n.used) for n in notices] == [("d_v", "folded", "8")]
    settings, notices = change(settings, d_model=12)
    assert settings.d_v == 12


def test_the_folded_form_gives_way_where_its_values_would_be_too_wide() -> None:
    settings, notices = change(DEFAULTS, d_model=512, num_heads=16, preset="folded")
    assert settings.preset == "random"
    said = [(n.name, n.problem, n.given, n.used) for n in notices]
    assert said == [("preset", "wide", "folded", "random"), ("d_v", "product", "512", "128")]


@pytest.mark.parametrize("name", all_settings())
def test_settings_refuse_a_value_of_the_wrong_kind(name: str) -> None:
    wrong: dict[str, Any] = {name: None}
    with pytest.raises(ValueError, match=f"^{name} must be "):
        DEFAULTS.put(**wrong)


@pytest.mark.parametrize("language", languages())
def test_every_field_has_a_plain_name_in_every_language(language: str) -> None:
    words = Words(language)
    names = {
        name: words(f"{one.page}.knobs.{name}" if one.page else f"common.names.{name}")
        for name, one in all_settings().items()
    }
    assert all(text and not set(text) & set("$<>{}\\*") for text in names.values())


def test_the_focus_may_lie_anywhere_in_the_longest_sentence_and_the_stage_is_a_station() -> None:
    assert replace(DEFAULTS, query=511, key=511).key == 511
    assert isinstance(find_setting("stage").kind, Choice)
    assert set(STAGES) < set(find_setting("stage").kind.options)
