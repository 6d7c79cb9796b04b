"""Scale, softcap, ALiBi and rotary positions."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    alibi_bias,
    alibi_slopes,
    attend,
    causal_mask,
    divisor,
    rotate,
    rotate_by,
    soft_capped,
)

N, M, H, D_V = 5, 7, 3, 4
GENERATOR = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("scale", "score", "expected"),
    [
        ("auto", "dot", 3.0),
        ("auto", "general", 3.0),
        ("auto", "additive", 1.0),
        ("auto", "cosine", 1.0),
        ("auto", "gaussian", 1.0),
        ("sqrt_d_k", "cosine", 3.0),
        ("none", "dot", 1.0),
        ("sqrt_d_model", "dot", 4.0),
        (2.5, "dot", 2.5),
        (np.float32(0.5), "dot", 0.5),
    ],
)
def test_the_scale_by_name_is_a_divisor(scale: Any, score: str, expected: float) -> None:
    assert divisor(scale, score=score, d_k=9, d_model=16) == expected


def test_sqrt_d_model_is_sqrt_d_k_for_one_head_that_is_as_wide_as_the_model() -> None:
    assert (
        divisor("sqrt_d_model", score="dot", d_k=64, d_model=64)
        == divisor("auto", score="dot", d_k=64)
        == 8.0
    )


@pytest.mark.parametrize("scale", ["x", 0, -1.0, np.inf, np.nan, None, "sqrt_d_model"])
def test_another_scale_is_refused_and_so_is_d_model_where_there_is_none(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale must be one of auto, sqrt_d_k, none or a positive"):
        divisor(scale, score="dot", d_k=9)
    if scale != "sqrt_d_model":
        with pytest.raises(ValueError, match="one of auto, sqrt_d_k, none, sqrt_d_model or a positive"):
            divisor(scale, score="dot", d_k=9, d_model=16)


def test_a_softcap_is_nearly_the_identity_for_small_scores_and_never_passed() -> None:
    scores = np.array([-1e9, -0.01, 0.0, 0.01, 1e9])
    np.testing.assert_allclose(soft_capped(scores, 5.0), [-5.0, -0.01, 0.0, 0.01, 5.0], rtol=0.0, atol=1e-7)


def test_alibi_slopes_are_those_of_the_paper() -> None:
    """Press et al. 2022: for 8 heads 1/2, 1/4, ..., 1/256; for 16 heads 1/sqrt(2), 1/2, ..."""
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    np.testing.assert_allclose(alibi_slopes(16), [2.0 ** (-h / 2) for h in range(1, 17)], rtol=1e-15)


def test_alibi_lowers_a_score_by_slope_times_distance() -> None:
    bias = alibi_bias(H, N, M)
    for h in range(H):
        for i in range(N):
            for j in range(M):
                assert bias[h, i, j] == -(2.0 ** (-8.0 * (h + 1) / H)) * abs(i - j)
    assert not np.signbit(bias[bias == 0.0]).any()


def test_both_forms_of_alibi_give_the_same_weights_under_a_causal_mask_and_only_there() -> None:
    query, key, value = (GENERATOR.standard_normal((H, N, D_V)) for _ in range(3))
    both = [alibi_bias(H, N, N, causal=causal) for causal in (False, True)]
    hidden = [attend(query, key, value, bias=bias, keep=causal_mask(N, N)).weights for bias in both]
    seen = [attend(query, key, value, bias=bias).weights for bias in both]
    np.testing.assert_allclose(hidden[0], hidden[1], rtol=0.0, atol=1e-15)
    assert np.abs(seen[0] - seen[1]).max() > 0.01


@pytest.mark.parametrize("pairs", ["adjacent", "halves"])
@pytest.mark.parametrize("d_k", [2, 6, 7])
def test_after_rotation_a_product_depends_on_the_distance_of_the_positions_only(d_k: int, pairs: str) -> None:
    """Su et al. 2021."""
    query, key = GENERATOR.standard_normal((2, 1, d_k))

    def product(i: int, j: int) -> float:
        return float((rotate(query, [i], pairs=pairs) @ rotate(key, [j], pairs=pairs).T)[0, 0])

    assert product(0, 3) == pytest.approx(product(40, 43), rel=0.0, abs=1e-12)
    assert product(0, 0) == pytest.approx(float((query @ key.T)[0, 0]), rel=0.0, abs=1e-12)
    assert product(0, 3) != pytest.approx(product(0, 4), rel=0.0, abs=1e-3)


def test_a_rotation_turns_the_pair_c_by_the_position_times_its_frequency() -> None:
    turned = rotate([[1.0, 0.0, 1.0, 0.0]], [3], base=100.0)
    expected = [np.cos(3.0), np.sin(3.0), np.cos(3.0 / 10.0), np.sin(3.0 / 10.0)]
    np.testing.assert_allclose(turned[0], expected, rtol=0.0, atol=1e-15)


def test_a_rotation_keeps_lengths_and_the_first_position_and_an_odd_last_coordinate() -> None:
    x = GENERATOR.standard_normal((H, N, 7))
    turned = rotate(x, np.arange(N))
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-14)
    np.testing.assert_array_equal(turned[:, 0], x[:, 0])
    np.testing.assert_array_equal(turned[..., 6], x[..., 6])


def test_one_coordinate_has_nothing_to_turn() -> None:
    x = GENERATOR.standard_normal((N, 1))
    np.testing.assert_array_equal(rotate(x, np.arange(N)), x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_rotation_keeps_the_type_and_leaves_its_argument_alone(dtype: Any) -> None:
    x = GENERATOR.standard_normal((N, 6)).astype(dtype)
    before = x.copy()
    assert rotate(x, np.arange(N)).dtype == dtype
    np.testing.assert_array_equal(x, before)


def test_an_unknown_pairing_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs must be 'adjacent' or 'halves'; got 'x'"):
        rotate_by(np.ones((2, 4)), np.ones((2, 2)), np.ones((2, 2)), pairs="x")
