"""The token limit keeps every request near 200 MB: counted on real traces, not on the formula."""

import tracemalloc
from dataclasses import replace

import pytest

from attnviz.lesson.budget import token_limit
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import DEFAULTS, LIMIT_PRODUCT, LIMIT_TOKENS, Settings

LARGE = {
    "many heads": {"num_heads": 16, "d_model": 128, "d_k": 512, "d_v": 512},
    "wide": {"num_heads": 4, "d_model": 512, "d_k": 512, "d_v": 512},
    "flat": {"num_heads": 16, "d_model": 512, "d_k": 128, "d_v": 128},
}


@pytest.mark.parametrize("score", ["dot", "additive"])
@pytest.mark.parametrize("sizes", LARGE)
def test_the_largest_request_takes_about_200_megabytes(sizes: str, score: str) -> None:
    settings = Settings(sentence="a " * 600, score=score, **LARGE[sizes])
    assert settings.num_heads * settings.d_model * settings.d_k == LIMIT_PRODUCT
    tracemalloc.start()
    lesson = make_lesson(settings)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lesson is not None
    assert len(lesson.tokens.tokens) == token_limit(settings)
    assert peak < 300_000_000  # what is kept, and what is needed while it is computed


@pytest.mark.parametrize("sizes", LARGE)
def test_scores_that_look_at_every_pair_get_fewer_tokens(sizes: str) -> None:
    settings = Settings(**LARGE[sizes])
    limits = [token_limit(replace(settings, score=score)) for score in ("dot", "gaussian", "additive")]
    assert limits == sorted(limits, reverse=True)
    assert limits[0] > limits[-1]


def test_a_lesson_of_usual_sizes_has_the_whole_limit() -> None:
    assert token_limit(DEFAULTS) == LIMIT_TOKENS
    assert token_limit(replace(DEFAULTS, num_heads=8, d_model=64, d_k=8, d_v=8)) == LIMIT_TOKENS


def test_what_is_cut_is_counted() -> None:
    settings = Settings(sentence="a " * 600, score="additive", **LARGE["many heads"])
    lesson = make_lesson(settings)
    assert lesson is not None
    assert len(lesson.tokens.tokens) + lesson.tokens.cut == 600
