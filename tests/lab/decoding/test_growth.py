"""A growing sentence: what changes in earlier rows, and a row in which all is masked by adding."""

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention, causal_mask, softmax
from attnviz.lab.decoding.growth import added_mask_weights, earlier_changes

N, D_MODEL = 6, 5


def outputs(masked: bool, **how: object) -> list[np.ndarray]:
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=3, d_k=2, d_v=4, seed=0)
    x = np.random.default_rng(2).normal(size=(N, D_MODEL))
    return [
        layer(x[:p], keep=causal_mask(p, p) if masked else None, **how).output  # type: ignore[arg-type]
        for p in range(1, N + 1)
    ]


@pytest.mark.parametrize("how", [{}, {"residual": True}, {"normalizer": "sparsemax"}, {"rotary": True}])
def test_under_the_causal_mask_no_earlier_row_changes(how: dict[str, object]) -> None:
    changes = earlier_changes(outputs(True, **how))
    assert np.nanmax(changes) <= 1e-14


def test_without_a_mask_every_earlier_row_changes() -> None:
    changes = earlier_changes(outputs(False))
    assert np.nanmin(changes) > 1e-3


def test_an_entry_is_the_largest_change_of_that_row_at_that_step() -> None:
    found = outputs(False)
    changes = earlier_changes(found)
    assert changes.shape == (N - 1, N - 1)
    for p in range(N - 1):
        for i in range(N - 1):
            if i > p:
                assert np.isnan(changes[i, p])
            else:
                assert changes[i, p] == np.abs(found[p + 1][i] - found[p][i]).max()


@pytest.mark.parametrize("few", [[], [np.zeros((1, 3))]])
def test_a_sentence_that_does_not_grow_has_no_changes(few: list[np.ndarray]) -> None:
    assert earlier_changes(few).shape == (0, 0)


def test_outputs_must_have_one_row_more_each_time() -> None:
    with pytest.raises(ValueError, match=r"outputs must have 1, 2, 3, ... rows; got \(3, 2\) as number 2"):
        earlier_changes([np.zeros((1, 2)), np.zeros((3, 2))])


def test_minus_infinity_added_everywhere_is_not_a_number() -> None:
    assert np.isnan(added_mask_weights(np.array([0.5, -1.0, 2.0]), -np.inf)).all()


def test_a_large_number_added_in_single_precision_leaves_equal_weights() -> None:
    weights = added_mask_weights(np.array([0.5, -1.0, 2.0], np.float32), -1e9)
    np.testing.assert_array_equal(weights, np.float32(1 / 3))


def test_a_large_number_added_in_double_precision_is_as_if_there_were_no_mask() -> None:
    scores = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(added_mask_weights(scores, -1e9), softmax(scores), rtol=0, atol=1e-6)
