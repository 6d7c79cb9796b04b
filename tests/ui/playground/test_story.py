"""Every number in a sentence is a number of the lesson, and the sums that are written out come out."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.labels import number
from attnviz.lesson.lesson import is_random
from attnviz.lesson.settings import DEFAULTS, STAGES, find_setting
from attnviz.ui.kit.pictures.scene import perplexity
from attnviz.ui.playground.story import ids_table, paragraph
from attnviz.ui.playground.sums import sum_line
from attnviz.words import languages
from tests.ui.scenes import CROSS, SELF, plain, scene

each_stage = pytest.mark.parametrize("stage", STAGES)
each_language = pytest.mark.parametrize("language", languages())
HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile: <b> {n} {query} 100%"


def options(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = find_setting(name).kind.options  # type: ignore[attr-defined]
    return found


# --- how far a query spreads -----------------------------------------------------------------------


def exp_entropy(weights: list[float]) -> float:
    total = sum(weights)
    if total == 0:
        return 0.0
    return math.exp(-sum(w / total * math.log(w / total) for w in weights if w / total > 0))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_perplexity_is_exp_of_the_entropy_of_the_shares(weights: list[float]) -> None:
    (found,) = perplexity(np.array([weights]))
    assert found == pytest.approx(exp_entropy(weights), rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "tokens"),
    [([0.0, 1.0, 0.0], 1.0), ([0.25] * 4, 4.0), ([0.5, 0.5, 0.0], 2.0), ([0.0, 0.0], 0.0), ([0.9] * 5, 5.0)],
)
def test_a_query_looks_at_as_many_tokens_as_share_its_weight_evenly(
    weights: list[float], tokens: float
) -> None:
    assert perplexity(np.array([weights]))[0] == pytest.approx(tokens, rel=1e-14)


def test_the_perplexity_is_that_of_each_row() -> None:
    weights = scene().lesson.trace.weights[1]
    assert perplexity(weights) == pytest.approx([exp_entropy(row) for row in weights.tolist()], rel=1e-12)


# --- paragraphs ------------------------------------------------------------------------------------


@each_language
def test_the_paragraph_of_the_weights_names_the_best_key_its_weight_and_the_spread(language: str) -> None:
    seen = scene(base=CROSS, language=language)
    row = seen.lesson.trace.weights[1, 4]
    text = plain(paragraph("weights", seen))
    assert number(float(row.max())) in text
    assert number(exp_entropy(row.tolist()), 1) in text
    assert seen.keys.texts[int(row.argmax())].replace("\u200a", "") in text.replace("\u200a", "")


@each_language
def test_the_paragraph_of_the_scores_names_the_highest(language: str) -> None:
    for score in options("score"):
        seen = scene(score=score, language=language)
        row = seen.lesson.trace.scores[1, 4]
        text = plain(paragraph("scores", seen))
        assert number(float(row.max())) in text
        assert seen.keys.texts[int(row.argmax())] in text


def test_the_paragraph_of_the_mask_counts_the_hidden_cells() -> None:
    text = plain(paragraph("masked", scene(mask="causal")))
    assert "15 of 36" in text


def test_the_paragraph_of_q_k_v_counts_the_weights_of_a_head() -> None:
    assert "7 × (2 + 2 + 5) = 63" in plain(paragraph("qkv", scene()))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "gentler"), ({"scale": "number", "divisor": 0.5}, "sharper"), ({"scale": "none"}, "Nothing is divided"),
        ({"scale": "none", "temperature": 4.0}, "divided by 4.00"), ({"temperature": 0.1}, "sharper"),
        ({"sentence": "one", "query": 0, "key": 0}, "stay 0.00 apart"),
    ],
)  # fmt: skip
def test_the_paragraph_of_the_scale_says_what_the_division_does(changes: dict[str, Any], said: str) -> None:
    seen = scene(**changes)
    trace, f = seen.lesson.trace, seen.focus
    before, after = (np.ptp(a[f.head, f.query]) for a in (trace.scores, trace.scaled))
    text = plain(paragraph("scaled", seen))
    assert said in text
    assert number(float(after)) in text
    assert ("gentler" in text, "sharper" in text) == (after < before, after > before)


@each_language
def test_a_repeated_word_is_pointed_out_until_positions_tell_the_two_apart(language: str) -> None:
    with_both = plain(paragraph("x", scene(query=1, language=language)))
    assert "the₀" in with_both
    assert "the₄" in with_both
    assert "the₄" not in plain(paragraph("x", scene(query=1, position="sinusoidal", language=language)))


@each_stage
@each_language
def test_hostile_tokens_are_text_everywhere(stage: str, language: str) -> None:
    for query in range(0, 24, 3):
        seen = scene(sentence=HOSTILE, source=HOSTILE, language=language, query=query, key=query)
        for text in (paragraph(stage, seen), sum_line(stage, seen), ids_table(seen)):
            assert set(re.findall(r"</?(\w+)", text)) <= {
                "p",
                "b",
                "span",
                "var",
                "bdi",
                "i",
                "sub",
                "sup",
                "div",
            }
            assert not re.search(r"<[^>]*\son\w+=", text)


@each_language
def test_every_station_has_words_for_every_score_normalizer_mask_and_preset(language: str) -> None:
    names = ("score", "normalizer", "mask", "preset")
    for name in names:
        for option in options(name):
            for base, stage in itertools.product((SELF, CROSS), STAGES):
                chosen: dict[str, Any] = {name: option}
                seen = scene(base=base, language=language, **chosen)
                for text in (paragraph(stage, seen), sum_line(stage, seen)):
                    assert text
                    assert not re.search(r"\{\w*\}|nan|None", plain(text)), (name, option, stage)


@each_stage
def test_one_token_and_one_head_have_words_too(stage: str) -> None:
    seen = scene(base=DEFAULTS, sentence="one", num_heads=1, head=0, query=0, key=0)
    assert plain(paragraph(stage, seen))
    assert plain(sum_line(stage, seen))


def test_the_ids_number_the_different_tokens_in_order() -> None:
    cells = re.findall(r"</bdi></b>(\d+)</span>", str(ids_table(scene())))
    assert cells == ["0", "1", "2", "3", "0", "4"]


@pytest.mark.parametrize("score", options("score"))
@pytest.mark.parametrize("preset", options("preset"))
def test_weights_that_were_drawn_at_random_are_said_to_be(preset: str, score: str) -> None:
    one, other = (scene(preset=preset, score=score, seed=seed).lesson for seed in (0, 1))
    arrays = [{**made.trace.layer.parameters(), **made.trace.score_parameters} for made in (one, other)]
    drawn = any(not np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])
    assert is_random(one) == drawn
