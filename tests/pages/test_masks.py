"""The page about masks: every case draws, and its numbers are those of an independent computation."""

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

from attnviz.core.masks import causal_mask
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import from_link
from attnviz.text import tokenize
from attnviz.ui.lessons.masks.pictures import mask_names
from attnviz.words import Words, languages
from tests.pages.app import checked, figures, heatmaps, html, open_more, open_page, settings

HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile:"
FIGURES = {
    "masks_weights", "masks_gallery", "masks_drawing", "masks_opposite", "masks_encoder", "masks_decoder",
    "masks_cross", "masks_rows", "masks_grown",
}  # fmt: skip
ODD: dict[str, Any] = {"d_model": 7, "num_heads": 3, "d_k": 2, "d_v": 5, "sentence": "the cat sat on a mat"}
CASES: list[dict[str, Any]] = [
    {},
    {"source": "ein Stift"},
    ODD | {"mask": "causal"},
    ODD | {"source": HOSTILE, "notation": "columns", "bias": 1, "residual": 1, "mask": "causal_bottom_right"},
    {"sentence": HOSTILE, "num_heads": 16, "mask": "window", "window": 0, "normalizer": "sigmoid"},
    {"sentence": "two words", "d_model": 1, "d_k": 1, "d_v": 1, "mask": "padding", "padding": 64},
    {"preset": "integers", "mask": "drawn", "drawn": "0.00000", "normalizer": "sparsemax"},
    {"sentence": "w v " * 300, "source": "u " * 90, "num_heads": 16, "query": 300, "notation": "columns"},
]
each_language = pytest.mark.parametrize("language", languages())


def lesson(**link: Any) -> Lesson:
    """The lesson of a link, made without the page."""
    found = make_lesson(from_link({name: str(value) for name, value in link.items()})[0])
    assert found is not None
    return found


def verdict(text: str) -> list[str]:
    """What the measurements said, step by step."""
    return [unescape(said) for said in re.findall(r'class="av-verdict">[^<]*<b>([^<]*)</b>', text)]


@each_language
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fitted", [0, 1])
def test_every_case_is_drawn_in_every_language(language: str, case: dict[str, Any], fitted: int) -> None:
    app = open_page("masks", language=language, reveal=1, fitted=fitted, **case)
    shown = figures(app)
    assert set(shown) == (FIGURES - {"masks_rows"} | {"masks_next"} if fitted else FIGURES)
    assert all(figure["alt"] for figure in shown.values())
    assert "<img" not in html(app)
    assert not re.search(r"\b(nan|inf)\b", html(app))  # but NaN where the page is about it
    assert len(verdict(html(app))) == 6


@each_language
@pytest.mark.parametrize("sentence", ["one", "。"])
def test_a_single_token_has_nothing_to_predict_and_cannot_grow(language: str, sentence: str) -> None:
    app = open_page("masks", language=language, reveal=1, fitted=1, sentence=sentence)
    assert set(figures(app)) == FIGURES - {"masks_grown"}
    assert app.button(key="fit").disabled


@each_language
def test_nothing_but_the_drawing_board_is_there_before_a_guess(language: str) -> None:
    app = open_page("masks", language=language)
    assert set(figures(app)) == {"masks_drawing"}
    assert not verdict(html(app))


# --- kinds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["", "ein Stift"])
def test_the_gallery_shows_every_mask_of_this_sentence(source: str) -> None:
    shown = heatmaps(figures(open_page("masks", reveal=1, source=source, **ODD))["masks_gallery"])
    assert len(shown) == len(mask_names())
    for name, values in zip(mask_names(), shown, strict=True):
        trace = lesson(source=source, mask=name, **ODD).trace
        keep = np.ones(trace.scores.shape[1:], bool) if trace.keep is None else trace.keep
        np.testing.assert_array_equal(np.isfinite(values), keep)


@pytest.mark.parametrize(("normalizer", "right"), [("softmax", 2), ("sparsemax", 3), ("sigmoid", 1)])
def test_who_gets_the_weight_of_a_hidden_key_depends_on_the_normalizer(normalizer: str, right: int) -> None:
    # Small scores, so that sparsemax keeps several keys and the mask takes some of them.
    app = open_page("masks", reveal=1, normalizer=normalizer, mask="causal", temperature=5, **ODD)
    assert verdict(html(app))[0] == Words("en")(f"masks.kinds.guess_{right}")


def test_softmax_s_weights_grow_by_the_printed_factor() -> None:
    free, masked = (lesson(mask=name, **ODD).trace.weights[0, 3] for name in ("none", "causal"))
    text = html(open_page("masks", reveal=1, mask="causal", **ODD))
    lost = free[4:].sum()
    assert "It hides 2 of 6 keys from" in text
    assert f"to which {lost:.2f} of its weight went" in text
    assert f"is now {masked[0] / free[0]:.2f} times as large" in text


