"""The long vocabulary: ids, and the rows of the table round a token's own."""

import numpy as np
import pytest

from attnviz.core.embedding import EMBEDDINGS, embed
from attnviz.core.pretrained import excerpt
from attnviz.lab.words.vocabulary import AROUND, place

TOKENS = ("the", "zzqx", "Cat", "猫", "cat", "zzqx")


@pytest.mark.parametrize("kind", EMBEDDINGS)
@pytest.mark.parametrize("position", range(len(TOKENS)))
def test_the_one_hot_vector_times_the_table_is_the_token_s_vector(kind: str, position: int) -> None:
    found = place(TOKENS, position, kind=kind, d_model=7, seed=3)
    assert found.one_hot.sum() == 1
    assert (found.one_hot @ found.rows == embed(TOKENS, 7, 3, kind)[position]).all()


@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_the_rows_are_the_words_with_these_ids(kind: str) -> None:
    found = place(TOKENS, 4, kind=kind, d_model=7, seed=3)
    assert found.id == excerpt().row_of["cat"]
    assert found.ids == tuple(range(found.id - AROUND, found.id + AROUND + 1))
    assert found.words == excerpt().words[found.ids[0] : found.ids[-1] + 1]


def test_the_first_and_the_last_word_have_fewer_neighbours() -> None:
    first = place(TOKENS, 0, kind="normal", d_model=2, seed=0)
    assert first.id == excerpt().row_of["the"] and first.ids[0] == max(first.id - AROUND, 0)
    last = place(("zzqx",), 0, kind="normal", d_model=2, seed=0)
    assert last.id == last.ids[-1] == last.size - 1 == len(excerpt().words)


def test_words_that_the_excerpt_lacks_are_added_once_each() -> None:
    assert place(TOKENS, 0, kind="pretrained", d_model=2, seed=0).size == len(excerpt().words) + 1
    assert place(TOKENS, 0, kind="normal", d_model=2, seed=0).size == len(excerpt().words) + 3
    assert (
        place(TOKENS, 1, kind="normal", d_model=2, seed=0).id
        == place(TOKENS, 5, kind="normal", d_model=2, seed=0).id
    )


def test_real_word_vectors_know_one_row_for_a_word_in_any_case_or_language() -> None:
    ids = {place(TOKENS, i, kind="pretrained", d_model=2, seed=0).id for i in (2, 3, 4)}
    assert ids == {excerpt().row_of["cat"]}
    drawn = [place(TOKENS, i, kind="normal", d_model=2, seed=0).id for i in (2, 3, 4)]
    assert len(set(drawn)) == 3


def test_rows_are_finite_for_any_size() -> None:
    assert np.isfinite(place(("a",), 0, kind="pretrained", d_model=64, seed=1).rows).all()
