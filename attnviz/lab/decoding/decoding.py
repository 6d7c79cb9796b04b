"""Encoder and decoder of a setting: three kinds of attention, a growing sentence, a tiny decoder fitted to it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.lab.decoding.growth import earlier_changes
from attnviz.lab.decoding.training import Fit, fit
from attnviz.lesson.lesson import call_arguments, embedded, make_layer
from attnviz.lesson.settings import Settings
from attnviz.text import Tokens, tokenize

LIMIT_FITTED = 32  # tokens of a sentence that a tiny decoder is fitted to
LIMIT_PAIR = 64  # tokens of each of two sentences
SEEDS = 1_000_000
# Sizes up to which fitting a decoder takes about a second.
LIMIT_D_MODEL, LIMIT_HEADS, LIMIT_HEAD_SIZE = 128, 8, 32

EXAMPLE_SOURCES = ("私はペンを持っています。", "I have a pen.")


@dataclass(frozen=True, eq=False)
class EncoderDecoder:
    """The three attentions of a Transformer (Vaswani et al. 2017, figure 1), one layer each.

    encoder: the source looks at itself; decoder: the sentence looks at itself, causal; cross: the
    decoder's rows look at the encoder's. Feed-forward layers and layer norms are left out, the residuals are in.
    """

    source: Tokens
    tokens: Tokens
    encoder: AttentionTrace  # (H, m, m)
    decoder: AttentionTrace  # (H, n, n)
    cross: AttentionTrace  # (H, n, m)


def with_source(settings: Settings) -> Settings:
    """The settings with an example as source where the reader gave none."""
    if settings.source.strip():
        return settings
    example = next(text for text in EXAMPLE_SOURCES if text != settings.sentence)
    return replace(settings, source=example)


def encoder_decoder(settings: Settings, most: int = LIMIT_PAIR) -> EncoderDecoder | None:
    """The three attentions over the first `most` tokens of each sentence, each with a layer of its own.

    None where a sentence has no token.
    """
    source = tokenize(settings.source, settings.tokenizer, most)
    tokens = tokenize(settings.sentence, settings.tokenizer, most)
    n, m = len(tokens.tokens), len(source.tokens)
    if not n or not m:
        return None
    free, causal = replace(settings, mask="none"), replace(settings, mask="causal")
    layers = [make_layer(replace(settings, seed=(settings.seed + k) % SEEDS)) for k in range(3)]
    x, x_source = embedded(settings, tokens), embedded(settings, source)
    encoder = layers[1](x_source, **(call_arguments(free, m, m) | {"residual": True}))
    decoder = layers[2](x, **(call_arguments(causal, n, n) | {"residual": True}))
    arguments = call_arguments(free, n, m) | {"residual": True}
    cross = layers[0](decoder.output, encoder.output, **arguments)
    return EncoderDecoder(source, tokens, encoder, decoder, cross)


def first_tokens(settings: Settings, count: int) -> AttentionTrace:
    """Causal self-attention over the first `count` tokens of the sentence, fewer where it has fewer."""
    tokens = tokenize(settings.sentence, settings.tokenizer, count)
    return _attend(replace(settings, mask="causal"), embedded(settings, tokens))


def growth(settings: Settings, mask: str, most: int = LIMIT_FITTED) -> NDArray[np.float64]:
    """Changes of the earlier rows as the sentence, its first `most` tokens, grows by one token at a time.

    mask is "causal" or "none"; shape and entries are those of growth.earlier_changes.
    """
    x = embedded(settings, tokenize(settings.sentence, settings.tokenizer, most))  # (n, d_model)
    # One layer and one set of score matrices for all prefixes: drawing them is what takes the time.
    layer, n = make_layer(settings), len(x)
    arguments = call_arguments(replace(settings, mask=mask), n, n)
    return earlier_changes([layer(x[:p], **_first(arguments, p)).output for p in range(1, n + 1)])


def _first(arguments: dict[str, Any], p: int) -> dict[str, Any]:
    """The arguments of a layer for the first `p` tokens of as many queries and keys."""
    pairs = ("keep", "bias")
    return arguments | {
        name: arguments[name][..., :p, :p] for name in pairs if arguments.get(name) is not None
    }


def _attend(settings: Settings, x: NDArray[np.float64]) -> AttentionTrace:
    return make_layer(settings)(x, **call_arguments(settings, len(x), len(x)))


def fitted_sizes(settings: Settings) -> dict[str, int]:
    """The sizes of the decoder that is fitted: those of the settings, within the limits of about a second."""
    return {
        "d_model": min(settings.d_model, LIMIT_D_MODEL),
        "num_heads": min(settings.num_heads, LIMIT_HEADS),
        "d_k": min(settings.d_k, LIMIT_HEAD_SIZE),
        "d_v": min(settings.d_v, LIMIT_HEAD_SIZE),
    }


def fitted_decoder(settings: Settings) -> Fit | None:
    """A tiny decoder fitted to the first tokens of the sentence; None where there are fewer than two."""
    tokens = tokenize(settings.sentence, settings.tokenizer, LIMIT_FITTED).tokens
    return fit(tokens, seed=settings.seed, **fitted_sizes(settings)) if len(tokens) >= 2 else None
