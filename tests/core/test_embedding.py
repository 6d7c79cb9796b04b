"""From tokens to vectors: ids, one-hot vectors, drawn vectors, positions."""

import numpy as np
import pytest

from attnviz.core import EMBEDDINGS, POSITIONS, embed, one_hot, sinusoidal, standardise, token_ids, vocabulary

TOKENS = ["the", "cat", "sat", "on", "the", "mat"]
D_MODEL = 7
every_kind = pytest.mark.parametrize("kind", EMBEDDINGS)


def test_the_vocabulary_has_each_token_once_in_order_of_appearance() -> None:
    words = vocabulary(TOKENS)
    assert words == ("the", "cat", "sat", "on", "mat")
    assert token_ids(TOKENS, words).tolist() == [0, 1, 2, 3, 0, 4]


def test_a_token_that_is_not_in_the_vocabulary_is_named() -> None:
    with pytest.raises(ValueError, match="every token must be in the vocabulary of 1; got 'dog'"):
        token_ids(["cat", "dog"], ["cat"])


@every_kind
def test_a_one_hot_vector_times_the_table_is_the_row_of_the_table(kind: str) -> None:
    words = vocabulary(TOKENS)
    table = embed(words, D_MODEL, 0, kind)
    product = one_hot(token_ids(TOKENS, words), len(words)) @ table
    np.testing.assert_array_equal(product, embed(TOKENS, D_MODEL, 0, kind))


@every_kind
def test_editing_one_word_leaves_the_vectors_of_the_others_alone(kind: str) -> None:
    before, after = (
        embed(tokens, D_MODEL, 0, kind) for tokens in (TOKENS, [*TOKENS[:1], "dog", *TOKENS[2:]])
    )
    changed = (before != after).any(axis=-1)
    assert changed.tolist() == [False, True, False, False, False, False]


@every_kind
def test_another_seed_gives_another_vector(kind: str) -> None:
    unknown = ["qzxj", "jxzq"]  # no list of real words has them
    assert (embed(unknown, D_MODEL, 0, kind) != embed(unknown, D_MODEL, 1, kind)).any(axis=-1).all()


@every_kind
def test_no_tokens_give_no_rows(kind: str) -> None:
    assert embed([], D_MODEL, 0, kind).shape == (0, D_MODEL)


def test_standardised_vectors_have_mean_zero_and_variance_one_over_their_coordinates() -> None:
    x = embed(TOKENS, 64, 0, "standardised")
    np.testing.assert_allclose(x.mean(axis=-1), 0.0, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(x.var(axis=-1), 1.0, rtol=1e-14)
    assert standardise(np.full((2, 3), 5.0)).tolist() == [[0.0] * 3] * 2


def test_an_unknown_kind_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"kind must be one of normal, .*; got 'x'"):
        embed(TOKENS, D_MODEL, 0, "x")


@pytest.mark.parametrize("d_model", [1, 2, 7, 8])
def test_sinusoidal_positions_are_those_of_the_paper_for_any_width(d_model: int) -> None:
    """Vaswani et al. 2017, section 3.5: PE(i, 2c) = sin(i / 10000^(2c / d_model)), PE(i, 2c + 1) = cos(same)."""
    positions = sinusoidal(5, d_model)
    assert positions.shape == (5, d_model)
    for i in range(5):
        for column in range(d_model):
            angle = i / 10000.0 ** (2 * (column // 2) / d_model)
            expected = np.cos(angle) if column % 2 else np.sin(angle)
            assert positions[i, column] == pytest.approx(expected, rel=0.0, abs=1e-15)


@pytest.mark.parametrize("name", POSITIONS)
def test_every_kind_of_position_fits_x(name: str) -> None:
    assert POSITIONS[name](6, D_MODEL).shape == embed(TOKENS, D_MODEL, 0).shape
