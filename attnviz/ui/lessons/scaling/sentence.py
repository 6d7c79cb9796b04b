"""The reader's own sentence as d_k grows from 1 to 512: its weights with the scale and without."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.embedding import embed
from attnviz.core.normalizers import softmax
from attnviz.lesson.lesson import embedding_kind, make_layer
from attnviz.lesson.settings import DEFAULTS, LIMIT_TOKENS, Settings
from attnviz.text import Tokens, tokenize

# Nearly equal steps on a logarithmic scale, all of them round numbers.
SWEEP = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
# What keeps 19 frames of two maps a head under a quarter of a megabyte, and a cell larger than a speck.
MOST_HEADS, MOST_TOKENS = 4, 16
HARD = 0.99

# The settings that this page fixes, with what it fixes them to.
FIXED: dict[str, Any] = {
    "score": "dot",
    "preset": "random",
    "embedding": "standardised",
    "position": "none",
    "rotary": False,
    "mask": "none",
    "temperature": 1.0,
    "softcap": 0.0,
    "bias_kind": "none",
    "normalizer": "softmax",
    "bias": False,
}


@dataclass(frozen=True, eq=False)
class SentenceSweep:
    """The weights of the tokens shown at every d_k: scaled and unscaled, shape (d_k, H, n, m).

    tokens and source are all there are, of which the first n and m are shown; likewise the heads.
    """

    tokens: tuple[str, ...]
    source: tuple[str, ...]
    num_heads: int
    d_k: tuple[int, ...]
    scaled: NDArray[np.floating]
    unscaled: NDArray[np.floating]

    @property
    def capped(self) -> bool:
        """Whether there are more heads or tokens than are shown."""
        return (self.num_heads, len(self.tokens), len(self.source)) != self.scaled.shape[1:]

    def largest(self, scaled: bool) -> NDArray[np.floating]:
        """The largest weight of a row, the mean over all rows shown, shape (d_k,)."""
        return np.asarray(self._weights(scaled).max(axis=-1).mean(axis=(1, 2)))

    def hard(self, scaled: bool) -> NDArray[np.integer]:
        """How many rows give more than HARD to one token, shape (d_k,)."""
        return np.asarray((self._weights(scaled).max(axis=-1) > HARD).sum(axis=(1, 2)))

    @property
    def rows(self) -> int:
        """How many rows of weights are shown at one d_k."""
        return int(self.scaled.shape[1] * self.scaled.shape[2])

    def _weights(self, scaled: bool) -> NDArray[np.floating]:
        return self.scaled if scaled else self.unscaled


def sentence_sweep(settings: Settings) -> SentenceSweep | None:
    """The sweep of the sentence of `settings` with all that FIXED says; None where it has no token.

    A query and a key have N(0, 1) components over the draws of the weights: a standardised token has the squared
    norm d_model, and the weights have the variance 1/d_model. A larger d_k appends columns to W_q and W_k, so
    every d_k is read off the product at 512.
    """
    tokens = tokenize(settings.sentence, settings.tokenizer, LIMIT_TOKENS)
    source = (
        tokenize(settings.source, settings.tokenizer, LIMIT_TOKENS) if settings.source.strip() else tokens
    )
    if not tokens.tokens or not source.tokens:
        return None
    heads = min(settings.num_heads, MOST_HEADS)
    layer = make_layer(replace(settings, num_heads=heads, d_k=SWEEP[-1], d_v=1, preset="random", bias=False))
    query = _vectors(settings, tokens) @ layer.w_q  # (H, n, 512)
    key = _vectors(settings, source) @ layer.w_k  # (H, m, 512)
    d_k = tuple(sorted({*SWEEP, settings.d_k}))
    scores = [query[..., :size] @ key[..., :size].swapaxes(-1, -2) for size in d_k]  # (H, n, m) each
    return SentenceSweep(
        tokens=tokens.tokens,
        source=source.tokens,
        num_heads=settings.num_heads,
        d_k=d_k,
        scaled=np.stack([softmax(s / math.sqrt(size)) for s, size in zip(scores, d_k, strict=True)]),
        unscaled=np.stack([softmax(s) for s in scores]),
    )


def differences(settings: Settings) -> tuple[str, ...]:
    """The names of the settings that the playground has otherwise than this step."""
    given = {name: settings[name] for name in FIXED}
    given["embedding"] = embedding_kind(settings)
    return tuple(name for name, value in FIXED.items() if given[name] != value)


def numbers_only(settings: Settings) -> Settings:
    """The settings with all put back that the sweep does not depend on: the key of its cache."""
    names = ("sentence", "source", "tokenizer", "d_model", "num_heads", "d_k", "seed")
    return DEFAULTS.put(**{name: settings[name] for name in names})


def _vectors(settings: Settings, tokens: Tokens) -> NDArray[np.floating]:
    return embed(tokens.tokens[:MOST_TOKENS], settings.d_model, settings.seed, "standardised")
