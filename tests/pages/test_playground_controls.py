"""Every control of the playground changes the numbers as it says, and is in the link."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.masks import causal_mask
from attnviz.core.normalizers import softmax
from attnviz.lesson.settings import DEFAULTS, Settings
from attnviz.ui.kit import doubts
from attnviz.words import Words
from tests.apps import AppTest
from tests.pages.app import checked, figures, heatmaps, html, link, open_page, settings, weights
from tests.pages.independent import ODD, SENTENCE, SIZES, independent


@pytest.mark.parametrize(("name", "value"), [("d_model", 5), ("num_heads", 3), ("d_k", 3), ("d_v", 6)])
def test_a_size_changes_the_numbers_to_those_of_a_layer_of_that_size(name: str, value: int) -> None:
    app = open_page(**ODD)
    app.number_input(key=f"w_{name}").set_value(value)
    checked(app.run())
    trace = independent(SENTENCE, SENTENCE, **(SIZES | {name: value}))
    np.testing.assert_allclose(weights(app), trace.weights[1], rtol=1e-6)
    assert link(app)[name] == str(value)


def test_the_score_the_scale_the_mask_and_the_seed_change_the_numbers() -> None:
    app = open_page(**ODD)
    app.selectbox(key="w_mask").set_value("causal")
    checked(app.run())
    keep = causal_mask(6, 6)
    trace = independent(SENTENCE, SENTENCE, causal=True, **SIZES)
    np.testing.assert_allclose(weights(app), np.where(keep, trace.weights[1], np.nan), rtol=1e-6)
    app.selectbox(key="w_scale").set_value("none")
    checked(app.run())
    expected = np.where(keep, softmax(trace.scores[1], keep), np.nan)
    np.testing.assert_allclose(weights(app), expected, rtol=1e-6)
    app.selectbox(key="w_score").set_value("gaussian")
    checked(app.run())
    differences = trace.query[1][:, None] - trace.key[1]  # (n, m, d_k)
    expected = np.where(keep, softmax(-(differences**2).sum(axis=2) / 2, keep), np.nan)
    np.testing.assert_allclose(weights(app), expected, rtol=1e-5)
    app.text_input(key="w_seed").set_value("7")
    checked(app.run())
    assert not np.isclose(weights(app)[1:], expected[1:]).any()
    assert link(app).items() >= {"mask": "causal", "scale": "none", "score": "gaussian", "seed": "7"}.items()


def test_a_typed_sentence_becomes_attention() -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value("one two three")
    checked(app.run())
    words = ["one", "two", "three"]
    np.testing.assert_allclose(
        weights(app), independent(words, words, d_model=8, num_heads=2, d_k=4, d_v=4).weights[0], rtol=1e-6
    )
    assert list(figures(app)["main_weights"]["layout"]["yaxis"]["tickvals"]) == [0, 1, 2]


def test_an_example_is_taken_over_and_the_list_is_ready_for_the_next() -> None:
    app = open_page()
    example = app.selectbox(key="example").options[1]
    app.selectbox(key="example").set_value(example)
    checked(app.run())
    assert app.text_input(key="w_sentence").value == example
    assert app.selectbox(key="example").value is None
    assert link(app) == {"sentence": example}


def test_of_two_controls_turned_at_once_both_are_taken_though_one_goes_back_to_where_it_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doubts, "LATE", 0.0)  # the moment in which the browser may not have heard is over
    app = open_page()
    checked(app.number_input(key="w_d_k").set_value(5).run())
    app.number_input(key="w_d_k").set_value(4)
    app.text_input(key="w_sentence").set_value("two words")
    checked(app.run())
    assert (settings(app).d_k, settings(app).sentence) == (4, "two words")


def reset(app: AppTest) -> None:
    """Press the button that puts all settings back."""
    (button,) = [button for button in app.sidebar.button if button.label == Words("en")("common.reset")]
    checked(button.click().run())


def test_a_message_with_several_values_of_before_and_nothing_new_is_late_and_no_choice() -> None:
    app = open_page(d_k=5, d_v=6)
    reset(app)
    app.number_input(key="w_d_k").set_value(5)
    app.number_input(key="w_d_v").set_value(6)
    checked(app.run())
    assert (settings(app).d_k, settings(app).d_v) == (4, 4)
    assert (app.number_input(key="w_d_k").value, app.number_input(key="w_d_v").value) == (4, 4)


def test_a_value_of_before_is_a_choice_where_nothing_else_was_touched() -> None:
    app = open_page(d_k=5)
    reset(app)
    checked(app.number_input(key="w_d_k").set_value(5).run())
    assert settings(app).d_k == 5


def test_the_focus_is_set_by_head_query_and_key_and_marked_in_the_picture() -> None:
    app = open_page(**ODD)
    app.button_group(key="w_head").set_value(3)
    checked(app.run())
    app.button_group(key="tokens").set_value(1)
    checked(app.run())
    app.selectbox(key="w_key").set_value(2)
    checked(app.run())
    assert (settings(app).head, settings(app).query, settings(app).key) == (3, 1, 2)
    row, cell = figures(app)["main_weights"]["layout"]["shapes"]
    assert (row["y0"], row["y1"]) == (0.5, 1.5)
    assert (cell["x0"], cell["x1"], cell["y0"]) == (1.5, 2.5, 0.5)
    np.testing.assert_allclose(weights(app), independent(SENTENCE, SENTENCE, **SIZES).weights[2], rtol=1e-6)


def test_the_dice_throw_another_seed_that_is_in_the_link() -> None:
    app = open_page(**ODD)
    before = weights(app)
    checked(app.button(key="icon_dice").click().run())
    seed = settings(app).seed
    assert app.text_input(key="w_seed").value == str(seed)
    assert link(app).get("seed", "0") == str(seed)
    trace = independent(SENTENCE, SENTENCE, seed=seed, **SIZES)
    np.testing.assert_allclose(weights(app), trace.weights[1], rtol=1e-6)
    assert seed == 0 or not np.allclose(weights(app), before)


def test_reset_brings_back_the_first_page_and_keeps_the_language() -> None:
    app = open_page(stage="x", language="ja", mask="causal", **ODD)
    (reset,) = [button for button in app.button if button.proto.label and not button.key]
    checked(reset.click().run())
    assert settings(app) == Settings(language="ja")
    assert link(app) == {"language": "ja"}
    assert app.text_input(key="w_sentence").value == DEFAULTS.sentence
    assert app.number_input(key="w_d_k").value == DEFAULTS.d_k


def test_a_change_of_language_changes_every_word_and_no_choice() -> None:
    app = open_page(
        mask="causal", preset="identity", notation="columns", stage="scaled", tokenizer="characters", **ODD
    )
    before, numbers = settings(app), heatmaps(figures(app)["main_scaled"])[0]
    for language in ("ja", "en", "ja"):
        app.button_group(key="w_language").set_value(language)
        for _ in range(2):
            checked(app.run())
            assert settings(app) == replace(before, language=language)
            np.testing.assert_array_equal(heatmaps(figures(app)["main_scaled"])[0], numbers)
            assert app.selectbox(key="w_mask").value == "causal"
            assert app.button_group(key="w_notation").value == "columns"
            assert app.button_group(key="path").value == "scaled"
        assert ("スケール" in html(app) + app.title[0].value) == (language == "ja")


def test_the_language_is_the_browsers_until_one_is_chosen() -> None:
    assert open_page(locale="ja-JP").title[0].value.startswith("重み ")
    assert open_page(locale="fr").title[0].value.startswith("Weights ")


@pytest.mark.parametrize("name", ["d_model", "d_k", "score", "seed", "mask", "preset"])
def test_a_hidden_control_is_off_the_screen(name: str) -> None:
    app = open_page(hide=name)
    keys = [widget.key for kind in (app.number_input, app.selectbox, app.text_input) for widget in kind]
    assert f"w_{name}" not in keys
    assert keys
