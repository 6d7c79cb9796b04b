"""Encoder and decoder of a setting, the growing sentence and the fitted decoder."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from attnviz.lab.decoding import decoding
from attnviz.lab.decoding.decoding import LIMIT_FITTED
from attnviz.lesson.lesson import call_arguments, make_lesson
from attnviz.lesson.settings import DEFAULTS
from attnviz.text import tokenize

ODD = replace(DEFAULTS, sentence="the cat sat on the mat", d_model=7, num_heads=3, d_k=2, d_v=5)  # n = 6
CROSS = replace(ODD, source="a dog sleeps here")  # m = 4


def test_the_three_attentions_have_the_shapes_of_figure_1() -> None:
    """Vaswani et al. 2017."""
    three = decoding.encoder_decoder(CROSS)
    assert three is not None
    assert three.encoder.weights.shape == (3, 4, 4)
    assert three.decoder.weights.shape == (3, 6, 6)
    assert three.cross.weights.shape == (3, 6, 4)
    assert three.cross.output.shape == (6, 7)


def test_source_target_attention_reads_the_decoder_and_the_encoder() -> None:
    three = decoding.encoder_decoder(CROSS)
    assert three is not None
    np.testing.assert_array_equal(three.cross.x, three.decoder.output)
    np.testing.assert_array_equal(three.cross.x_source, three.encoder.output)


def test_only_the_decoder_is_masked_and_it_is_causal() -> None:
    three = decoding.encoder_decoder(CROSS)
    assert three is not None
    assert three.encoder.keep is None
    assert three.cross.keep is None
    assert not np.triu(three.decoder.weights, 1).any()


def test_each_of_the_three_has_weights_of_its_own() -> None:
    three = decoding.encoder_decoder(replace(ODD, source=ODD.sentence))
    assert three is not None
    layers = [trace.layer.w_q for trace in (three.encoder, three.decoder, three.cross)]
    assert all(np.abs(a - b).max() > 0.1 for a, b in pairwise(layers))


def test_the_source_does_not_change_with_the_decoder_s_sentence() -> None:
    one, other = (decoding.encoder_decoder(replace(CROSS, sentence=text)) for text in ("go", "stop it"))
    assert one is not None and other is not None
    np.testing.assert_array_equal(one.encoder.output, other.encoder.output)


@pytest.mark.parametrize("blank", ["", " ", "\u200b"])
def test_without_a_token_there_is_no_encoder_and_decoder(blank: str) -> None:
    assert decoding.encoder_decoder(replace(CROSS, source=blank)) is None
    assert decoding.encoder_decoder(replace(CROSS, sentence=blank)) is None


@pytest.mark.parametrize("sentence", ["I have a pen.", "私はペンを持っています。", "go"])
def test_a_blank_source_gets_an_example_that_is_another_sentence(sentence: str) -> None:
    found = decoding.with_source(replace(ODD, sentence=sentence))
    assert found.source.strip()
    assert found.source != sentence
    assert decoding.with_source(CROSS) == CROSS


def test_the_first_tokens_are_the_lesson_of_the_shorter_sentence_under_the_causal_mask() -> None:
    shorter = make_lesson(replace(ODD, sentence="the cat sat", mask="causal", source=""))
    assert shorter is not None
    found = decoding.first_tokens(CROSS, 3)
    np.testing.assert_allclose(found.output, shorter.trace.output, rtol=0, atol=1e-14)


def test_growth_is_nothing_under_the_causal_mask_and_something_without() -> None:
    causal, free = decoding.growth(CROSS, "causal"), decoding.growth(CROSS, "none")
    assert causal.shape == free.shape == (5, 5)
    assert np.nanmax(causal) <= 1e-14
    assert np.nanmin(free) > 1e-4


def test_growth_stops_at_the_first_tokens_of_a_long_sentence() -> None:
    long = replace(ODD, sentence=" ".join(f"w{i}" for i in range(99)))
    assert decoding.growth(long, "none").shape == (LIMIT_FITTED - 1, LIMIT_FITTED - 1)


@pytest.mark.parametrize("sentence", [DEFAULTS.sentence, "the cat saw the dog and the dog saw the cat"])
def test_the_fitted_decoder_goes_on_as_the_sentence_does(sentence: str) -> None:
    fitted = decoding.fitted_decoder(replace(DEFAULTS, sentence=sentence))
    tokens = tokenize(sentence).tokens
    assert fitted is not None
    assert fitted.memorised
    assert fitted.decoder.generate(tokens[:1]) == tokens


def test_the_fit_is_bounded_in_tokens_and_sizes() -> None:
    large = replace(ODD, sentence="a b " * 40, d_model=256, num_heads=16, d_k=128, d_v=64)
    assert decoding.fitted_sizes(large) == {"d_model": 128, "num_heads": 8, "d_k": 32, "d_v": 32}
    fitted = decoding.fitted_decoder(large)
    assert fitted is not None
    assert len(fitted.tokens) == LIMIT_FITTED
    assert fitted.decoder.table.shape[1] == 128


@pytest.mark.parametrize("sentence", ["", "solo"])
def test_a_sentence_without_a_next_word_cannot_be_fitted(sentence: str) -> None:
    assert decoding.fitted_decoder(replace(DEFAULTS, sentence=sentence)) is None


def test_a_drawn_mask_is_the_mask_of_the_lesson() -> None:
    lesson = make_lesson(replace(CROSS, mask="drawn", drawn="1011.0000"))
    assert lesson is not None
    expected = np.ones((6, 4), bool)
    expected[0, 1] = expected[1] = False
    np.testing.assert_array_equal(call_arguments(lesson.settings, 6, 4)["keep"], expected)
    assert not lesson.trace.weights[:, ~expected].any()
    assert lesson.trace.empty_rows[:, 1].all()
