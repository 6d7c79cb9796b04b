"""What a lesson costs, worked out from its settings before anything is allocated.

The numbers held and the temporaries follow the core line by line (S = H n m, one number for each pair of tokens in
each head); the seconds are counts of operations times what one took on a busy machine of two cores. A test holds the
bytes within 2 x of what is measured, benchmarks/cost.py the seconds.
"""

import math
from dataclasses import dataclass

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.settings import Settings

# Seconds for one of each.
DRAWN_NUMBER = 30e-9
DRAWN_TOKEN = 120e-6
PRODUCT = 0.12e-9
ENTRY = 6e-9
PAGE, PER_HEAD, PER_TOKEN, PER_CELL = 0.2, 8e-3, 0.15e-3, 8e-9
NORMALIZED = {"softmax": 6e-9, "sparsemax": 45e-9, "sigmoid": 15e-9}


@dataclass(frozen=True)
class Cost:
    """The bytes that stay, the bytes at most while it is computed, and seconds of one processor."""

    kept: float = 0.0
    peak: float = 0.0
    seconds: float = 0.0

    def then(self, other: "Cost") -> "Cost":
        """Both, one after the other: what the first keeps is there while the second is computed."""
        return Cost(
            self.kept + other.kept,
            max(self.peak, self.kept + other.peak),
            self.seconds + other.seconds,
        )

    def times(self, count: float) -> "Cost":
        """The same so many times, nothing of it given back."""
        if count <= 0:
            return Cost()
        return Cost(self.kept * count, self.kept * (count - 1) + self.peak, self.seconds * count)

    def released(self) -> "Cost":
        """The same where only a picture or a sentence remains of it."""
        return Cost(0.0, self.peak, self.seconds)


def layer_cost(s: Settings) -> Cost:
    """Drawing the parameters of a layer: each once as drawn, once as its own, three side by side."""
    heads = s.num_heads
    numbers = heads * s.d_model * (2 * s.d_k + 2 * s.d_v)
    drawn = 2 * heads * _drawn(s.d_model) * (_drawn(s.d_k) + _drawn(s.d_v))
    return Cost(8.0 * numbers, 8.0 * 2.75 * numbers, drawn * DRAWN_NUMBER)


def score_cost(s: Settings) -> Cost:
    """Drawing the arrays of the score function: each is there once, and one head of it."""
    score = SCORE_FUNCTIONS[s.score]
    each = [s.num_heads * s.d_k ** len(p.axes) for p in score.arrays.values()]
    drawn = [s.num_heads * _drawn(s.d_k) ** len(p.axes) for p in score.arrays.values()]
    return Cost(
        8.0 * sum(each), 8.0 * (sum(each) + max(each, default=0) / s.num_heads), sum(drawn) * DRAWN_NUMBER
    )


def tokens_cost(s: Settings, n: int) -> Cost:
    """The vectors of n different tokens, with positions."""
    return Cost(16.0 * n * s.d_model, 32.0 * n * s.d_model, n * (DRAWN_TOKEN + s.d_model * DRAWN_NUMBER))


def trace_cost(s: Settings, n: int, m: int) -> Cost:
    """One trace of n queries and m keys by a layer that is there, with all that attention holds on the way."""
    pairs, narrow = s.num_heads * n * m, _narrow(s, n, m)
    before, stays = _score_pairs(s), _scaled_pairs(s)
    bias = 2 if s.bias_kind == "alibi" else 0  # as given, and the layer's copy
    most = max(bias + before, bias + stays.peak, bias + stays.kept + _normalizer_pairs(s))
    kept = stays.kept + 1 + bias / 2
    bits = (1 if s.mask == "none" else 3) * n * m  # truth values
    end = s.num_heads * n * (s.d_v + s.d_model) + 2 * n * s.d_model
    row = 0 if math.isinf(SCORE_FUNCTIONS[s.score].products_per_second) else 2 * s.num_heads * m * s.d_k
    peak = max(pairs * most + narrow + row, pairs * (kept + bias / 2) + narrow + end)
    return Cost(
        8.0 * (pairs * kept + _projected(s, n, m) + end) + bits, 8.0 * peak + bits, trace_seconds(s, n, m)
    )


def trace_seconds(s: Settings, n: int, m: int) -> float:
    """The seconds of one trace."""
    heads, pairs = s.num_heads, s.num_heads * n * m
    score = SCORE_FUNCTIONS[s.score]
    products = heads * s.d_model * (n * s.d_k + m * (s.d_k + s.d_v) + n * s.d_v) + pairs * (s.d_k + s.d_v)
    for parameter in score.arrays.values():
        products += heads * n * s.d_k ** len(parameter.axes)
    entries = pairs * (3 + 4 * bool(s.softcap) + 4 * (s.bias_kind == "alibi"))
    entries += heads * n * (4 * s.d_k * s.rotary + s.d_model + 2 * s.d_v)
    normalized = pairs * NORMALIZED.get(s.normalizer, max(NORMALIZED.values()))
    return products * PRODUCT + entries * ENTRY + normalized + pairs * s.d_k / score.products_per_second


def lesson_cost(s: Settings, n: int, m: int) -> Cost:
    """A whole lesson: layer, score function, tokens of both sentences, and the trace."""
    tokens = tokens_cost(s, n + (m if s.source.strip() else 0))
    return layer_cost(s).then(score_cost(s)).then(tokens).then(trace_cost(s, n, m))


def screen_cost(s: Settings, n: int, m: int) -> Cost:
    """The page around the numbers: controls, the strip of tokens, a map for each head, float32 and once as text."""
    cells = s.num_heads * n * m
    return Cost(0.0, 12.0 * cells, PAGE + PER_HEAD * s.num_heads + PER_TOKEN * (n + m) + PER_CELL * cells)


def _drawn(size: int) -> int:
    """How many rows or columns are drawn for so many: whole blocks, to 8, 16, 32, 64, ..."""
    return max(8, 1 << (size - 1).bit_length())


def _projected(s: Settings, n: int, m: int) -> int:
    """The numbers of query, key and value, and of query and key before they were turned."""
    return s.num_heads * ((1 + s.rotary) * s.d_k * (n + m) + m * s.d_v)


def _narrow(s: Settings, n: int, m: int) -> int:
    """What there is beside the pairs while scores are computed: projections, and what a score makes of them."""
    extra = 0 if s.score == "dot" else 1
    return _projected(s, n, m) + extra * s.num_heads * (n + m) * s.d_k + n * s.d_model


def _score_pairs(s: Settings) -> int:
    """How many S the score function needs at once: row by row they are there as rows, stacked, and once more."""
    return 1 if math.isinf(SCORE_FUNCTIONS[s.score].products_per_second) else 3


@dataclass(frozen=True)
class _Pairs:
    kept: int
    peak: int


def _scaled_pairs(s: Settings) -> _Pairs:
    """How many S of scores and scaled scores stay, and are there at once; each step replaces the last."""
    auto = SCORE_FUNCTIONS[s.score].default_scale != "none"
    steps = [s.scale != "none" and (s.scale != "auto" or auto), s.temperature != 1.0, s.bias_kind == "alibi"]
    changes = sum(steps) + bool(s.softcap)
    peak = 1 + min(changes, 2) + bool(s.softcap)
    return _Pairs(2 if changes else 1, peak)


def _normalizer_pairs(s: Settings) -> int:
    """How many S the normalizer needs at once, beside the scaled scores."""
    masked = s.mask != "none"
    return {"softmax": 1, "sparsemax": 5 + masked, "sigmoid": 4 + masked}.get(s.normalizer, 5)
