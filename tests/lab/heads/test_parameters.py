"""Counts against published figures, and against the shapes of real layers."""

import numpy as np
import pytest

from attnviz.lab.heads import parameters
from attnviz.lab.heads.parameters import MODELS, ParameterCount


@pytest.mark.parametrize(
    ("d_v", "bias", "expected"), [(64, False, 1_048_576), (64, True, 1_050_624), (32, True, 788_224)]
)
def test_attention_of_512_with_8_heads_counts_as_published(d_v: int, bias: bool, expected: int) -> None:
    assert parameters.attention_parameters(512, 8, 64, d_v, bias=bias).total == expected


def test_encoder_and_decoder_layer_of_the_base_transformer_count_as_published() -> None:
    assert parameters.encoder_layer_parameters(512, 8, 2048).total == 3_152_384
    assert parameters.decoder_layer_parameters(512, 8, 2048).total == 4_204_032


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt2_small", 124_439_808),
        ("gpt2_medium", 354_823_168),
        ("gpt2_large", 774_030_080),
        ("gpt2_xl", 1_557_611_200),
        ("bert_base", 109_482_240),
        ("bert_large", 335_141_888),
        ("gpt3", 174_604_259_328),
    ],
)
def test_a_model_whose_vocabulary_is_known_counts_exactly(name: str, expected: int) -> None:
    assert MODELS[name].count().total == expected


@pytest.mark.parametrize("name", MODELS)
def test_the_published_figure_is_met_within_four_percent(name: str) -> None:
    model = MODELS[name]
    assert model.count().total == pytest.approx(model.published, rel=0.04)
    assert model.source and model.name


def test_attention_of_gpt_2_small_and_of_one_layer_of_gpt_3_count_as_published() -> None:
    gpt3 = MODELS["gpt3"]
    assert MODELS["gpt2_small"].count().attention == 28_348_416
    assert gpt3.count().attention == 96 * 604_028_928
    assert (
        parameters.attention_parameters(gpt3.d_model, gpt3.num_heads, gpt3.d_k, gpt3.d_k, bias=False).total
        == 603_979_776
    )


@pytest.mark.parametrize("num_heads", [1, 2, 3, 4, 6, 12])
def test_with_heads_that_share_d_model_the_count_does_not_depend_on_their_number(num_heads: int) -> None:
    d_k = parameters.head_size(12, num_heads)
    assert parameters.attention_parameters(12, num_heads, d_k, d_k, bias=False).total == 4 * 12**2


@pytest.mark.parametrize("bias", [False, True])
def test_the_attention_count_is_the_size_of_its_arrays(bias: bool) -> None:
    d_model, num_heads, d_k, d_v = 7, 3, 4, 5
    shapes = {
        "query": [(num_heads, d_model, d_k), (num_heads, d_k)],
        "key": [(num_heads, d_model, d_k), (num_heads, d_k)],
        "value": [(num_heads, d_model, d_v), (num_heads, d_v)],
        "output": [(num_heads, d_v, d_model), (d_model,)],
    }
    count = parameters.attention_parameters(d_model, num_heads, d_k, d_v, bias=bias).parts()
    for name, (weight, offset) in shapes.items():
        assert count[name] == np.prod(weight) + bias * np.prod(offset)


@pytest.mark.parametrize("bias", [False, True])
def test_torch_has_as_many_parameters(bias: bool) -> None:
    torch = pytest.importorskip("torch")
    attention = torch.nn.MultiheadAttention(12, 3, bias=bias)
    encoder = torch.nn.TransformerEncoderLayer(12, 3, 20)
    decoder = torch.nn.TransformerDecoderLayer(12, 3, 20)
    ours = [
        parameters.attention_parameters(12, 3, 4, 4, bias=bias),
        parameters.encoder_layer_parameters(12, 3, 20),
        parameters.decoder_layer_parameters(12, 3, 20),
    ]
    theirs = [sum(p.numel() for p in layer.parameters()) for layer in (attention, encoder, decoder)]
    assert [count.total for count in ours] == theirs


def test_counts_add_and_repeat_part_by_part() -> None:
    first, second = ParameterCount(query=2, norms=3), ParameterCount(query=5, other=7)
    assert first + second * 2 == ParameterCount(query=12, norms=3, other=14)
    assert (first + second * 2).total == 29


def test_a_layer_with_free_head_sizes_needs_no_divisible_d_model() -> None:
    layer = parameters.decoder_layer_parameters(10, 3, 11, d_k=8, d_v=64, bias=False)
    assert layer.attention == 2 * (2 * 3 * 10 * 8 + 2 * 3 * 10 * 64)
    with pytest.raises(ValueError, match="multiple of num_heads=3"):
        parameters.decoder_layer_parameters(10, 3, 11)


def test_a_size_below_one_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="d_v must be at least 1; got 0"):
        parameters.attention_parameters(4, 2, 3, 0)
    with pytest.raises(ValueError, match="positions must be 0 or more; got -1"):
        parameters.embedding_parameters(4, 10, -1)
