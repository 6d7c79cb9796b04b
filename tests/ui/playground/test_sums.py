"""The arithmetic of the focus is written out with the numbers of the lesson, and comes out."""

import itertools
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.written import Cell, Line, placed, sign
from attnviz.core.written import number as unplaced
from attnviz.core.written import products as product_terms
from attnviz.figures.labels import number, vector
from attnviz.lesson.settings import STAGES
from attnviz.ui.playground.story import PARAGRAPHS, paragraph
from attnviz.ui.playground.sums import MOST_TERMS, SUMS, one_line, sum_line
from tests.ui.scenes import CROSS, KINDS_OF_ATTENTION, plain, scene

each_kind_of_attention = pytest.mark.parametrize("base", KINDS_OF_ATTENTION.values(), ids=KINDS_OF_ATTENTION)


def value(text: str) -> float:
    return float(text.strip("()").replace("−", "-"))


def products(left: Sequence[float], right: Sequence[float]) -> str:
    """The line of an inner product in one line."""
    q, k = (
        [placed(value, Cell(name, 0, i)) for i, value in enumerate(side)]
        for name, side in (("query", left), ("key", right))
    )
    return one_line((Line((sign("s"),), product_terms(q, k), unplaced(0.0)),), 2)


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
    assert "13 more terms" in line


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
    assert f"{13 - (MOST_TERMS - 1)} more terms" in many


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