def test_the_two_causal_masks_are_told_apart_where_the_lengths_differ() -> None:
    assert "both causal masks are the same" in html(open_page("masks", reveal=1))
    text = html(open_page("masks", reveal=1, source="ein Stift", **ODD))
    assert "sees 2 keys if both sentences start together and 2 if they end together" in text
    text = html(open_page("masks", reveal=1, sentence="ein Stift", source="the cat sat on a mat"))
    assert "sees 2 keys if both sentences start together and 6 if they end together" in text


def test_the_mask_chosen_on_the_page_is_the_playground_s() -> None:
    app = open_page("masks", **ODD)
    app = checked(app.segmented_control(key="page_mask").set_value("window").run())
    assert settings(app).mask == "window"
    app = checked(app.number_input(key="page_window").set_value(2).run())
    assert settings(app).window == 2
    app = checked(app.switch_page("pages/playground.py").run())
    assert settings(app).mask == "window"
    assert np.isnan(heatmaps(figures(app)["main_weights"])[0]).any()


# --- drawn -------------------------------------------------------------------------------------------


@each_language
def test_where_no_mask_is_drawn_the_board_shows_the_one_in_force_and_begins_with_it(language: str) -> None:
    app = open_page("masks", language=language, reveal=1, mask="causal", query=2, **ODD)
    expected = np.tri(6, dtype=bool)
    np.testing.assert_array_equal(np.isfinite(heatmaps(figures(app)["masks_drawing"])[0]), expected)
    app = checked(app.button(key="start_empty").click().run())
    expected[2] = False
    np.testing.assert_array_equal(np.isfinite(heatmaps(figures(app)["masks_drawing"])[0]), expected)
    assert settings(app).drawn == "100000.110000.000000.111100.111110.111111"


def test_the_board_starts_from_any_mask_and_the_playground_uses_what_is_drawn() -> None:
    app = open_page("masks", **ODD)
    app = checked(app.button(key="start_causal").click().run())
    assert settings(app).mask == "drawn"
    assert settings(app).drawn == "100000.110000.111000.111100.111110.111111"
    app = checked(app.button(key="start_empty").click().run())
    assert settings(app).drawn.split(".")[3] == "000000"
    board = heatmaps(figures(app)["masks_drawing"])[0]
    expected = causal_mask(6, 6)
    expected[3] = False
    np.testing.assert_array_equal(np.isfinite(board), expected)
    app = checked(app.switch_page("pages/playground.py").run())
    np.testing.assert_array_equal(np.isfinite(heatmaps(figures(app)["main_weights"])[0]), expected)
    app = checked(app.text_input(key="w_drawn").set_value("0").run())
    assert settings(app).drawn == "0"


def test_an_empty_row_is_explained_with_its_own_numbers() -> None:
    text = html(open_page("masks", reveal=1, mask="drawn", drawn="111111.111111.000000", **ODD))
    rows = dict(re.findall(r'<tr><th scope="row">([^|]*?)</th><td>([^<]*)</td></tr>', text))
    ways = [row.split() for row in rows.values()][:4]
    free = lesson(**ODD).trace.weights[0, 2]
    assert ways[0] == ["0.00"] * 6
    assert ways[1] == ["NaN"] * 6
    assert ways[2] == [f"{1 / 6:.2f}"] * 6
    assert ways[3] == [f"{weight:.2f}" for weight in free]
    assert verdict(text)[1] == Words("en")("masks.drawn.guess_2")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "and so is its output"),
        ({"residual": 1}, "the residual still adds x"),
        ({"bias": 1}, "only the bias is left"),
        ({"bias": 1, "residual": 1}, "x and the bias are left"),
    ],
)
def test_what_is_left_of_the_output_of_an_empty_row(how: dict[str, int], said: str) -> None:
    case = ODD | how | {"mask": "drawn", "drawn": "111111.111111.111111.000000"}
    text = html(open_page("masks", reveal=1, **case))
    assert said in text
    length = np.linalg.norm(lesson(**case).trace.output[3])
    assert not how or f"a vector of length {length:.2f}." in text


# --- polarity ----------------------------------------------------------------------------------------


def test_a_mask_read_the_other_way_round_shows_the_future() -> None:
    text = html(open_page("masks", reveal=1, **ODD))
    assert "sees 4 tokens. Read the other way round it sees the 2 that come later" in text
    assert "queries that see nothing at all: 1 of 6" in text
    assert verdict(text)[2] == Words("en")("masks.polarity.guess_2")
    longer = html(open_page("masks", reveal=1, source="u " * 9, **ODD))
    assert "queries that see nothing at all: 0 of 6" in longer


