"""Random draws are nested and named: raising a size appends, and nothing that was there moves."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import MATRIX_IDS, integer_matrix, normal_matrix, token_vector
from attnviz.core.streams import TOKEN_DRAWS

size = st.integers(1, 70)


@given(size, size, size, size)
def test_a_larger_matrix_begins_with_the_smaller_one(
    rows: int, columns: int, more_rows: int, more: int
) -> None:
    small = normal_matrix(3, "w_q", 1, rows, columns)
    large = normal_matrix(3, "w_q", 1, rows + more_rows, columns + more)
    assert small.shape == (rows, columns)
    np.testing.assert_array_equal(large[:rows, :columns], small)


def test_every_stream_has_numbers_of_its_own() -> None:
    streams = [
        normal_matrix(seed, name, head, 4, 5).tobytes()
        for seed in (0, 1)
        for name in MATRIX_IDS
        for head in range(3)
    ]
    assert len(set(streams)) == len(streams) == 2 * len(MATRIX_IDS) * 3


def test_names_have_numbers_of_their_own() -> None:
    assert len(set(MATRIX_IDS.values())) == len(MATRIX_IDS)


def test_normal_numbers_have_mean_zero_and_variance_one() -> None:
    """Within four standard errors: 1/sqrt(N) of the mean, sqrt(2/N) of the variance of a normal variable."""
    drawn = normal_matrix(0, "w_v", 0, 300, 400)
    assert abs(drawn.mean()) <= 4.0 / np.sqrt(drawn.size)
    assert abs(drawn.var() - 1.0) <= 4.0 * np.sqrt(2.0 / drawn.size)


def test_whole_numbers_take_every_value_of_their_range_and_no_other() -> None:
    drawn = integer_matrix(0, "w_v", 0, 20, 30, -1, 1)
    assert set(np.unique(drawn)) == {-1.0, 0.0, 1.0}
    np.testing.assert_array_equal(integer_matrix(0, "w_v", 0, 9, 10, -1, 1), drawn[:9, :10])


@pytest.mark.parametrize("kind", TOKEN_DRAWS)
@given(st.text(), size, size)
def test_a_token_vector_begins_with_the_vector_of_a_smaller_d_model(
    kind: str, token: str, d: int, more: int
) -> None:
    small = token_vector(token, 5, d, kind)
    assert small.shape == (d,)
    np.testing.assert_array_equal(token_vector(token, 5, d + more, kind)[:d], small)


def test_tokens_that_look_alike_are_not_the_same() -> None:
    tokens = ["pen", "Pen", "pen ", "ｐｅｎ", "é", "e\u0301", "", "\ud800"]
    vectors = {token_vector(token, 0, 4).tobytes() for token in tokens}
    assert len(vectors) == len(tokens)


def test_uniform_token_vectors_lie_between_zero_and_one() -> None:
    drawn = np.concatenate([token_vector(str(i), 0, 64, "uniform") for i in range(100)])
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) <= 4.0 * np.sqrt(1.0 / 12.0 / drawn.size)


def test_integer_token_vectors_take_the_values_from_minus_two_to_two() -> None:
    drawn = np.concatenate([token_vector(str(i), 0, 64, "integer") for i in range(20)])
    assert set(np.unique(drawn)) == {-2.0, -1.0, 0.0, 1.0, 2.0}


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_another_process_draws_the_same_numbers(hash_seed: str) -> None:
    code = (
        "import json; from attnviz.core import normal_matrix, token_vector;"
        "print(json.dumps([normal_matrix(7, 'w_k', 2, 9, 3).tolist(), token_vector('猫', 7, 11).tolist()]))"
    )
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    ).stdout
    here = [normal_matrix(7, "w_k", 2, 9, 3).tolist(), token_vector("猫", 7, 11).tolist()]
    assert json.loads(printed) == here


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1", None])
def test_a_seed_that_is_no_whole_number_from_zero_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number >= 0; got"):
        normal_matrix(seed, "w_q", 0, 2, 2)


def test_an_unknown_kind_of_token_vector_is_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of normal, integer, uniform; got 'x'"):
        token_vector("pen", 0, 4, "x")
