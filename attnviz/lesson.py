"""Settings become a lesson: tokens, x, the layer and the trace in which every number is kept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.embedding import POSITIONS, embed
from attnviz.core.masks import keep_mask
from attnviz.core.modifiers import alibi_bias
from attnviz.core.presets import WEIGHT_PRESETS
from attnviz.core.scores import SCORE_FUNCTIONS, random_score_parameters
from attnviz.settings import LIMIT_TOKENS, Settings
from attnviz.text import Tokens, tokenize


@dataclass(frozen=True)
class Lesson:
    """One sentence (or two: `source` then gives keys and values) and all that attention makes of it."""

    settings: Settings
    tokens: Tokens
    source: Tokens
    trace: AttentionTrace

    @property
    def cross(self) -> bool:
        """Whether keys and values come from a second sentence."""
        return bool(self.settings.source.strip())


def make_lesson(settings: Settings) -> Lesson | None:
    """The lesson of `settings`; None where the sentence has no token.

    The same settings give the same numbers on any machine.
    """
    tokens = tokenize(settings.sentence, settings.tokenizer, LIMIT_TOKENS)
    source = (
        tokenize(settings.source, settings.tokenizer, LIMIT_TOKENS) if settings.source.strip() else tokens
    )
    if not tokens.tokens or not source.tokens:
        return None
    x = embedded(settings, tokens)  # (n, d_model)
    x_source = embedded(settings, source) if source is not tokens else None  # (m, d_model)
    layer = make_layer(settings)
    trace = layer(x, x_source, **call_arguments(settings, len(tokens.tokens), len(source.tokens)))
    return Lesson(settings, tokens, source, trace)


def embedded(settings: Settings, tokens: Tokens) -> NDArray[np.float64]:
    """The vectors of the tokens with their positions added, (n, d_model)."""
    vectors = embed(tokens.tokens, settings.d_model, settings.seed, embedding_kind(settings))
    return np.asarray(vectors + POSITIONS[settings.position](len(tokens.tokens), settings.d_model))


def embedding_kind(settings: Settings) -> str:
    """The embedding that "auto" stands for: whole numbers beside integer weights, else normal."""
    if settings.embedding == "auto":
        return "integer" if settings.preset == "integers" else "normal"
    return settings.embedding


def make_layer(settings: Settings) -> MultiHeadAttention:
    """The weights of the layer, from the preset and the seed."""
    return WEIGHT_PRESETS[settings.preset](
        d_model=settings.d_model,
        num_heads=settings.num_heads,
        d_k=settings.d_k,
        d_v=settings.d_v,
        seed=settings.seed,
        bias=settings.bias,
    )


def call_arguments(settings: Settings, n: int, m: int) -> dict[str, Any]:
    """What the layer is called with, besides x: score, scale, mask and the rest."""
    arguments: dict[str, Any] = {
        "score": settings.score,
        "scale": settings.divisor if settings.scale == "number" else settings.scale,
        "keep": mask(settings, n, m),
        "temperature": settings.temperature,
        "softcap": settings.softcap or None,
        "normalizer": settings.normalizer,
        "residual": settings.residual,
        "rotary": settings.rotary,
    }
    if settings.bias_kind == "alibi":
        causal = settings.mask.startswith("causal")
        arguments["bias"] = alibi_bias(settings.num_heads, n, m, causal=causal)
    for name, parameter in SCORE_FUNCTIONS[settings.score].parameters.items():
        if parameter.kind == "number":
            arguments[name] = getattr(settings, name)
    return arguments | random_score_parameters(
        settings.score, d_k=settings.d_k, num_heads=settings.num_heads, seed=settings.seed
    )


def mask(settings: Settings, n: int, m: int) -> NDArray[np.bool_] | None:
    """Who may look at whom, (n, m); None where all may look at all."""
    if settings.mask == "none":
        return None
    return keep_mask([settings.mask], n, m, length=max(m - settings.padding, 0), window=settings.window)
