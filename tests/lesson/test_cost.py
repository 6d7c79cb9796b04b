"""What a lesson costs is what is measured: the bytes of the formula against those that tracemalloc counts."""

import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from attnviz.core.normalizers import NORMALIZERS
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson import lesson as lessons
from attnviz.lesson.budget import BYTES, FEWEST, SECONDS, most_that_fits, token_limit
from attnviz.lesson.cost import Cost, lesson_cost
from attnviz.lesson.settings import LIMIT_TOKENS, Settings, change

SMALL = 60_000  # bytes of objects and of what is done only once

WORST: dict[str, dict[str, Any]] = {
    "score arrays": {"score": "additive", "num_heads": 16, "d_model": 16, "d_k": 256, "d_v": 2},
    "bilinear": {"score": "general", "num_heads": 8, "d_model": 16, "d_k": 256, "d_v": 2},
    "row by row": {"score": "gaussian", "num_heads": 16, "d_k": 32, "d_model": 8},
    "sorted": {"normalizer": "sparsemax", "mask": "causal", "bias_kind": "alibi", "num_heads": 8},
    "capped": {"softcap": 5.0, "temperature": 2.0, "bias_kind": "alibi", "num_heads": 8},
    "turned": {"rotary": True, "num_heads": 16, "d_k": 128, "d_v": 3, "d_model": 5},
    "put out": {"num_heads": 16, "d_model": 256, "d_k": 3, "d_v": 128},
    "folded": {"preset": "folded", "num_heads": 4, "d_model": 128},
    "integers": {"preset": "integers", "num_heads": 8, "d_model": 128, "d_k": 128, "d_v": 64},
}


def within_two(s: Settings, n: int) -> None:
    s = replace(s, sentence=" ".join(f"w{i}" for i in range(n)))
    formula = lesson_cost(s, n, n)
    lessons.make_lesson(replace(s, sentence="a b"))  # what is done only once
    lessons._drawn_layer.cache_clear()
    lessons._drawn_parameters.cache_clear()
    tracemalloc.start()
    try:
        made = lessons.make_lesson(s)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made is not None
    assert len(made.tokens.tokens) == n
    assert kept / 2 - SMALL <= formula.kept <= 2 * kept + SMALL
    assert peak / 2 - SMALL <= formula.peak <= 2 * peak + SMALL


@pytest.mark.parametrize("name", WORST)
def test_the_bytes_of_the_worst_lessons_are_within_twice_the_formula(name: str) -> None:
    within_two(change(Settings(), **WORST[name])[0], 90)


@how(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "num_heads": st.integers(1, 8),
            "d_model": st.integers(1, 64),
            "d_k": st.integers(1, 64),
            "d_v": st.integers(1, 64),
            "score": st.sampled_from(sorted(SCORE_FUNCTIONS)),
            "normalizer": st.sampled_from(sorted(NORMALIZERS)),
            "mask": st.sampled_from(["none", "causal", "window"]),
            "bias_kind": st.sampled_from(["none", "alibi"]),
            "scale": st.sampled_from(["auto", "none", "sqrt_d_model", "number"]),
            "temperature": st.sampled_from([1.0, 2.0]),
            "softcap": st.sampled_from([0.0, 5.0]),
            "rotary": st.booleans(),
            "bias": st.booleans(),
        }
    ),
    st.integers(1, 64),
)
def test_the_bytes_of_any_lesson_are_within_twice_the_formula(values: dict[str, Any], n: int) -> None:
    within_two(change(Settings(), **values)[0], n)


def test_costs_one_after_the_other_add_up_but_their_peaks_do_not() -> None:
    one, other = Cost(10.0, 30.0, 0.5), Cost(5.0, 15.0, 0.25)
    assert one.then(other) == Cost(15.0, 30.0, 0.75)
    assert other.then(one) == Cost(15.0, 35.0, 0.75)
    assert one.times(3) == one.then(one).then(one)
    assert one.released().times(3) == Cost(0.0, 30.0, 1.5)


def test_the_most_that_fits_is_the_last_that_does() -> None:
    def seconds(n: int) -> Cost:
        return Cost(0.0, 0.0, n * SECONDS / 37.5)

    assert most_that_fits(seconds, 512) == 37
    assert most_that_fits(seconds, 20) == 20
    assert most_that_fits(seconds, 512, share=0.5) == 18
    assert most_that_fits(lambda n: Cost(0.0, n * BYTES / 9.5), 512) == 9
    assert most_that_fits(lambda n: Cost(0.0, 2.0 * BYTES), 512, least=3) == 3


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
def test_what_a_page_computes_beside_its_lesson_takes_tokens_away(score: str) -> None:
    s = change(Settings(), score=score, num_heads=16, d_model=512, d_k=128, d_v=128)[0]
    alone = token_limit(s)
    twice = token_limit(s, lambda s, n, m: lesson_cost(s, n, m))
    assert FEWEST < twice < alone
    assert token_limit(s, lambda s, n, m: Cost(0.0, 2.0 * BYTES)) == FEWEST
    assert token_limit(Settings(), lambda s, n, m: lesson_cost(s, n, m)) == LIMIT_TOKENS
