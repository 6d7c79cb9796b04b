"""Cases 50 to 54 and 57 of docs/cases.md: what does not fit is refused by name, whole numbers do not wrap."""

import warnings
from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    SCORE_FUNCTIONS,
    MultiHeadAttention,
    alibi_bias,
    alibi_slopes,
    attend,
    causal_mask,
    random_score_parameters,
)
from attnviz.core.arrays import Array

H, N, M, D_K, D_V = 2, 4, 3, 5, 6
GENERATOR = np.random.default_rng(21)
QUERY, KEY, VALUE = (GENERATOR.normal(size=(H, *shape)) for shape in ((N, D_K), (M, D_K), (M, D_V)))
LAYER = MultiHeadAttention.random(d_model=7, num_heads=H, d_k=D_K, d_v=D_V, seed=3)


def call(dtype: type, **given: Any) -> None:
    """Attend and a layer, in this type: what the first says, where the second refuses the same by name."""
    arrays = [array.astype(dtype) for array in (QUERY, KEY, VALUE)]
    with pytest.raises(ValueError) as told:
        attend(*arrays, **given)
    with pytest.raises(ValueError) as told_by_layer:
        LAYER.astype(dtype)(np.ones((N, 7), dtype), **given)
    assert str(told.value).split(" must be ")[0] == str(told_by_layer.value).split(" must be ")[0]
    raise told.value


@pytest.mark.parametrize("bias", [causal_mask(N, M), [[True] * M] * N])
def test_truth_values_are_no_bias(bias: Any) -> None:
    with pytest.raises(ValueError, match=r"bias must be numbers .*; got truth values: a mask goes into keep"):
        attend(QUERY, KEY, VALUE, bias=bias)


@pytest.mark.parametrize("name", ["softcap", "temperature", "scale"])
@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        (np.float32, 1e39),
        (np.float32, 1e-60),
        (np.float32, 1e300),
        (np.float16, 1e39),
        (np.float64, 10**400),
        (np.float64, 1e-320),
    ],
)
def test_a_number_that_the_type_cannot_hold_is_refused_by_its_name(
    name: str, dtype: type, number: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{name} must be "):
            call(dtype, **{name: number})


@pytest.mark.parametrize("name", ["softcap", "temperature", "scale"])
def test_the_same_number_is_taken_where_the_type_holds_it(name: str) -> None:
    made = attend(QUERY, KEY, VALUE, **{"scale": "none", name: 1e39})
    if name == "softcap":
        np.testing.assert_allclose(made.scaled, made.scores, rtol=1e-12)
    else:
        np.testing.assert_allclose(made.scaled, made.scores / 1e39, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "number"), [
    (np.float64, 1e200), (np.float64, 1e-200), (np.float32, 1e30), (np.float32, 1e-25), (np.float64, 1.3e154 * 1.1),
])  # fmt: skip
def test_a_sigma_whose_square_is_no_number_is_refused(dtype: type, number: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"^sigma must be a positive number from .*; got"):
            call(dtype, score="gaussian", sigma=number)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_least_and_the_largest_sigma_that_are_named_are_taken(dtype: type) -> None:
    arrays = [array.astype(dtype) for array in (QUERY, KEY, VALUE)]
    with pytest.raises(ValueError, match="sigma") as told:
        attend(*arrays, score="gaussian", sigma=1e200)
    low, high = _named(str(told.value))
    for sigma in (low * 1.5, high / 1.5):
        scores = attend(*arrays, score="gaussian", sigma=sigma, keep=np.zeros((N, M), bool)).scores
        assert np.isfinite(2 * dtype(sigma) ** 2)
        assert 2 * dtype(sigma) ** 2 > 0
        assert scores.dtype == dtype


def _named(message: str) -> tuple[float, float]:
    """The two limits that a message names."""
    words = message.split()
    return float(words[words.index("from") + 1]), float(words[words.index("to") + 1])


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.bool_])
def test_whole_numbers_give_the_scores_of_the_same_floats(score: str, dtype: type) -> None:
    """int8: 100 * 100 wraps to 16; uint8: 3 - 5 wraps to 254."""
    query, key = (
        np.array(rows).astype(dtype) for rows in ([[100, 100], [3, 7]], [[100, 100], [5, 120], [0, 1]])
    )
    given = random_score_parameters(score, d_k=2, num_heads=1, seed=1)
    parameters: dict[str, Array] = {name: array[0] for name, array in given.items()}
    function = SCORE_FUNCTIONS[score].function
    ours = function(query, key, **parameters)
    np.testing.assert_array_equal(ours, function(query.astype(float), key.astype(float), **parameters))


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((6, 2, 3), r"value must have as many heads as key, 2, or one; got \(3, 3, 6\)"),
        ((6, 6, 3), r"value must have as many heads as key, 6, or one"),
        ((6, 0, 0), "key must have a number of heads that divides the query's 6"),
        ((6, 4, 4), "key must have a number of heads that divides the query's 6"),
        ((6, 1, 4), "value must have a number of heads that divides the query's 6"),
        ((2, 6, 6), "key must have a number of heads that divides the query's 2"),
        ((1, 6, 3), "value must have as many heads as key, 6, or one"),
    ],
)
def test_numbers_of_heads_that_do_not_fit_are_refused(heads: tuple[int, int, int], message: str) -> None:
    arrays = [
        np.ones((count, *array.shape[1:])) for count, array in zip(heads, (QUERY, KEY, VALUE), strict=True)
    ]
    with pytest.raises(ValueError, match=message):
        attend(*arrays)


@pytest.mark.parametrize(
    "heads", [(6, 6, 6), (6, 2, 2), (6, 1, 1), (6, 2, 1), (6, 1, 3), (1, 6, 6), (1, 6, 1), (0, 2, 2)]
)
def test_numbers_of_heads_that_fit_give_each_query_head_its_own(heads: tuple[int, int, int]) -> None:
    arrays = [
        GENERATOR.normal(size=(count, *array.shape[1:]))
        for count, array in zip(heads, (QUERY, KEY, VALUE), strict=True)
    ]
    output = attend(*arrays).output
    most = 0 if 0 in heads else max(heads)
    assert len(output) == most
    for h in range(most):
        query, key, value = (array[h * len(array) // most] for array in arrays)
        np.testing.assert_allclose(output[h], attend(query, key, value).output, rtol=1e-12, atol=1e-12)


def test_batches_that_do_not_broadcast_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="the axes before the heads of query, key and value must broadcast"):
        attend(np.ones((2, H, N, D_K)), np.ones((3, H, M, D_K)), np.ones((3, H, M, D_V)))


@pytest.mark.parametrize("num_heads", [1, 3, 6, 8, 12])
def test_alibi_slopes_are_those_of_the_papers_text_for_any_number_of_heads(num_heads: int) -> None:
    """Press et al. 2022, section 3: from 2^(-8/n) on with that ratio; their program differs, and we do not follow it."""
    expected = [2.0 ** (-8.0 * h / num_heads) for h in range(1, num_heads + 1)]
    np.testing.assert_allclose(alibi_slopes(num_heads), expected, rtol=1e-15)
    np.testing.assert_allclose(-alibi_bias(num_heads, 2, 2)[:, 0, 1], expected, rtol=1e-15)
    by_program = {3: [1 / 16, 1 / 256, 1 / 4]}
    if num_heads in by_program:
        assert not np.isclose(alibi_slopes(num_heads), by_program[num_heads]).any()
