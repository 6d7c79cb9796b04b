"""attend against the definition written as loops, its order of steps, and what it refuses."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    NORMALIZERS,
    SCORE_FUNCTIONS,
    attend,
    causal_mask,
    random_score_parameters,
    soft_capped,
    softmax,
)
from attnviz.core.arrays import Array

BATCH, H, N, M, D_K, D_V = 3, 2, 4, 6, 7, 5
GENERATOR = np.random.default_rng(4)
QUERY, KEY, VALUE = (
    GENERATOR.standard_normal((H, N, D_K)),
    GENERATOR.standard_normal((H, M, D_K)),
    GENERATOR.standard_normal((H, M, D_V)),
)
KEEP = np.array([[1, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 0, 0, 0, 0]], bool)


def definition(query: Array, key: Array, value: Array, keep: Array, divisor: float) -> tuple[Array, Array]:
    """Softmax attention of one head by nested loops over queries, keys and coordinates."""
    weights, output = np.zeros((N, M)), np.zeros((N, D_V))
    for i in range(N):
        exponentials = {
            j: np.exp(sum(query[i, c] * key[j, c] for c in range(D_K)) / divisor)
            for j in range(M)
            if keep[i, j]
        }
        for j, exponential in exponentials.items():
            weights[i, j] = exponential / sum(exponentials.values())
            for c in range(D_V):
                output[i, c] += weights[i, j] * value[j, c]
    return weights, output


@pytest.mark.parametrize(("scale", "divisor"), [("auto", np.sqrt(D_K)), ("none", 1.0), (2.5, 2.5)])
@pytest.mark.parametrize("keep", [None, KEEP, causal_mask(N, M)])
def test_attention_is_its_definition_head_by_head(keep: Array | None, scale: Any, divisor: float) -> None:
    ours = attend(QUERY, KEY, VALUE, keep=keep, scale=scale)
    assert ours.scale == divisor
    for h in range(H):
        every = np.ones((N, M), bool) if keep is None else keep
        weights, output = definition(QUERY[h], KEY[h], VALUE[h], every, divisor)
        np.testing.assert_allclose(ours.weights[h], weights, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(ours.output[h], output, rtol=0.0, atol=1e-12)


def test_in_float32_it_is_near_the_definition_in_long_double() -> None:
    """facts.md: 5e-6 on weights and output, 5e-5 on raw scores at d_k = 64."""
    query, key, value = (GENERATOR.standard_normal((16, 64)) for _ in range(3))
    narrow = attend(*(array.astype(np.float32) for array in (query, key, value)))
    wide = attend(*(array.astype(np.float32).astype(np.longdouble) for array in (query, key, value)))
    assert {a.dtype for a in (narrow.scores, narrow.scaled, narrow.weights, narrow.output)} == {
        np.dtype(np.float32)
    }
    assert wide.output.dtype == np.longdouble
    assert np.abs(narrow.scores - wide.scores).max() <= 5e-5
    assert np.abs(narrow.weights - wide.weights).max() <= 5e-6
    assert np.abs(narrow.output - wide.output).max() <= 5e-6


def test_the_steps_come_in_their_order() -> None:
    bias = GENERATOR.standard_normal((H, N, M))
    ours = attend(QUERY, KEY, VALUE, scale=2.0, temperature=0.5, softcap=1.5, bias=bias, keep=KEEP)
    scores = QUERY @ KEY.mT
    scaled = 1.5 * np.tanh(scores / 2.0 / 0.5 / 1.5) + bias
    np.testing.assert_allclose(ours.scores, scores, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours.scaled, scaled, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours.weights, softmax(scaled, KEEP), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours.output, ours.weights @ VALUE, rtol=0.0, atol=1e-12)


def test_scaled_and_scores_are_one_array_where_nothing_changes_them() -> None:
    ours = attend(QUERY, KEY, VALUE, scale="none")
    assert ours.scaled is ours.scores
    np.testing.assert_array_equal(
        attend(QUERY, KEY, VALUE, softcap=2.0, scale=1).scaled, soft_capped(ours.scores, 2.0)
    )


def test_the_temperature_is_one_more_divisor() -> None:
    both = attend(QUERY, KEY, VALUE, scale=2.0, temperature=3.0).weights
    np.testing.assert_allclose(both, attend(QUERY, KEY, VALUE, scale=6.0).weights, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_a_batch_of_heads_is_each_head_by_itself(score: str, normalizer: str) -> None:
    query = GENERATOR.standard_normal((BATCH, H, N, D_K))
    given = random_score_parameters(score, d_k=D_K, num_heads=H, seed=0)
    together = attend(query, KEY, VALUE, score=score, normalizer=normalizer, **given)
    assert together.output.shape == (BATCH, H, N, D_V)
    for b in range(BATCH):
        for h in range(H):
            own = {name: array[h] for name, array in given.items()}
            alone = attend(query[b, h], KEY[h], VALUE[h], score=score, normalizer=normalizer, **own)
            for step in ("scores", "scaled", "weights", "output"):
                np.testing.assert_allclose(
                    getattr(together, step)[b, h], getattr(alone, step), rtol=0.0, atol=1e-12
                )


def test_fewer_key_heads_serve_neighbouring_query_heads() -> None:
    query = GENERATOR.standard_normal((6, N, D_K))
    grouped = attend(query, KEY, VALUE)
    for h in range(6):
        alone = attend(query[h], KEY[h // 3], VALUE[h // 3])
        np.testing.assert_allclose(grouped.output[h], alone.output, rtol=0.0, atol=1e-12)


def test_one_key_head_serves_all() -> None:
    query = GENERATOR.standard_normal((5, N, D_K))
    together = attend(query, KEY[:1], VALUE[:1]).output
    np.testing.assert_allclose(together, attend(query, KEY[0], VALUE[0]).output, rtol=0.0, atol=1e-12)


def test_half_precision_is_computed_in_float32_and_comes_back() -> None:
    """cases.md 4: scores beyond 65504 stay finite."""
    half = [(200.0 * array).astype(np.float16) for array in (QUERY, KEY)] + [VALUE.astype(np.float16)]
    ours = attend(*half, keep=KEEP)
    wide = attend(*(array.astype(np.float32) for array in half), keep=KEEP)
    assert np.abs(ours.scores).max() > 65504.0
    assert ours.weights.dtype == ours.output.dtype == np.float16
    assert ours.scores.dtype == np.float32
    np.testing.assert_array_equal(ours.weights, wide.weights.astype(np.float16))
    np.testing.assert_array_equal(ours.output, wide.output.astype(np.float16))


def test_whole_numbers_are_promoted() -> None:
    ours = attend([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 2], [3, 4]], scale=1)
    assert ours.output.dtype == np.float64


@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
def test_what_is_masked_has_no_influence_be_it_not_a_number(score: str) -> None:
    keep = np.ones((N, M), bool)
    keep[:, 2] = False
    given = random_score_parameters(score, d_k=D_K, num_heads=H, seed=0)
    clean = attend(QUERY, KEY, VALUE, score=score, keep=keep, **given)
    for bad in (np.nan, np.inf, -np.inf):
        key, value = KEY.copy(), VALUE.copy()
        key[:, 2], value[:, 2] = bad, bad
        poisoned = attend(QUERY, key, value, score=score, keep=keep, **given)
        np.testing.assert_array_equal(poisoned.weights, clean.weights)
        np.testing.assert_array_equal(poisoned.output, clean.output)


def test_a_value_that_some_query_may_look_at_must_be_finite() -> None:
    value = VALUE.copy()
    value[1, 5] = np.nan
    with pytest.raises(ValueError, match="value must be finite where a query may look"):
        attend(QUERY, KEY, value, keep=KEEP)


@pytest.mark.parametrize(
    ("stage", "factor", "scale"), [("scores", 1e200, "auto"), ("scaled scores", 1e10, 1e-300)]
)
def test_numbers_that_are_not_finite_are_refused_by_the_name_of_their_stage(
    stage: str, factor: float, scale: Any
) -> None:
    with pytest.raises(ValueError, match=f"the {stage} must be finite where a query may look; got -?inf at"):
        attend(factor * QUERY, factor * KEY, VALUE, scale=scale)


def test_a_bias_of_minus_infinity_is_refused_for_a_mask_is_the_way_to_hide_a_key() -> None:
    with pytest.raises(ValueError, match="the scaled scores must be finite where a query may look"):
        attend(QUERY, KEY, VALUE, bias=np.where(KEEP, 0.0, -np.inf))


def test_empty_rows_are_flagged_and_zero_and_the_others_untouched() -> None:
    ours = attend(QUERY, KEY, VALUE, keep=KEEP)
    assert ours.empty_rows.tolist() == [[False, True, False, False]] * H
    assert not ours.weights[:, 1].any()
    assert not ours.output[:, 1].any()
    assert not attend(QUERY, KEY, VALUE).empty_rows.any()
    assert attend(QUERY, KEY[:, :0], VALUE[:, :0]).empty_rows.all()


def test_one_head_masked_fully_leaves_the_others_alone() -> None:
    keep = np.ones((H, N, M), bool)
    keep[0] = False
    ours, free = attend(QUERY, KEY, VALUE, keep=keep), attend(QUERY, KEY, VALUE)
    assert not ours.output[0].any()
    np.testing.assert_allclose(ours.output[1], free.output[1], rtol=0.0, atol=1e-15)


def test_the_arguments_are_left_as_they_were() -> None:
    before = [array.copy() for array in (QUERY, KEY, VALUE)]
    attend(QUERY, KEY, VALUE, keep=KEEP, softcap=2.0, bias=np.ones((N, M)), scale="none")
    for array, copy in zip((QUERY, KEY, VALUE), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": np.ones(3)}, r"query must have at least the axes \(tokens, coordinates\); got \(3,\)"),
        ({"key": np.ones((H, M, 4))}, r"key must have shape \(\.\.\., m, d_k=7\); got \(2, 6, 4\)"),
        ({"value": np.ones((H, 5, D_V))}, r"value must have shape \(\.\.\., m=6, d_v\); got \(2, 5, 5\)"),
        ({"query": np.ones((3, N, D_K))}, "key must have a number of heads that divides the query's 3; got"),
        ({"keep": np.ones((M, N), bool)}, r"keep must broadcast to the shape \(\.\.\., n, m\) = \(2, 4, 6\)"),
        ({"bias": np.ones((3, N, M))}, r"bias must broadcast to the shape \(\.\.\., n, m\) = \(2, 4, 6\)"),
        ({"keep": np.tri(N, M)}, r"keep must hold True and False, or 0\.0 and -inf; got 1.0"),
        ({"temperature": 0.0}, "temperature must be a positive number; got 0.0"),
        ({"softcap": -1.0}, "softcap must be a positive number; got -1.0"),
        ({"scale": 0.0}, "scale must be one of .* or a positive number; got 0.0"),
        ({"normalizer": "x"}, "normalizer must be one of softmax, sparsemax, sigmoid; got 'x'"),
        ({"query": [["a"]]}, "query must be made of real numbers; got dtype"),
    ],
)
def test_what_does_not_fit_is_told_with_what_was_expected(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attend(**({"query": QUERY, "key": KEY, "value": VALUE} | changed))
