"""How many tokens a request may have, so that it takes no more than about 200 MB and a second."""

import math

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.settings import LIMIT_TOKENS, Settings

BYTES = 190_000_000


def token_limit(settings: Settings) -> int:
    """The number of tokens of each sentence that are used, at most LIMIT_TOKENS.

    With H heads and n tokens, the trace holds 3 H n^2 numbers (scores, scaled, weights) and
    H n (2 d_k + 2 d_v + d_model), the layer H d_model (2 d_k + 2 d_v) and what the score function has of its own.
    """
    score = SCORE_FUNCTIONS[settings.score]
    heads, d_k, d_v, d_model = settings.num_heads, settings.d_k, settings.d_v, settings.d_model
    weights = heads * d_model * (2 * d_k + 2 * d_v) + heads * score.count(d_k)
    numbers = max(BYTES / 8 - weights, 0)
    square, linear = 3 * heads, heads * (2 * d_k + 2 * d_v + d_model)
    by_memory = (math.sqrt(linear**2 + 4 * square * numbers) - linear) / (2 * square)
    by_time = math.sqrt(score.products_per_second / (heads * d_k))
    return max(1, math.floor(min(LIMIT_TOKENS, by_memory, by_time)))
