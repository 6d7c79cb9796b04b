"""Weight presets: each defined for every size, and doing what its name says."""

import numpy as np
import pytest

from attnviz.core import WEIGHT_PRESETS, MultiHeadAttention, embed

SIZES = [(7, 3, 3, 5), (4, 2, 9, 1), (1, 1, 1, 1), (8, 2, 4, 4)]
TOKENS = ["the", "cat", "sat", "the"]
WITHOUT_W_O = ("folded", "three_linear")  # w_o[h] = identity, and so d_v = d_model
every_preset = pytest.mark.parametrize("name", WEIGHT_PRESETS)


@every_preset
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("d_model", "num_heads", "d_k", "d_v"), SIZES)
def test_every_preset_is_a_layer_of_the_sizes_asked_for(
    name: str, d_model: int, num_heads: int, d_k: int, d_v: int, bias: bool
) -> None:
    layer = WEIGHT_PRESETS[name](d_model, num_heads, d_k, d_v, 0, bias)
    expected_d_v = d_model if name in WITHOUT_W_O else d_v
    assert (layer.d_model, layer.num_heads, layer.d_k, layer.d_v) == (d_model, num_heads, d_k, expected_d_v)
    biases = {key for key in layer.parameters() if key.startswith("b")}
    assert {"b_q", "b_k", "b_v"} <= biases if bias else not biases


@every_preset
@pytest.mark.parametrize("bias", [False, True])
def test_the_same_settings_give_the_same_numbers(name: str, bias: bool) -> None:
    first, second = (WEIGHT_PRESETS[name](7, 3, 3, 5, 4, bias).parameters() for _ in range(2))
    assert first.keys() == second.keys()
    for key, array in first.items():
        np.testing.assert_array_equal(array, second[key])


@pytest.mark.parametrize("name", ["random", "integers"])
def test_raising_a_size_moves_no_entry_that_was_there_apart_from_the_factor(name: str) -> None:
    small, large = WEIGHT_PRESETS[name](7, 2, 3, 5, 4, True), WEIGHT_PRESETS[name](12, 4, 9, 10, 4, True)
    for key, array in small.parameters().items():
        corner = large.parameters()[key][tuple(slice(size) for size in array.shape)]
        factor = 1.0
        if name == "random":
            fan_in = {"o": (2 * 5, 4 * 10)}.get(key[-1], (7, 12))
            factor = float(np.sqrt(fan_in[1] / fan_in[0]))
        np.testing.assert_allclose(corner * factor, array, rtol=1e-14)


def test_raising_the_number_of_heads_leaves_the_other_heads_attention_alone() -> None:
    x = embed(TOKENS, 7, 0)
    few, many = (WEIGHT_PRESETS["random"](7, heads, 3, 5, 4, False)(x) for heads in (2, 5))
    np.testing.assert_array_equal(many.weights[:2], few.weights)
    np.testing.assert_array_equal(many.head_outputs[:2], few.head_outputs)


def test_random_entries_have_the_variance_one_over_fan_in() -> None:
    """Within four standard errors sqrt(2/N) of the variance of N normal numbers."""
    layer = WEIGHT_PRESETS["random"](64, 3, 40, 50, 0, True)
    for key, fan_in in {"w_q": 64, "w_k": 64, "w_v": 64, "w_o": 150, "b_q": 64, "b_o": 150}.items():
        array = layer.parameters()[key]
        assert abs((array * np.sqrt(fan_in)).var() - 1.0) <= 4.0 * np.sqrt(2.0 / array.size)


def test_integers_are_minus_one_zero_and_one() -> None:
    for array in WEIGHT_PRESETS["integers"](9, 3, 4, 5, 0, True).parameters().values():
        assert set(np.unique(array)) <= {-1.0, 0.0, 1.0}


def test_identity_keeps_the_coordinates_of_each_head_modulo_d_model() -> None:
    x = embed(TOKENS, 7, 0)
    trace = WEIGHT_PRESETS["identity"](7, 3, 3, 5, 0, False)(x)
    for h in range(3):
        compared = [(h * 3 + c) % 7 for c in range(3)]
        np.testing.assert_array_equal(trace.query[h], x[:, compared])
        np.testing.assert_array_equal(trace.key[h], x[:, compared])
        carried = [(h * 5 + c) % 7 for c in range(5)]
        np.testing.assert_array_equal(trace.value[h], x[:, carried])
        np.testing.assert_array_equal(trace.contributions[h][:, carried], trace.head_outputs[h])
        others = [c for c in range(7) if c not in carried]
        assert not trace.contributions[h][:, others].any()


def test_with_similarity_equal_words_get_equal_weights_and_the_likest_word_the_largest() -> None:
    x = np.array([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [3.0, 0.1, 0.0], [3.0, 0.0, 0.0]])
    weights = WEIGHT_PRESETS["similarity"](3, 2, 3, 4, 0, False)(x).weights
    np.testing.assert_array_equal(weights[0], weights[1])
    np.testing.assert_allclose(weights[0, :, 0], weights[0, :, 3], rtol=1e-15)
    assert weights[0, 0, 0] > weights[0, 0, 1]


def test_folded_is_the_random_layer_with_w_o_folded_into_w_v() -> None:
    x = embed(TOKENS, 7, 0)
    general, folded = (WEIGHT_PRESETS[name](7, 3, 3, 5, 4, True) for name in ("random", "folded"))
    assert folded.d_v == 7
    np.testing.assert_array_equal(folded.w_o, np.stack([np.eye(7)] * 3))
    np.testing.assert_allclose(folded(x).output, general(x).output, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("bias", [False, True])
def test_three_linear_layers_are_drawn_as_in_pytorch_and_have_no_output_layer(bias: bool) -> None:
    layer = WEIGHT_PRESETS["three_linear"](64, 1, 64, 64, 0, bias)
    for key, array in layer.parameters().items():
        if key != "w_o":
            assert np.abs(array).max() <= 1.0 / np.sqrt(64)
    x = embed(TOKENS, 64, 0, "uniform")
    trace = layer(x, scale="sqrt_d_model")
    np.testing.assert_array_equal(trace.output, trace.head_outputs[0])
    np.testing.assert_array_equal(trace.weights, layer(x, scale="sqrt_d_k").weights)


def test_a_preset_is_made_of_the_public_layer() -> None:
    layer = WEIGHT_PRESETS["random"](7, 3, 3, 5, 4, True)
    expected = MultiHeadAttention.random(d_model=7, num_heads=3, d_k=3, d_v=5, seed=4, bias=True)
    for key, array in expected.parameters().items():
        np.testing.assert_array_equal(layer.parameters()[key], array)
