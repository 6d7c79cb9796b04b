"""Every number in a sentence is a number of the lesson, and the sums that are written out come out."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from attnviz.figures.labels import number, vector
from attnviz.settings import DEFAULTS, KINDS, STAGES
from attnviz.ui.scene import spread
from attnviz.ui.story import PARAGRAPHS, ids_table, is_random, paragraph
from attnviz.ui.sums import MOST_TERMS, SUMS, products, sum_line
from attnviz.words import languages
from tests.ui.scenes import CROSS, KINDS_OF_ATTENTION, SELF, scene

each_stage = pytest.mark.parametrize("stage", STAGES)
each_kind_of_attention = pytest.mark.parametrize("base", KINDS_OF_ATTENTION.values(), ids=KINDS_OF_ATTENTION)
each_language = pytest.mark.parametrize("language", languages())
HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile: <b> {n} {query} 100%"


def options(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = KINDS[name].options  # type: ignore[attr-defined]
    return found


def plain(html: Markup) -> str:
    """What the reader sees."""
    return Markup(html).striptags()


def value(text: str) -> float:
    return float(text.strip("()").replace("−", "-"))


# --- how far a query spreads -----------------------------------------------------------------------


def exp_entropy(weights: list[float]) -> float:
    total = sum(weights)
    if total == 0:
        return 0.0
    return math.exp(-sum(w / total * math.log(w / total) for w in weights if w > 0))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_spread_is_exp_of_the_entropy_of_the_shares(weights: list[float]) -> None:
    (found,) = spread(np.array([weights]))
    assert found == pytest.approx(exp_entropy(weights), rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "tokens"),
    [([0.0, 1.0, 0.0], 1.0), ([0.25] * 4, 4.0), ([0.5, 0.5, 0.0], 2.0), ([0.0, 0.0], 0.0), ([0.9] * 5, 5.0)],
)
def test_a_query_looks_at_as_many_tokens_as_share_its_weight_evenly(
    weights: list[float], tokens: float
) -> None:
    assert spread(np.array([weights]))[0] == pytest.approx(tokens, rel=1e-14)


def test_the_spread_is_that_of_each_row() -> None:
    weights = scene().lesson.trace.weights[1]
    assert spread(weights) == pytest.approx([exp_entropy(row) for row in weights.tolist()], rel=1e-12)


# --- products written out --------------------------------------------------------------------------

NUMBERS = st.floats(-99, 99).map(lambda v: round(v, 3))
PAIRS = st.integers(1, 20).flatmap(
    lambda size: st.tuples(*[st.lists(NUMBERS, min_size=size, max_size=size)] * 2)
)


@given(PAIRS)
def test_the_factors_are_those_of_the_vectors_in_their_order(pair: tuple[list[float], list[float]]) -> None:
    left, right = pair
    terms = products(left, right).split(" + ")
    kept = range(len(left)) if len(left) <= MOST_TERMS else [*range(MOST_TERMS - 2), None, len(left) - 1]
    assert len(terms) == len(kept)
    for term, i in zip(terms, kept, strict=True):
        if i is None:
            assert term == "…"
        else:
            assert [value(factor) for factor in term.split(" × ")] == [
                float(f"{left[i]:.2f}"),
                float(f"{right[i]:.2f}"),
            ]


@given(PAIRS)
def test_a_negative_factor_is_in_brackets_but_at_the_beginning(pair: tuple[list[float], list[float]]) -> None:
    text = products(*pair)
    assert text.count("(") == text.count(")")
    for match in re.finditer("−", text):
        assert match.start() == 0 or text[match.start() - 1] == "("
    assert "−0.00" not in text


def test_a_short_product_reads_as_on_the_blackboard() -> None:
    assert products([-1, 2, 0.5], [3, -4, -0.001]) == "−1.00 × 3.00 + 2.00 × (−4.00) + 0.50 × 0.00"


# --- sums ------------------------------------------------------------------------------------------


def test_every_station_has_a_sum_and_a_paragraph() -> None:
    assert tuple(SUMS) == tuple(PARAGRAPHS) == STAGES


@each_kind_of_attention
def test_the_score_is_written_as_the_product_of_query_and_key(base: Any) -> None:
    seen = scene(base=base, d_k=3)
    trace, f = seen.lesson.trace, seen.focus
    line = plain(sum_line("scores", seen))
    q, k = trace.query[f.head, f.query], trace.key[f.head, f.key]
    assert f"= {products(q, k)} = {number(float(q @ k))}" in line
    assert line.startswith("head 2: q(the₄) · k(")


@each_kind_of_attention
def test_the_head_output_is_written_as_the_weighted_sum_of_values(base: Any) -> None:
    seen = scene(base=base)
    trace, f = seen.lesson.trace, seen.focus
    line = plain(sum_line("weights", seen))
    weights = re.findall(r"(\d\.\d\d) × v\(", line)
    assert weights == [number(w) for w in trace.weights[f.head, f.query].tolist()]
    assert line.endswith(f"= {vector(trace.head_outputs[f.head, f.query].tolist())}")
    assert [re.sub(r"\s", "", name) for name in re.findall(r"v\((.*?)\)(?= [+=])", line)] == [
        re.sub(r"\s", "", name) for name in seen.keys.texts
    ]


def test_of_many_keys_the_largest_weights_are_written_in_their_order_and_the_rest_counted() -> None:
    seen = scene(sentence=" ".join(f"w{i}" for i in range(20)))
    weights = seen.lesson.trace.weights[seen.focus.head, seen.focus.query]
    largest = sorted(sorted(range(20), key=lambda j: -weights[j])[: MOST_TERMS - 1])
    line = plain(sum_line("weights", seen))
    assert re.findall(r"v\((.*?)\)", line) == [seen.keys.texts[j] for j in largest]
    assert "13 smaller terms" in line


@pytest.mark.parametrize("values", [{"score": "gaussian", "sigma": 1.5}, {"score": "cosine", "beta": 3.0}])
def test_other_scores_are_written_out_too_and_what_is_written_comes_to_the_score(
    values: dict[str, Any],
) -> None:
    for query, key in itertools.product(range(3), range(3)):
        seen = scene(**values, query=query, key=key, d_k=3)
        f = seen.focus
        written = plain(sum_line("scores", seen)).split(" = ")[1]
        python = written.replace("−", "-").replace("×", "*").replace("²", "**2")
        score = float(seen.lesson.trace.scores[f.head, f.query, f.key])
        assert eval(python) == pytest.approx(score, abs=0.08)  # from numbers of two digits


def test_a_key_that_the_mask_hides_is_no_term() -> None:
    sentence = " ".join(f"w{i}" for i in range(20))
    seen = scene(sentence=sentence, mask="causal", query=3)
    assert re.findall(r"v\((.*?)\)", plain(sum_line("weights", seen))) == ["w0₀", "w1₁", "w2₂", "w3₃"]
    many = plain(sum_line("weights", scene(sentence=sentence, mask="causal", query=12)))
    assert f"{13 - (MOST_TERMS - 1)} smaller terms" in many


def test_whole_numbers_are_written_without_decimals_for_checking_by_hand() -> None:
    seen = scene(preset="integers")
    trace, f = seen.lesson.trace, seen.focus
    q, k = trace.query[f.head, f.query], trace.key[f.head, f.key]
    line = plain(sum_line("scores", seen)).split(" = ", 1)[1]
    assert "." not in line
    assert line.endswith(f"= {number(float(q @ k), 0)}")
    assert "." not in plain(sum_line("x", seen)).split(" = ", 1)[1]


def test_the_scaled_score_is_written_as_a_division() -> None:
    seen = scene(scale="number", divisor=2.5)
    trace, f = seen.lesson.trace, seen.focus
    score = float(trace.scores[f.head, f.query, f.key])
    assert plain(sum_line("scaled", seen)).endswith(f": {number(score)} / 2.50 = {number(score / 2.5)}")


def test_with_a_temperature_the_division_alone_is_not_said_to_be_equal() -> None:
    assert " → " in plain(sum_line("scaled", scene(temperature=2.0))).split(": ")[1]


def test_the_masked_station_lists_whom_the_query_sees() -> None:
    line = plain(sum_line("masked", scene(mask="causal", query=2)))
    assert line == "sat₂ may look at 3 of 6: the₀, cat₁, sat₂"


@pytest.mark.parametrize("stage", ["weights", "heads"])
def test_a_query_that_may_look_at_nothing_says_so(stage: str) -> None:
    seen = scene(mask="padding", padding=9)
    assert "0" in plain(sum_line(stage, seen))
    assert "×" not in plain(sum_line(stage, seen))
    assert "nothing" in plain(paragraph("weights", seen))


def test_x_and_the_concatenation_and_the_output_end_in_their_own_numbers() -> None:
    seen = scene(base=CROSS)
    trace, f = seen.lesson.trace, seen.focus
    assert plain(sum_line("x", seen)).endswith(f"= {vector(trace.x[f.query].tolist(), most=8)}")
    for entry in trace.output[f.query][:4].tolist():
        assert number(entry) in plain(sum_line("output", seen))
    for entry in trace.concat[f.query][:2].tolist():
        assert number(entry) in plain(sum_line("concat", seen))


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
