"""The reader's sentence against d_k: the weights are those of a layer of that d_k, asked the ordinary way."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnviz.core.attention import attend
from attnviz.core.embedding import embed
from attnviz.core.layer import MultiHeadAttention
from attnviz.lesson.settings import DEFAULTS, Settings
from attnviz.ui.lessons.scaling.sentence import (
    FIXED,
    HARD,
    MOST_HEADS,
    MOST_TOKENS,
    SWEEP,
    SentenceSweep,
    differences,
    numbers_only,
    sentence_sweep,
)

SELF = replace(
    DEFAULTS, sentence="the cat sat on the mat", d_model=7, num_heads=3, d_v=5, seed=4
)  # n = m = 6
CROSS = replace(SELF, source="a dog sleeps here")  # m = 4
each_kind = pytest.mark.parametrize("settings", [SELF, CROSS], ids=["self", "cross"])


def sweep(settings: Settings) -> SentenceSweep:
    found = sentence_sweep(settings)
    assert found is not None
    return found


@each_kind
@pytest.mark.parametrize("d_k", [1, 6, 64, 512])
def test_the_weights_are_those_of_a_random_layer_of_that_d_k(settings: Settings, d_k: int) -> None:
    found = sweep(settings)
    layer = MultiHeadAttention.random(d_model=7, num_heads=3, d_k=d_k, d_v=2, seed=4)
    x = embed(found.tokens, 7, 4, "standardised")  # (n, 7)
    x_source = embed(found.source, 7, 4, "standardised")  # (m, 7)
    place = found.d_k.index(d_k)
    for scale, weights in ((math.sqrt(d_k), found.scaled), (1.0, found.unscaled)):
        trace = layer(x, x_source, score="dot", scale=scale)
        np.testing.assert_allclose(weights[place], trace.weights, atol=1e-12)


@each_kind
def test_at_d_k_1_both_are_the_same_and_every_row_sums_to_1(settings: Settings) -> None:
    found = sweep(settings)
    np.testing.assert_array_equal(found.scaled[0], found.unscaled[0])
    for weights in (found.scaled, found.unscaled):
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0)


def test_with_the_scale_the_weights_are_attention_s_own() -> None:
    # The paper's formula on vectors of our own: score dot, scale "auto".
    found = sweep(SELF)
    layer = MultiHeadAttention.random(d_model=7, num_heads=3, d_k=8, d_v=2, seed=4)
    x = embed(found.tokens, 7, 4, "standardised")
    expected = attend(x @ layer.w_q, x @ layer.w_k, x @ layer.w_v).weights
    np.testing.assert_allclose(found.scaled[found.d_k.index(8)], expected, atol=1e-12)


def test_components_of_a_query_have_variance_1_over_seeds() -> None:
    # 200 seeds x 512 components, each N(0, 1): the mean square has the standard error sqrt(2 / (200 * 512)).
    squares = []
    for seed in range(200):
        x = embed(("pen",), 7, seed, "standardised")
        layer = MultiHeadAttention.random(d_model=7, num_heads=1, d_k=512, d_v=1, seed=seed)
        squares.append(float(((x @ layer.w_q) ** 2).mean()))
    assert abs(np.mean(squares) - 1.0) <= 4.0 * math.sqrt(2.0 / (200 * 512))


@pytest.mark.parametrize("d_k", [5, 4])
def test_the_chosen_d_k_is_among_those_measured_and_moves_no_other(d_k: int) -> None:
    found, plain = sweep(replace(SELF, d_k=d_k)), sweep(SELF)
    assert set(found.d_k) == {*SWEEP, d_k}
    for place, size in enumerate(plain.d_k):
        np.testing.assert_array_equal(found.unscaled[found.d_k.index(size)], plain.unscaled[place])


def test_what_is_beyond_the_picture_is_left_out_and_counted() -> None:
    settings = replace(SELF, sentence="a b c d " * 60, num_heads=16, source="x y")
    found = sweep(settings)
    assert found.scaled.shape[1:] == (MOST_HEADS, MOST_TOKENS, 2)
    assert (found.num_heads, len(found.tokens), len(found.source)) == (16, 240, 2)
    assert found.capped
    assert not sweep(SELF).capped
    shown = sweep(replace(settings, sentence="a b c d " * 4, num_heads=MOST_HEADS))
    np.testing.assert_array_equal(found.scaled, shown.scaled)


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_sentence_without_a_token_has_no_sweep(blank: str) -> None:
    assert sentence_sweep(replace(SELF, sentence=blank)) is None


@pytest.mark.parametrize("values", [{"d_model": 1}, {"sentence": "same same same"}, {"sentence": "one"}])
def test_where_all_keys_are_alike_the_weights_are_equal_at_every_d_k(values: dict[str, Any]) -> None:
    found = sweep(SELF.put(**values))
    np.testing.assert_allclose(found.unscaled, 1.0 / found.unscaled.shape[-1])


def test_largest_and_hard_count_over_all_rows_shown() -> None:
    found = sweep(SELF)
    for scaled, weights in ((True, found.scaled), (False, found.unscaled)):
        for place in range(len(found.d_k)):
            rows = weights[place].reshape(-1, weights.shape[-1])
            assert found.largest(scaled)[place] == pytest.approx(rows.max(axis=1).mean())
            assert found.hard(scaled)[place] == sum(row.max() > HARD for row in rows)
    assert found.rows == 3 * 6


OTHERWISE: dict[str, Any] = {
    "score": "cosine", "preset": "integers", "embedding": "normal", "position": "sinusoidal", "rotary": True,
    "mask": "causal", "temperature": 2.0, "softcap": 1.0, "bias_kind": "alibi", "normalizer": "sparsemax",
    "bias": True,
}  # fmt: skip


def test_every_setting_that_is_fixed_is_named_where_the_playground_differs() -> None:
    assert OTHERWISE.keys() == FIXED.keys()
    assert differences(DEFAULTS.put(**FIXED)) == ()
    for name, value in OTHERWISE.items():
        assert differences(DEFAULTS.put(**(FIXED | {name: value}))) == (name,)
    assert differences(DEFAULTS) == ("embedding",)


def test_what_the_playground_has_otherwise_changes_no_number() -> None:
    plain = sweep(SELF)
    for name, value in OTHERWISE.items():
        np.testing.assert_array_equal(sweep(SELF.put(**{name: value})).scaled, plain.scaled)


def test_the_cache_s_key_keeps_what_matters_and_drops_the_rest() -> None:
    other = CROSS.put(draws=500, notation="columns", language="ja", **OTHERWISE)
    assert numbers_only(other) == numbers_only(CROSS)
    np.testing.assert_array_equal(sweep(numbers_only(CROSS)).unscaled, sweep(CROSS).unscaled)
    for name, value in {
        "sentence": "b",
        "source": "b",
        "d_model": 8,
        "num_heads": 2,
        "d_k": 9,
        "seed": 1,
    }.items():
        assert numbers_only(CROSS.put(**{name: value})) != numbers_only(CROSS)
