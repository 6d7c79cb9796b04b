"""How do words become vectors? The numbers on the page are those of an independent computation."""

import re
from html import unescape

import numpy as np
import pytest

from attnviz.core.embedding import EMBEDDINGS, sinusoidal
from attnviz.core.pretrained import excerpt
from attnviz.lab.words.likeness import as_attention
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import Settings
from attnviz.words import Words, languages
from tests.pages.app import checked, figures, heatmaps, html, link, notices, open_page, settings

SENTENCE = "the cat sat on the mat"
STEPS = {
    "lookup", "reduction", "positions", "swap_none", "swap_sinusoidal", "projections_0",
    "likeness", "likeness_map", "sum_map",
}  # fmt: skip
each_language = pytest.mark.parametrize("language", languages())


def vectors(tokens: list[str], d_model: int, kind: str = "normal", seed: int = 0) -> np.ndarray:
    return np.array([EMBEDDINGS[kind](token, seed, d_model) for token in tokens])


def output(sentence: str, **values: object) -> np.ndarray:
    made = make_lesson(Settings().put(sentence=sentence, **values))
    assert made is not None
    return made.trace.output


@each_language
@pytest.mark.parametrize("source", ["", "a dog sleeps"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_every_step_draws_its_pictures(language: str, source: str, notation: str) -> None:
    app = open_page("embedding", language=language, source=source, notation=notation, reveal=1)
    shown = figures(app)
    assert set(shown) - {"projections_1"} == STEPS
    assert ("projections_1" in shown) == bool(source)
    assert all(figure["alt"] for figure in shown.values())


@pytest.mark.parametrize("kind", ["normal", "pretrained"])
def test_the_one_hot_vectors_times_the_table_is_x(kind: str) -> None:
    app = open_page("embedding", sentence=SENTENCE, d_model=7, embedding=kind, seed=3, reveal=1)
    hot, table, x = heatmaps(figures(app)["lookup"])
    assert hot.shape == (6, 5) and (hot.sum(axis=1) == 1).all()
    np.testing.assert_allclose(hot @ table, x, rtol=0, atol=1e-6)
    np.testing.assert_allclose(x, vectors(SENTENCE.split(), 7, kind, 3), rtol=0, atol=1e-6)
    assert "<b>0</b>" in html(app)  # the largest difference


def test_the_long_vocabulary_is_the_excerpt_and_its_size_is_said() -> None:
    app = open_page("embedding", sentence=SENTENCE, query=1, d_model=5, embedding="pretrained", reveal=1)
    one_hot, table, x = heatmaps(figures(app)["reduction"])
    row = excerpt().row_of["cat"]
    np.testing.assert_allclose(x[0], excerpt().vectors[row, :5], rtol=0, atol=1e-6)
    assert np.nansum(one_hot) == 1
    at = int(np.nanargmax(one_hot))
    np.testing.assert_array_equal(table[at], x[0])
    assert f"has id {row:,}." in html(app) and f"{len(excerpt().words):,} × 5" in html(app)


def test_positions_are_added_to_the_vectors() -> None:
    app = open_page("embedding", sentence=SENTENCE, d_model=7, reveal=1)
    table, added, x = heatmaps(figures(app)["positions"])
    np.testing.assert_allclose(added, sinusoidal(6, 7), rtol=0, atol=1e-6)
    np.testing.assert_allclose(table + added, x, rtol=0, atol=1e-6)


@pytest.mark.parametrize("position", ["none", "sinusoidal"])
def test_the_outputs_after_a_swap_are_those_of_the_swapped_sentence(position: str) -> None:
    app = open_page("embedding", sentence=SENTENCE, swap_one=1, swap_other=5, reveal=1)
    before, after, difference = heatmaps(figures(app)[f"swap_{position}"])
    swapped = output("the mat sat on the cat", position=position)[[0, 5, 2, 3, 4, 1]]
    np.testing.assert_allclose(before, output(SENTENCE, position=position), rtol=0, atol=1e-6)
    np.testing.assert_allclose(after, swapped, rtol=0, atol=1e-6)
    assert (np.abs(difference).max() == 0) == (position == "none")


def test_a_causal_mask_sees_the_order_and_the_page_says_that_it_does() -> None:
    app = open_page("embedding", sentence=SENTENCE, mask="causal", reveal=1)
    said = " ".join(html(app).split())
    assert "Not only positions tell places apart; here this does too: mask." in said
    assert "outputs are the same" not in said


def test_the_swapped_words_are_chosen_by_two_lists() -> None:
    app = open_page("embedding", sentence=SENTENCE, reveal=1)
    app = checked(app.selectbox(key="w_swap_one").select(2).run())
    assert settings(app)["swap_one"] == 2 and link(app)["swap_one"] == "2"
    assert "“the cat on sat the mat”" in unescape(html(app))


def test_one_word_cannot_change_places_and_places_past_the_end_are_the_last() -> None:
    assert "type at least two words" in html(open_page("embedding", sentence="cat", reveal=1))
    app = open_page("embedding", sentence="cat dog", swap_one=0, swap_other=99, reveal=1)
    assert "“dog cat”" in unescape(html(app))


def test_query_key_and_value_are_the_products_of_x_with_the_three_matrices() -> None:
    app = open_page("embedding", sentence=SENTENCE, d_model=7, d_k=3, d_v=4, num_heads=3, head=2, reveal=1)
    x, w_q, w_k, w_v, query, key, value = heatmaps(figures(app)["projections_0"])
    for weights, made in ((w_q, query), (w_k, key), (w_v, value)):
        np.testing.assert_allclose(x @ weights, made, rtol=0, atol=1e-5)
    layer = make_lesson(Settings(sentence=SENTENCE, d_model=7, d_k=3, d_v=4, num_heads=3))
    assert layer is not None
    np.testing.assert_allclose(query, layer.trace.query[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ({}, "no, another vector"),
        ({"preset": "similarity"}, "yes, the same"),
        ({"d_k": 1}, "a multiple of it"),
    ],
)
def test_whether_query_and_key_are_the_same_is_read_from_the_numbers(
    values: dict[str, object], answer: str
) -> None:
    assert f"<b>{answer}</b>" in html(open_page("embedding", reveal=1, **values))


def test_a_long_sentence_is_cut_to_what_can_be_read_and_the_page_says_so() -> None:
    app = open_page("embedding", sentence="w1 " * 300, query=200, d_model=40, reveal=1)
    assert heatmaps(figures(app)["lookup"])[2].shape == (12, 12)
    assert "tokens 194 to 205 of 300, and 12 of 40 columns" in html(app)
    assert "the sentence ends after 64 tokens" in html(app)


# --- real word vectors --------------------------------------------------------------------------


def test_the_table_of_likeness_is_the_words_inner_products() -> None:
    app = open_page("embedding", word_list="cat dog paris", reveal=1)
    (shown,) = heatmaps(figures(app)["likeness"])
    rows = excerpt().vectors[[excerpt().row_of[word] for word in ("cat", "dog", "paris")]]
    np.testing.assert_allclose(shown, rows @ rows.T, rtol=1e-6)
    app = open_page("embedding", word_list="cat dog paris", likeness="cosine", reveal=1)
    (shown,) = heatmaps(figures(app)["likeness"])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(shown, unit @ unit.T, rtol=0, atol=1e-6)


def test_random_vectors_take_the_place_of_real_ones() -> None:
    app = open_page("embedding", word_list="cat dog", vectors_shown="normal", seed=4, reveal=1)
    (shown,) = heatmaps(figures(app)["likeness"])
    drawn = vectors(["cat", "dog"], 50, "normal", 4)
    np.testing.assert_allclose(shown, drawn @ drawn.T, rtol=1e-5)


def test_words_keep_their_kind_in_real_vectors_only() -> None:
    app = open_page("embedding", reveal=1)
    assert "<b>only in learnt ones</b>" in html(app) and "<b>12 of 12</b>" in html(app)


def test_the_link_leads_to_a_playground_where_the_score_is_this_inner_product() -> None:
    before = Settings(mask="causal", source="x y", rotary=True, bias=True, d_k=3, num_heads=5, score="cosine")
    made = make_lesson(as_attention(before, ["cat", "dog", "paris"]))
    assert made is not None
    rows = excerpt().vectors[[excerpt().row_of[word] for word in ("cat", "dog", "paris")]]
    np.testing.assert_allclose(made.trace.scores[0], rows @ rows.T, rtol=1e-12)
    weights = made.trace.weights[0]
    assert weights[0, 1] > weights[0, 2] and weights[1, 0] > weights[1, 2]  # cat and dog, rather than paris


@each_language
def test_a_sum_of_words_finds_its_nearest_ones(language: str) -> None:
    app = open_page("embedding", language=language, word_sum="paris - france + japan", reveal=1)
    (ranking,) = re.findall(r'<ol class="av-rank">.*?</ol>', html(app))
    assert re.findall(r"<li><b>(\w+)", ranking)[0] == "tokyo"
    assert len(re.findall("<li>", ranking)) == 5
    texts = [text for trace in figures(app)["sum_map"]["data"] for text in trace["text"]]
    assert "<b>paris</b>" in texts and "<b>tokyo</b>" in texts and "<b>?</b>" in texts


def test_the_answer_is_queen_with_many_columns_and_another_word_with_few() -> None:
    shown = html(open_page("embedding", reveal=1))
    found = dict(re.findall(r'av-muted">(\d+) columns</span> <b>(\w+)</b>', shown))
    assert {columns: found[columns] for columns in ("50", "32", "16")} == dict.fromkeys(
        ("50", "32", "16"), "queen"
    )
    assert found["8"] != "queen" and found["4"] != "queen"
    assert "use all 50 columns" in shown and "(now 8)" in shown


def test_japanese_words_are_added_by_the_vectors_of_the_english_ones() -> None:
    app = open_page("embedding", language="ja", word_sum="王 - 男 + 女", reveal=1)
    assert "<b>queen（女王）</b>" in html(app)
    assert "王 → king" in html(app)


@each_language
def test_unknown_words_get_a_friendly_line_and_stay_in_the_box(language: str) -> None:
    app = open_page(
        "embedding", language=language, word_sum="king - zzqx + qeen", word_list="cat zzqx", reveal=1
    )
    assert notices(app).count("zzqx") == 2 and "queen" in notices(app)
    assert settings(app)["word_sum"] == "king - zzqx + qeen"
    assert app.text_input(key="w_word_sum").value == "king - zzqx + qeen"
    assert Words(language)("embedding.likeness.few") in html(app)


@pytest.mark.parametrize("text", ["", "king - king", "zzqx", "<b>x</b> - $x$", "- - -", "\\ ` *"])
def test_a_sum_without_a_vector_is_no_error(text: str) -> None:
    app = open_page("embedding", word_sum=text, reveal=1)
    assert "<b>x" not in html(app)
    assert ("There is no vector" in html(app)) == bool(text)  # nothing typed means the example


def test_an_example_is_taken_with_one_click() -> None:
    app = open_page("embedding", reveal=1)
    app = checked(app.button(key="sum_example_3").click().run())
    assert settings(app)["word_sum"] == "better - good + fast" and "<b>faster</b>" in html(app)


def test_without_a_sentence_the_words_are_still_there() -> None:
    app = open_page("embedding", sentence=" ", reveal=1)
    assert set(figures(app)) == {"likeness", "likeness_map", "sum_map"}


def test_nothing_is_given_away_before_a_guess() -> None:
    app = open_page("embedding")
    assert figures(app) == {} and "av-sumup" not in html(app) and "av-rank" not in html(app)
