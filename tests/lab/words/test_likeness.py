"""Likeness of words: learnt vectors keep kinds together, drawn ones do not; the playground can show it."""

import numpy as np
import pytest

from attnviz.core.pretrained import excerpt
from attnviz.core.streams import token_vector
from attnviz.lab.words.likeness import COUNT, KINDS_OF_WORDS, as_attention, kept_together, vectors_of
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import Settings


def by_loops(vectors: dict[str, np.ndarray]) -> int:
    """How many words have a nearest other word of their own kind, by the definition."""
    kind = {word: i for i, group in enumerate(KINDS_OF_WORDS) for word in group}
    kept = 0
    for word, vector in vectors.items():
        cosines = {
            other: float(vector @ v) / float(np.linalg.norm(vector) * np.linalg.norm(v))
            for other, v in vectors.items()
            if other != word
        }
        kept += kind[max(cosines, key=lambda other: cosines[other])] == kind[word]
    return kept


def test_every_word_s_nearest_one_is_of_its_kind_in_the_learnt_vectors() -> None:
    names = [word for group in KINDS_OF_WORDS for word in group]
    rows = {word: excerpt().vectors[excerpt().row_of[word]] for word in names}
    assert kept_together("pretrained", 0) == by_loops(rows) == COUNT == len(names)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_vectors_do_not_keep_kinds_together(seed: int) -> None:
    names = [word for group in KINDS_OF_WORDS for word in group]
    drawn = {word: token_vector(word, seed, 50) for word in names}
    assert kept_together("normal", seed) == by_loops(drawn) < COUNT


@pytest.mark.parametrize("kind", ["pretrained", "normal"])
def test_no_words_have_no_vectors(kind: str) -> None:
    assert vectors_of([], kind, 0).shape == (0, 50)
    assert vectors_of(["cat", "dog", "cat"], kind, 0).shape == (3, 50)


def test_the_playground_s_settings_are_valid_whatever_was_set_before() -> None:
    before = Settings(num_heads=16, d_model=128, d_k=512, preset="folded", d_v=512, tokenizer="characters")
    made = as_attention(before, ["cat", "dog"])
    assert (made.sentence, made.embedding, made.preset, made.num_heads) == (
        "cat dog",
        "pretrained",
        "similarity",
        1,
    )
    assert made.d_model == made.d_k == 50
    lesson = make_lesson(made)
    assert lesson is not None and lesson.tokens.tokens == ("cat", "dog")
