"""A score or a normalizer may be a function of one's own; what is neither a name nor one is told."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention, ScoreFunction, attend
from attnviz.core.arrays import Array
from attnviz.core.written import Cell
from attnviz.explain import explain

H, N, M, D_K, D_V = 2, 4, 3, 5, 6
GENERATOR = np.random.default_rng(8)
QUERY, KEY, VALUE = (GENERATOR.normal(size=(H, *shape)) for shape in ((N, D_K), (M, D_K), (M, D_V)))


def cubed(query: Array, key: Array) -> Array:
    return (query @ key.mT) ** 3


def even(scores: Array, keep: Array | None = None) -> Array:
    kept = np.broadcast_to(True if keep is None else keep, scores.shape)
    return kept / np.maximum(kept.sum(axis=-1, keepdims=True), 1)


def test_attend_and_a_layer_take_a_function_and_do_not_scale_its_scores() -> None:
    made = attend(QUERY, KEY, VALUE, score=cubed, normalizer=even, keep=np.tri(N, M, dtype=bool))
    np.testing.assert_array_equal(made.scores, cubed(QUERY, KEY))
    np.testing.assert_array_equal(made.scaled, made.scores)
    np.testing.assert_allclose(made.weights[1, 1], [0.5, 0.5, 0.0])
    layer = MultiHeadAttention.random(d_model=7, num_heads=H, d_k=D_K, d_v=D_V, seed=0)
    trace = layer(GENERATOR.normal(size=(N, 7)), score=partial(cubed), normalizer=even)
    np.testing.assert_array_equal(trace.scores, cubed(trace.query, trace.key))
    assert explain(trace, Cell("scores", 1, 2, 1)).lines[-1].terms[0][0].text == "partial(q, k)"
    assert explain(trace, Cell("weights", 1, 2, 1)).lines[-1].terms[0][0].text == "even(m)"


def test_a_record_is_taken_as_it_is() -> None:
    record = ScoreFunction("cubed", cubed, default_scale="sqrt_d_k")
    assert attend(QUERY, KEY, VALUE, score=record).recipe.score is record
    assert attend(QUERY, KEY, VALUE, score=record).scale == np.sqrt(D_K)


def test_a_function_whose_arguments_cannot_be_a_key_is_taken_too() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, query: Array, key: Array) -> Array:
            return query @ key.mT

    made = attend(QUERY, KEY, VALUE, score=Unhashable(), scale="sqrt_d_k")
    np.testing.assert_array_equal(made.weights, attend(QUERY, KEY, VALUE).weights)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"score": ["dot"]}, r"score must be one of dot, .*, or a function of query and key; got \['dot'\]"),
        ({"score": None}, "score must be one of dot, .*; got None"),
        ({"score": "Dot"}, "score must be one of dot, general, additive, cosine, gaussian; got 'Dot'"),
        ({"normalizer": 3}, "normalizer must be one of softmax, .*, or a function of scores and keep; got 3"),
        (
            {"scale": np.array([2.0, 3.0])},
            r"scale must be one of .* or a positive number; got an array of shape \(2,\)",
        ),
        ({"score": cubed, "beta": 2.0}, "score 'cubed' takes no parameters; got 'beta'"),
        (
            {"score": lambda q, k: q},
            r"the score '<lambda>' must return the shape \(..., n, m\) = \(2, 4, 3\); got \(2, 4, 5\)",
        ),
        ({"score": lambda q, k: "x"}, "what the score '<lambda>' returns must be made of real numbers"),
        (
            {"normalizer": lambda s, keep: s[..., :2]},
            r"must return the shape \(..., n, m\) = \(2, 4, 3\); got \(2, 4, 2\)",
        ),
    ],
)
def test_what_is_neither_is_told(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attend(QUERY, KEY, VALUE, **given)
