"""What is the same layer written in another way: rotated, folded, composed."""

from typing import Any

import numpy as np

from attnviz.core import MultiHeadAttention, attend, rotate
from tests.core.layers import D_K, D_MODEL, D_V, GENERATOR, SOURCE, H, M, N, X, layer


def test_rotary_turns_query_and_key_by_their_positions() -> None:
    plain, turned = layer()(X, SOURCE), layer()(X, SOURCE, rotary=True)
    np.testing.assert_array_equal(turned.query, rotate(plain.query, np.arange(N)))
    np.testing.assert_array_equal(turned.key, rotate(plain.key, np.arange(M)))
    np.testing.assert_array_equal(turned.value, plain.value)


def test_with_rotary_positions_moving_all_tokens_changes_no_weight() -> None:
    own = layer()
    query, key = (rotate(part, np.arange(N) + 9) for part in (own(X).query, own(X).key))
    weights = attend(query, key, own(X).value).weights
    np.testing.assert_allclose(weights, own(X, rotary=True).weights, rtol=0.0, atol=1e-12)


def test_sqrt_d_model_is_flatter_than_sqrt_d_k_unless_one_head_is_as_wide_as_the_model() -> None:
    narrow = layer(d_model=64, d_k=4)
    x = GENERATOR.standard_normal((N, 64))
    by_model, by_head = (narrow(x, scale=scale) for scale in ("sqrt_d_model", "sqrt_d_k"))
    assert (by_model.scale, by_head.scale) == (8.0, 2.0)
    assert by_model.weights.max() < by_head.weights.max()
    wide = layer(d_model=64, num_heads=1, d_k=64, d_v=64)
    np.testing.assert_array_equal(wide(x, scale="sqrt_d_model").weights, wide(x, scale="sqrt_d_k").weights)


def test_the_form_of_mathematics_papers_is_the_general_form() -> None:
    """X + sum_h Softmax[(X W_h^Q) (X W_h^K)^T] X W_h^V, with W^O folded in, written with none of our functions."""
    own = layer()
    folded = own.folded()
    assert (folded.d_v, folded.num_heads, folded.d_k) == (D_MODEL, H, D_K)
    np.testing.assert_array_equal(folded.w_o, np.stack([np.eye(D_MODEL)] * H))
    expected = X.copy()
    for h in range(H):
        exponentials = np.exp((X @ own.w_q[h]) @ (X @ own.w_k[h]).T)
        expected += exponentials / exponentials.sum(axis=1, keepdims=True) @ X @ own.w_v[h] @ own.w_o[h]
    settings: dict[str, Any] = {"scale": "none", "residual": True}
    np.testing.assert_allclose(folded(X, **settings).output, expected, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(folded(X, **settings).output, own(X, **settings).output, rtol=0.0, atol=1e-12)


def test_folding_keeps_the_output_of_a_layer_with_biases() -> None:
    own = layer(True)
    np.testing.assert_allclose(own.folded()(X, SOURCE).output, own(X, SOURCE).output, rtol=0.0, atol=1e-12)


def test_a_linear_map_of_x_followed_by_w_q_is_one_matrix() -> None:
    """Composition: (E W^X) W^QX = E (W^X W^QX), the same for key and value."""
    own, w_x = layer(), GENERATOR.standard_normal((9, D_MODEL))
    embedded = GENERATOR.standard_normal((N, 9))
    composed = MultiHeadAttention(
        w_x @ own.w_q, w_x @ own.w_k, w_x @ own.w_v, GENERATOR.standard_normal((H, D_V, 9))
    )
    two_steps, one_step = own(embedded @ w_x), composed(embedded)
    for step in ("query", "key", "value", "scores", "weights", "head_outputs"):
        np.testing.assert_allclose(getattr(one_step, step), getattr(two_steps, step), rtol=0.0, atol=1e-11)
