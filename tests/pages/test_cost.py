"""The worst links stay within 200 MB, and the page says what it left out: case 42 in docs/."""

import re
import tracemalloc
from typing import Any

import pytest

from attnviz.lesson.budget import PageCost, token_limit
from attnviz.lesson.lesson import _drawn_layer, _drawn_parameters
from attnviz.lesson.settings import DEFAULTS, LIMIT_TOKENS
from attnviz.ui.lessons.embedding.cost import embedding_cost
from attnviz.ui.lessons.heads.cost import heads_cost
from attnviz.ui.lessons.masks.cost import masks_cost
from attnviz.ui.lessons.scores.cost import scores_cost
from attnviz.ui.playground.cost import playground_cost
from tests.pages.app import html, notices, open_page

WORDS = " ".join(f"w{i}" for i in range(512))
LARGE: dict[str, dict[str, Any]] = {
    "many heads": {"num_heads": 16, "d_model": 128, "d_k": 512, "d_v": 512},
    "flat": {"num_heads": 16, "d_model": 512, "d_k": 128, "d_v": 128},
}
FIRST = {"en": "Only the first", "ja": "最初の"}
NO_LAYERS = {"en": "would take more than a page may", "ja": "一ページの上限を超えます"}
LESS_FAR = {"en": "At these sizes the sentence grows", "ja": "トークンまで伸ばします"}


@pytest.mark.parametrize(
    ("page", "sizes", "score"),
    [
        ("playground", "many heads", "additive"),
        ("masks", "many heads", "additive"),
        ("masks", "flat", "gaussian"),
        ("heads", "many heads", "gaussian"),
        ("heads", "flat", "additive"),
        ("embedding", "many heads", "additive"),
        ("scores", "many heads", "additive"),
        ("scores", "flat", "gaussian"),
    ],
)
def test_the_worst_links_take_less_than_200_megabytes(page: str, sizes: str, score: str) -> None:
    open_page(page)  # what is done only once
    _drawn_layer.cache_clear()
    _drawn_parameters.cache_clear()
    tracemalloc.start()
    try:
        app = open_page(page, sentence=WORDS, score=score, reveal=1, **LARGE[sizes])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000_000
    assert FIRST["en"] in notices(app)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_on_masks_says_what_it_leaves_out(language: str) -> None:
    sizes = LARGE["many heads"] | {"language": language}
    said = html(open_page("masks", sentence=WORDS, score="additive", reveal=1, **sizes))
    assert FIRST[language] in said
    assert NO_LAYERS[language] in said
    assert LESS_FAR[language] in said


@pytest.mark.parametrize("language", ["en", "ja"])
def test_three_attentions_that_see_less_say_of_how_many_tokens(language: str) -> None:
    sizes: dict[str, Any] = {"num_heads": 16, "d_model": 64, "d_k": 256, "d_v": 64, "language": language}
    said = html(open_page("masks", sentence=WORDS, score="additive", reveal=1, **sizes))
    assert NO_LAYERS[language] not in said
    line = {"en": r"three attentions see the first (\d+)", "ja": r"三つの注意は各文の最初の (\d+)"}[language]
    found = re.search(line, said)
    assert found is not None
    assert 8 <= int(found[1]) < 64


def test_a_usual_sentence_is_left_as_it_is() -> None:
    said = html(open_page("masks", sentence="the cat sat on the mat", reveal=1, num_heads=8, d_model=64))
    assert not any(line["en"] in said for line in (FIRST, NO_LAYERS, LESS_FAR))


@pytest.mark.parametrize("cost", [playground_cost, masks_cost, heads_cost, embedding_cost, scores_cost])
def test_at_the_default_sizes_every_page_has_the_whole_limit(cost: PageCost) -> None:
    assert token_limit(DEFAULTS, cost) == LIMIT_TOKENS