# --- encoder and decoder -----------------------------------------------------------------------------


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_the_output_of_source_target_attention_has_as_many_vectors_as_queries(notation: str) -> None:
    app = open_page("masks", reveal=1, source="ein Stift", notation=notation, **ODD)
    assert verdict(html(app))[3] == Words("en")("masks.three.guess_1")
    shapes = [heatmaps(figures(app)[f"masks_{name}"])[0].shape for name in ("encoder", "decoder", "cross")]
    turn = slice(None, None, -1) if notation == "columns" else slice(None)
    assert [shape[turn] for shape in shapes] == [(2, 2), (6, 6), (6, 2)]


def test_without_a_source_the_page_says_that_it_uses_an_example_and_can_put_it_in() -> None:
    app = open_page("masks", reveal=1, **ODD)
    assert "this step uses an example" in html(app)
    app = checked(app.button(key="source_example").click().run())
    assert settings(app).source
    assert "this step uses an example" not in html(app)
    app = checked(app.switch_page("pages/playground.py").run())
    m = len(tokenize(settings(app).source).tokens)
    assert heatmaps(figures(app)["main_weights"])[0].shape == (6, m)
    app = checked(open_more(app).text_input(key="w_source").set_value("").run())
    assert heatmaps(figures(app)["main_weights"])[0].shape == (6, 6)


# --- generation --------------------------------------------------------------------------------------


@each_language
def test_without_a_fit_there_are_rows_and_no_prediction(language: str) -> None:
    app = open_page("masks", language=language, reveal=1)
    words = Words(language)
    assert heatmaps(figures(app)["masks_rows"])[0].shape == (3, 8)
    assert words("masks.generation.untrained") in html(app)
    rows = re.findall(r'<th scope="row">([^<]*)</th>', html(app))
    assert words("masks.generation.comes_out") in rows
    assert words("masks.generation.next") not in rows
    assert verdict(html(app))[4] == words("masks.generation.guess_2")


@each_language
def test_the_fitted_decoder_says_the_sentence_word_by_word(language: str) -> None:
    app = open_page("masks", language=language, reveal=1, given=1)
    app = checked(app.button(key="fit").click().run())
    assert settings(app)["fitted"]
    words = Words(language)
    memorised = re.search(r"<b>([^<]*)</b>", words.raw("masks.generation.memorised"))
    assert memorised and memorised[0] in html(app)
    for given, word in enumerate(["have", "a", "pen", "."], start=1):
        text = html(app)
        row = re.search(rf'<th scope="row">{words("masks.generation.next")}</th>(.*?)</tr>', text)
        assert row
        said = re.findall(r'<span class="output">([^<]*)</span>', row[1])
        assert said == ["have", "a", "pen", "."][:given]
        assert f'<b><span class="output">{word}</span></b>' in row[1]
        last = heatmaps(figures(app)["masks_next"])[-1]
        assert last.shape == (given, 5)
        np.testing.assert_allclose(last.sum(axis=1), 1, rtol=0, atol=1e-6)
        assert app.button(key="given_on").disabled == (given == 4)
        if given < 4:
            app = checked(app.button(key="given_on").click().run())
            assert settings(app)["given"] == given + 1
    app = checked(app.button(key="fit").click().run())
    assert "masks_next" not in figures(app)


# --- the growing sentence ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", [{}, {"residual": 1}, {"rotary": 1, "position": "sinusoidal"}, {"bias_kind": "alibi"}]
)
def test_a_growing_sentence_changes_nothing_earlier_under_the_causal_mask(how: dict[str, Any]) -> None:
    app = open_page("masks", reveal=1, **ODD, **how)
    free, causal = heatmaps(figures(app)["masks_grown"])
    assert np.nanmax(causal) <= 1e-14
    assert np.nanmin(free) > 1e-4
    words = ODD["sentence"].split()
    before, after = (lesson(**(ODD | how | {"sentence": " ".join(words[:p])})).trace.output for p in (5, 6))
    assert free[0, 4] == pytest.approx(np.abs(after[0] - before[0]).max(), rel=1e-6)
    (printed,) = re.findall(r"With the causal mask the largest change is <b>([^<]*)</b>", html(app))
    assert re.fullmatch(r"0|[\d.]+ × 10⁻¹[⁴-⁹]", printed)
    assert verdict(html(app))[5] == Words("en")("masks.invariance.guess_1")


def test_without_a_sentence_the_page_asks_for_one() -> None:
    app = open_page("masks", sentence=" ", reveal=1)
    assert not figures(app)
    assert "Type a sentence" in html(app)
