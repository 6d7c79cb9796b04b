"""The playground: every station shows the numbers of an independent layer, and no input breaks it."""

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.core.embedding import embed
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import causal_mask
from attnviz.core.normalizers import softmax
from attnviz.settings import DEFAULTS, LIMIT_TOKENS, STAGES, Settings
from attnviz.words import languages
from tests.pages.app import checked, figures, heatmaps, html, link, notices, open_page, settings

SIZES: dict[str, Any] = {"d_model": 7, "num_heads": 3, "d_k": 3, "d_v": 5}
SENTENCE, SOURCE = ["the", "cat", "sat", "on", "the", "mat"], ["a", "dog", "sleeps", "here"]
ODD: dict[str, Any] = {"sentence": " ".join(SENTENCE), "head": 2, "query": 4, **SIZES}
Matrix = np.ndarray[Any, Any]


def independent(
    queries: list[str], keys: list[str], *, seed: int = 0, causal: bool = False, **sizes: int
) -> AttentionTrace:
    """The layer called by itself: no settings, no lesson, no page."""
    layer = MultiHeadAttention.random(
        seed=seed, d_model=sizes["d_model"], num_heads=sizes["num_heads"], d_k=sizes["d_k"], d_v=sizes["d_v"]
    )
    x, x_source = (embed(tokens, sizes["d_model"], seed) for tokens in (queries, keys))
    return layer(x, x_source, keep=causal_mask(len(queries), len(keys)) if causal else None)


def on_screen(stage: str, trace: AttentionTrace, head: int, cross: bool) -> list[Matrix]:
    """The matrices of the large picture, in row notation."""
    w_o = trace.layer.w_o.reshape(-1, trace.layer.d_model)
    return {
        "x": [trace.x, trace.x_source] if cross else [trace.x],
        "qkv": [trace.query[head], trace.key[head], trace.value[head]],
        "scores": [trace.scores[head]],
        "scaled": [trace.scaled[head]],
        "masked": [trace.scaled[head]],
        "weights": [trace.weights[head]],
        "heads": [trace.weights[head], trace.value[head], trace.head_outputs[head]],
        "concat": [trace.concat],
        "output": [trace.concat, w_o, trace.output],
    }[stage]


PRODUCTS = ("heads", "output")  # A V = O in rows is O = V A in columns: the factors change places
SMALL = {"qkv": None, "scores": "scores", "scaled": "scaled", "masked": "scaled", "weights": "weights",
         "heads": "head_outputs", "concat": "head_outputs", "output": "contributions"}  # fmt: skip


