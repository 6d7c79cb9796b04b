"""Settings become a lesson: tokens, x, the layer and the trace in which every number is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.drawn import read_drawn
from attnviz.core.embedding import POSITIONS, embed
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import keep_mask
from attnviz.core.modifiers import alibi_bias
from attnviz.core.presets import WEIGHT_PRESETS, Preset
from attnviz.core.scores import SCORE_FUNCTIONS, ScoreFunction, random_score_parameters
from attnviz.core.sealed import sealed, sealed_parameters
from attnviz.lesson.budget import token_limit
from attnviz.lesson.edits import NO_EDITS, NO_HAND, Edits, Hand, fingerprint, put_in, read_edits
from attnviz.lesson.settings import LIMIT_TOKENS, Settings
from attnviz.text import Tokens, tokenize


@dataclass(frozen=True)
class Lesson:
    """One sentence (or two: `source` then gives keys and values) and all that attention makes of it.

    Of each sentence the first `limit` tokens are used.
    """

    settings: Settings
    tokens: Tokens
    source: Tokens
    trace: AttentionTrace
    hand: Hand = NO_HAND
    limit: int = LIMIT_TOKENS

    @property
    def cross(self) -> bool:
        """Whether keys and values come from a second sentence."""
        return bool(self.settings.source.strip())


def make_lesson(settings: Settings, edits: Edits | None = None, most: int = LIMIT_TOKENS) -> Lesson | None:
    """The lesson of `settings` with `edits` put in; None where the sentence has no token.

    Without `edits`, those that are written in the settings. Of each sentence at most `most` tokens are used, and no
    more than `token_limit` allows. The same settings and edits give the same numbers on any machine.
    """
    limit = min(token_limit(settings), most)
    tokens, source = both_tokens(settings, limit)
    if not tokens.tokens or not source.tokens:
        return None
    layer, arguments = make_layer(settings), call_arguments(settings, len(tokens.tokens), len(source.tokens))
    arrays = {"x": embedded(settings, tokens), **layer.parameters()}  # (n, d_model), ...
    if source is not tokens:
        arrays["x_source"] = embedded(settings, source)  # (m, d_model)
    given = _editable_arguments(settings)
    arrays |= {name: arguments[argument] for name, argument in given.items()}

    sentences = {"x": fingerprint(tokens.tokens), "x_source": fingerprint(source.tokens)}
    arrays, hand = put_in(written_edits(settings) if edits is None else edits, arrays, sentences)
    if any(arrays[name] is not array for name, array in layer.parameters().items()):
        layer = MultiHeadAttention(**{name: arrays[name] for name in layer.parameters()})
    arguments |= {argument: arrays[name] for name, argument in given.items()}
    trace = layer(arrays["x"], arrays.get("x_source"), **arguments)
    return Lesson(settings, tokens, source, trace, hand, limit)


def editable(lesson: Lesson) -> dict[str, NDArray[Any]]:
    """Every array of the lesson that can be edited, by its name in edits.AXES; the mask as truth values (n, m)."""
    trace = lesson.trace
    arrays = {"x": trace.x, **trace.layer.parameters()}
    if lesson.cross:
        arrays["x_source"] = trace.x_source
    scores = trace.score_parameters.items()
    arrays |= {f"score_{name}": value for name, value in scores if isinstance(value, np.ndarray)}
    kept = np.True_ if trace.keep is None else trace.keep
    return arrays | {"keep": np.broadcast_to(kept, trace.scores.shape[1:])}


def is_random(lesson: Lesson) -> bool:
    """Whether weights were drawn at random, those of the score function among them: the page must say so."""
    drawn = lesson.settings.preset in ("random", "integers", "folded", "three_linear")
    return drawn or any(isinstance(value, np.ndarray) for value in lesson.trace.score_parameters.values())


def both_tokens(settings: Settings, limit: int | None = None) -> tuple[Tokens, Tokens]:
    """The tokens of the sentence, and those of the source: the same object in self-attention.

    At most `limit` of each; where not given, as many as `token_limit` allows.
    """
    limit = token_limit(settings) if limit is None else limit
    tokens = tokenize(settings.sentence, settings.tokenizer, limit)
    if not settings.source.strip():
        return tokens, tokens
    return tokens, tokenize(settings.source, settings.tokenizer, limit)


def written_edits(settings: Settings) -> Edits:
    """The edits that the settings carry as a text; none where they are not there or cannot be read."""
    try:
        return read_edits(settings.edits)
    except ValueError:
        return NO_EDITS


def _editable_arguments(settings: Settings) -> dict[str, str]:
    """What the layer is called with and edits can change: the edit's name and the argument's."""
    parameters = SCORE_FUNCTIONS[settings.score].parameters.items()
    given = {f"score_{name}": name for name, parameter in parameters if parameter.kind == "array"}
    return given | ({"keep": "keep"} if settings.mask == "drawn" else {})


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
    s = settings
    return _drawn_layer(WEIGHT_PRESETS[s.preset], s.d_model, s.num_heads, s.d_k, s.d_v, s.seed, s.bias)


# What was drawn last stays: a page computes several traces of one layer, and at the size limits drawing takes longer
# than a trace. One of each, at most 34 and 67 MB.
@lru_cache(maxsize=1)
def _drawn_layer(
    preset: Preset, d_model: int, num_heads: int, d_k: int, d_v: int, seed: int, bias: bool
) -> MultiHeadAttention:
    return preset(d_model, num_heads, d_k, d_v, seed, bias)


@lru_cache(maxsize=1)
def _drawn_parameters(score: ScoreFunction, d_k: int, num_heads: int, seed: int) -> Mapping[str, Any]:
    """Sealed, so that a trace needs no copy of its own."""
    drawn = random_score_parameters(score, d_k=d_k, num_heads=num_heads, seed=seed)
    for array in drawn.values():
        sealed(array)
    return sealed_parameters(drawn)


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
            arguments[name] = settings[name]
    drawn = _drawn_parameters(
        SCORE_FUNCTIONS[settings.score], settings.d_k, settings.num_heads, settings.seed
    )
    return arguments | dict(drawn)


def mask(settings: Settings, n: int, m: int) -> NDArray[np.bool_] | None:
    """Who may look at whom, (n, m); None where all may look at all."""
    if settings.mask == "none":
        return None
    if settings.mask == "drawn":
        return read_drawn(settings.drawn, n, m)
    return keep_mask([settings.mask], n, m, length=max(m - settings.padding, 0), window=settings.window)
