"""Laws of attention, for every entry of the registries that claims them, over sizes, types and masks."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import NORMALIZERS, SCORE_FUNCTIONS, MultiHeadAttention, attend, random_score_parameters
from attnviz.core.arrays import Array

# Two computations are compared, each within 5e-6 (float32, facts.md) of the definition; 1e-12 in float64.
TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12}
TO_ONE = ["softmax", "sparsemax"]
every_score = pytest.mark.parametrize("score", SCORE_FUNCTIONS)
every_normalizer = pytest.mark.parametrize("normalizer", NORMALIZERS)


class Case(NamedTuple):
    query: Array
    key: Array
    value: Array
    keep: Array
    seed: int

    @property
    def tolerance(self) -> float:
        return TOLERANCE[self.query.dtype]

    def parameters(self, score: str) -> dict[str, Array]:
        num_heads, _, d_k = self.query.shape
        return random_score_parameters(score, d_k=d_k, num_heads=num_heads, seed=self.seed)

    def attend(self, score: str = "dot", normalizer: str = "softmax", **changed: Any) -> Any:
        arguments = (
            self._asdict() | {"score": score, "normalizer": normalizer} | self.parameters(score) | changed
        )
        arguments.pop("seed")
        return attend(**arguments)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    sizes = st.integers(1, 6)
    num_heads, n, m, d_k, d_v = (draw(sizes) for _ in range(5))
    seed = draw(st.integers(0, 2**32 - 1))
    dtype: np.dtype[Any] = draw(st.sampled_from(list(TOLERANCE)))
    generator = np.random.default_rng(seed)
    shapes = ((num_heads, n, d_k), (num_heads, m, d_k), (num_heads, m, d_v))
    keep = generator.random((num_heads, n, m)) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    query, key, value = (generator.standard_normal(shape).astype(dtype) for shape in shapes)
    return Case(query, key, value, keep, seed)


def close(ours: Array, expected: Array, tolerance: float) -> None:
    np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)


@every_score
@pytest.mark.parametrize("normalizer", TO_ONE)
@given(cases())
def test_rows_sum_to_one_or_are_all_zero_where_nothing_is_kept(
    score: str, normalizer: str, case: Case
) -> None:
    ours = case.attend(score, normalizer)
    assert (ours.weights >= 0.0).all()
    assert not ours.weights[~case.keep].any()
    close(ours.weights.sum(axis=-1), np.where(ours.empty_rows, 0.0, 1.0), case.tolerance)


@every_score
@every_normalizer
@given(cases())
def test_permuting_the_keys_with_their_values_changes_nothing(
    score: str, normalizer: str, case: Case
) -> None:
    order = np.random.default_rng(case.seed).permutation(case.key.shape[1])
    moved = case.attend(
        score, normalizer, key=case.key[:, order], value=case.value[:, order], keep=case.keep[..., order]
    )
    close(moved.output, case.attend(score, normalizer).output, case.tolerance)


@every_score
@every_normalizer
@given(cases())
def test_permuting_the_queries_permutes_the_rows(score: str, normalizer: str, case: Case) -> None:
    order = np.random.default_rng(case.seed).permutation(case.query.shape[1])
    moved = case.attend(score, normalizer, query=case.query[:, order], keep=case.keep[:, order])
    ours = case.attend(score, normalizer)
    close(moved.weights, ours.weights[:, order], case.tolerance)
    close(moved.output, ours.output[:, order], case.tolerance)


@every_score
@pytest.mark.parametrize("normalizer", TO_ONE)
@given(cases())
def test_adding_a_number_to_a_row_of_scores_changes_nothing(score: str, normalizer: str, case: Case) -> None:
    added = np.random.default_rng(case.seed).standard_normal((case.query.shape[1], 1))
    moved = case.attend(score, normalizer, bias=added)
    close(moved.weights, case.attend(score, normalizer).weights, case.tolerance)


@pytest.mark.parametrize("score", [name for name, entry in SCORE_FUNCTIONS.items() if entry.homogeneous])
@pytest.mark.parametrize("factor", [0.25, 3.0])
@given(cases())
def test_growing_the_query_is_dividing_by_a_smaller_scale(score: str, factor: float, case: Case) -> None:
    grown = case.attend(score, query=case.query * case.query.dtype.type(factor), scale=1.0)
    close(grown.weights, case.attend(score, scale=1.0 / factor).weights, 10.0 * case.tolerance)


@pytest.mark.parametrize("score", ["dot", "general"])
@given(cases())
def test_growing_query_or_key_or_both_by_the_root_is_the_same(score: str, case: Case) -> None:
    four, two = case.query.dtype.type(4.0), case.query.dtype.type(2.0)
    by_query = case.attend(score, query=four * case.query)
    by_key = case.attend(score, key=four * case.key)
    by_both = case.attend(score, query=two * case.query, key=two * case.key)
    for other in (by_key, by_both):
        close(other.weights, by_query.weights, 10.0 * case.tolerance)


@pytest.mark.parametrize("score", [name for name, entry in SCORE_FUNCTIONS.items() if entry.symmetric])
@given(cases())
def test_changing_query_and_key_round_transposes_symmetric_scores(score: str, case: Case) -> None:
    swapped = case.attend(score, query=case.key, key=case.query, value=case.query, keep=case.keep.mT)
    close(swapped.scores, case.attend(score).scores.mT, 10.0 * case.tolerance)


@every_score
@every_normalizer
@given(cases())
def test_what_is_masked_has_no_influence(score: str, normalizer: str, case: Case) -> None:
    unseen = ~case.keep.any(axis=1)  # (H, m): keys that no query may look at
    key, value = case.key.copy(), case.value.copy()
    key[unseen], value[unseen] = np.nan, np.inf
    poisoned = case.attend(score, normalizer, key=key, value=value)
    ours = case.attend(score, normalizer)
    close(poisoned.weights, ours.weights, case.tolerance)
    close(poisoned.output, ours.output, case.tolerance)


@every_score
@every_normalizer
@given(cases())
def test_hiding_keys_is_the_same_as_not_having_them(score: str, normalizer: str, case: Case) -> None:
    kept = case.keep[0].any(axis=0)  # (m,)
    hidden = case.attend(score, normalizer, keep=kept)
    gone = case.attend(score, normalizer, key=case.key[:, kept], value=case.value[:, kept], keep=None)
    close(hidden.weights[..., kept], gone.weights, case.tolerance)
    close(hidden.output, gone.output, case.tolerance)


sizes = st.integers(1, 6)


@every_score
@pytest.mark.parametrize("residual", [False, True])
@given(st.tuples(sizes, sizes, sizes, sizes, sizes, sizes), st.booleans(), st.sampled_from(list(TOLERANCE)))
def test_contributions_add_up_to_the_output_and_it_is_the_concatenation_times_w_o(
    score: str, residual: bool, chosen: tuple[int, ...], bias: bool, dtype: np.dtype[Any]
) -> None:
    n, m, d_model, d_k, d_v, num_heads = chosen
    own = MultiHeadAttention.random(
        d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_v, seed=n, bias=bias
    ).astype(dtype)
    generator = np.random.default_rng(m)
    x, source = (generator.standard_normal((rows, d_model)).astype(dtype) for rows in (n, m))
    given_parameters = random_score_parameters(score, d_k=d_k, num_heads=num_heads, seed=1)
    trace = own(x, source, residual=residual, score=score, **given_parameters)
    added = (0.0 if own.b_o is None else own.b_o) + (x if residual else 0.0)
    close(trace.contributions.sum(axis=0) + added, trace.output, TOLERANCE[dtype])
    close(trace.concat @ own.w_o.reshape(num_heads * d_v, d_model) + added, trace.output, TOLERANCE[dtype])
    assert trace.output.dtype == dtype