@pytest.mark.parametrize("source", ["", " ".join(SOURCE)], ids=["self", "cross"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("language", languages())
def test_every_station_shows_the_numbers_of_an_independent_layer(
    language: str, notation: str, source: str
) -> None:
    trace = independent(SENTENCE, SOURCE if source else SENTENCE, **SIZES)
    app = open_page(language=language, notation=notation, source=source, **ODD)
    for stage in STAGES:
        app.query_params["stage"] = stage
        checked(app.run())
        shown = figures(app)
        assert shown.keys() == {f"main_{stage}"} | ({f"heads_{stage}"} if stage in SMALL else set())
        expected = on_screen(stage, trace, 1, bool(source))
        if notation == "columns":
            expected = [matrix.T for matrix in (expected[::-1] if stage in PRODUCTS else expected)]
        for drawn, matrix in zip(heatmaps(shown[f"main_{stage}"]), expected, strict=True):
            np.testing.assert_allclose(drawn, matrix, rtol=1e-6, atol=1e-7)
        if SMALL.get(stage):
            heads = getattr(trace, SMALL[stage] or "")
            for drawn, matrix in zip(heatmaps(shown[f"heads_{stage}"]), heads, strict=False):
                np.testing.assert_allclose(
                    drawn, matrix.T if notation == "columns" else matrix, rtol=1e-6, atol=1e-7
                )
        assert all(figure["alt"] for figure in shown.values())


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_the_table_of_a_station_can_be_copied_to_the_last_bit(notation: str) -> None:
    trace = independent(SENTENCE, SOURCE, **SIZES)
    app = open_page(source=" ".join(SOURCE), notation=notation, **ODD)
    firsts = {"x": trace.x, "qkv": trace.query[1], "scores": trace.scores[1], "scaled": trace.scaled[1],
              "masked": trace.scaled[1], "weights": trace.weights[1], "heads": trace.head_outputs[1],
              "concat": trace.concat, "output": trace.output}  # fmt: skip
    for stage, matrix in firsts.items():
        app.query_params["stage"] = stage
        app.session_state["table"] = True
        checked(app.run())
        _, *lines = csv.reader(io.StringIO(app.code[0].value))
        numbers = [[float(cell) for cell in line[1:]] for line in lines]
        np.testing.assert_array_equal(numbers, matrix.T if notation == "columns" else matrix)


@pytest.mark.parametrize("language", languages())
def test_the_overview_shows_every_station_of_the_head(language: str) -> None:
    trace = independent(SENTENCE, SOURCE, **SIZES)
    app = open_page(stage="overview", source=" ".join(SOURCE), language=language, **ODD)
    drawn = heatmaps(figures(app)["overview_map"])
    expected = [trace.x, trace.query[1], trace.key[1], trace.value[1], trace.scores[1], trace.scaled[1],
                trace.scaled[1], trace.weights[1], trace.head_outputs[1], trace.concat, trace.contributions[1],
                trace.output]  # fmt: skip
    for shown, matrix in zip(drawn, expected, strict=True):
        np.testing.assert_allclose(shown, matrix, rtol=1e-6, atol=1e-7)


def weights(app: AppTest) -> Matrix:
    return heatmaps(figures(app)["main_weights"])[0]


def test_above_12_keys_a_switch_sets_the_scale_to_the_largest_weight_of_all_heads() -> None:
    tokens = [f"w{i}" for i in range(13)]
    largest = float(independent(tokens, tokens, **SIZES).weights.max())
    app = open_page(**(ODD | {"sentence": " ".join(tokens)}))
    for wanted in (1.0, largest):
        shown = [trace for name in ("main_weights", "heads_weights") for trace in figures(app)[name]["data"]]
        limits = [(trace["zmin"], trace["zmax"]) for trace in shown if trace["type"] == "heatmap"]
        assert limits == [(0, pytest.approx(wanted, rel=1e-12))] * len(limits)
        app.toggle(key="w_full_scale").set_value(False)
        checked(app.run())
    assert link(app)["full_scale"] == "0"
    assert not [toggle for toggle in open_page(**ODD).toggle if toggle.key == "w_full_scale"]


def test_the_page_is_filled_when_it_opens() -> None:
    app = open_page()
    assert app.text_input(key="w_sentence").value == "I have a pen."
    trace = independent(
        ["I", "have", "a", "pen", "."], ["I", "have", "a", "pen", "."], d_model=8, num_heads=2, d_k=4, d_v=4
    )
    np.testing.assert_allclose(weights(app), trace.weights[0], rtol=1e-6)
    assert link(app) == {}


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


def test_one_key_goes_on_and_back_along_the_path_and_stops_at_its_ends() -> None:
    app = open_page(stage="x")
    for stage in STAGES[1:]:
        checked(app.button(key="icon_on").click().run())
        assert settings(app).stage == stage
        assert app.button_group(key="path").value == stage
    assert app.button(key="icon_on").proto.disabled
    for stage in STAGES[-2::-1]:
        checked(app.button(key="icon_back").click().run())
        assert settings(app).stage == stage
    assert app.button(key="icon_back").proto.disabled


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
        assert ("スケール" in html(app) + app.subheader[0].value) == (language == "ja")


def test_the_language_is_the_browsers_until_one_is_chosen() -> None:
    assert open_page(locale="ja-JP").subheader[0].value == "重み"
    assert open_page(locale="fr").subheader[0].value == "Weights"


def test_the_line_on_untrained_weights_is_there_for_random_weights_only() -> None:
    line = "the preferences are not"
    assert line in html(open_page())
    assert line in html(open_page(stage="overview"))
    assert line not in html(open_page(preset="identity"))


BAD = {
    "empty": "", "blanks": "   ", "one token": "one", "600 tokens": "word " * 600, "10,000 characters": "x" * 10_000,
    "controls": "a\x00\x07b\u202ec", "image": "<img src=x onerror=alert(1)>", "formula": "$x$", "bold": "**a**",
    "icon": ":smile: :material/home:", "tag": "<b>", "repeated": "Buffalo buffalo buffalo buffalo the the",
    "numbers": "3.14 1,000 2026-11-30 10:30 50%", "money": "costs $5 and $6", "family": "👨‍👩‍👧‍👦 é 🇯🇵",
    "right to left": "שלום עולם",
    "thai": "สวัสดีชาวโลก", "placeholder": "{n} {query} %{x} {0}", "entities": "&lt;b&gt; &amp;",
    "link": "[a](javascript:alert(1))",
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD.values(), ids=BAD)
def test_nothing_typed_breaks_the_page_or_is_lost(sentence: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    if sentence.strip():
        app.button_group(key="path").set_value(
            "x"
        )  # where tokens stand in prose, in a picture and in a table of ids
        checked(app.run())
    assert app.text_input(key="w_sentence").value == sentence
    assert settings(app).sentence == sentence
    assert "<img" not in html(app)


@pytest.mark.parametrize("sentence", ["", "   ", "\x00"])
def test_without_a_token_the_page_asks_for_one(sentence: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    assert "one word is enough" in notices(app)
    assert figures(app) == {}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("word " * 600, f"first {LIMIT_TOKENS} tokens are used; 88 more"),
        ("x" * 15_000, "are read; 5000 more"),
        ("x" * 10_000, "too long for a link"),
        ("a\x00\x07b", "2 invisible control characters"),
        ("สวัสดีชาวโลก", "its tokens are characters"),
    ],
)
def test_a_limit_that_bites_says_so(sentence: str, said: str) -> None:
    app = open_page()
    app.text_input(key="w_sentence").set_value(sentence)
    checked(app.run())
    assert said in notices(app)


def test_a_sentence_with_nothing_wrong_has_no_notice() -> None:
    assert notices(open_page()) == ""


def test_tokens_reach_plotly_escaped() -> None:
    app = open_page(sentence="<b> $x$ &amp;", query=0)
    axis = figures(app)["main_weights"]["layout"]["xaxis"]["ticktext"]
    assert not any("<b>&" not in text and "<" in text and "span" not in text for text in axis)
    assert sum("&lt;" in text for text in axis) == 1
    assert all(text[text.index("$") + 1] == "\u2060" for text in axis if "$" in text)


HOSTILE_LINKS = {
    "num_heads": ("9999", 16), "d_k": ("-3", 1), "seed": ("abc", 0), "d_model": ("1e3", 8), "score": ("<b>", "dot"),
    "temperature": ("nan", 1.0), "residual": ("true", False), "query": ("-1", 0), "stage": ("../x", "weights"),
    "language": ("tlh", "auto"),
}  # fmt: skip


def test_a_hostile_link_is_clamped_or_reset_and_the_page_names_each() -> None:
    app = open_page(**{name: text for name, (text, _) in HOSTILE_LINKS.items()})
    for name, (_, value) in HOSTILE_LINKS.items():
        assert getattr(settings(app), name) == value
    said = notices(app)
    assert said.count("<p>") == len(HOSTILE_LINKS)
    assert "&lt;b&gt;" in said
    assert "9999" in said


def test_sizes_beyond_the_product_limit_are_brought_down_and_the_page_says_so() -> None:
    app = open_page(num_heads=16, d_model=512, stage="x")
    app.number_input(key="w_d_k").set_value(512)
    checked(app.run())
    assert app.number_input(key="w_d_k").value == settings(app).d_k == 128
    assert "d_k" in notices(app)
    assert "512" in notices(app)


def test_the_same_link_gives_the_same_numbers_in_another_session() -> None:
    first, second = (open_page(stage="output", mask="causal", preset="integers", **ODD) for _ in range(2))
    for one, other in zip(*(heatmaps(figures(app)["main_output"]) for app in (first, second)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["d_model", "d_k", "score", "seed", "mask", "preset"])
def test_a_hidden_control_is_off_the_screen(name: str) -> None:
    app = open_page(hide=name)
    keys = [widget.key for kind in (app.number_input, app.selectbox, app.text_input) for widget in kind]
    assert f"w_{name}" not in keys
    assert keys
