"""Encoder, decoder and fitted decoder of the settings, each computed once."""

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.lab.decoding import decoding
from attnviz.lab.decoding.training import Fit
from attnviz.lesson.settings import DEFAULTS, Settings, without_looks
from attnviz.ui.kit.kept import kept

FITTED = ("sentence", "tokenizer", "d_model", "num_heads", "d_k", "d_v", "seed")


def encoder_decoder(settings: Settings, most: int) -> decoding.EncoderDecoder | None:
    """The three attentions over the first `most` tokens of each sentence; None for none."""
    return _encoder_decoder(without_looks(settings), most) if most else None


def growth(settings: Settings, mask: str, most: int) -> NDArray[np.float64]:
    """Changes of the earlier rows as the sentence grows to `most` tokens, under the mask "causal" or "none"."""
    return _growth(without_looks(settings), mask, most)


def first_tokens(settings: Settings, count: int) -> AttentionTrace:
    """Causal self-attention over the first `count` tokens of the sentence."""
    return _first_tokens(without_looks(settings), count)


def fitted_decoder(settings: Settings) -> Fit | None:
    """The decoder that has memorised the sentence; only the settings that it depends on are looked at."""
    return _fitted(DEFAULTS.put(**{name: settings[name] for name in FITTED}))


@kept
def _encoder_decoder(settings: Settings, most: int) -> decoding.EncoderDecoder | None:
    return decoding.encoder_decoder(settings, most)


@kept
def _growth(settings: Settings, mask: str, most: int) -> NDArray[np.float64]:
    return decoding.growth(settings, mask, most)


@kept
def _first_tokens(settings: Settings, count: int) -> AttentionTrace:
    return decoding.first_tokens(settings, count)


@kept
def _fitted(settings: Settings) -> Fit | None:
    return decoding.fitted_decoder(settings)
