"""How many tokens a request may have, so that it takes no more than about 200 MB and a second."""

import math

from attnviz.lesson.settings import LIMIT_TOKENS, Settings

BYTES = 190_000_000
# Products that the two score functions which look at every pair's vectors make in a second, with slack.
PAIR_PRODUCTS = {"additive": 200_000_000, "gaussian": 400_000_000}


def token_limit(settings: Settings) -> int:
    """The number of tokens of each sentence that are used, at most LIMIT_TOKENS.

    With H heads and n tokens, the trace holds 3 H n^2 numbers (scores, scaled, weights) and
    H n (2 d_k + 2 d_v + d_model), the layer H d_model (2 d_k + 2 d_v), additive scores 2 H d_k^2 more.
    """
    heads, d_k, d_v, d_model = settings.num_heads, settings.d_k, settings.d_v, settings.d_model
    weights = heads * d_model * (2 * d_k + 2 * d_v) + _score_numbers(settings)
    numbers = max(BYTES / 8 - weights, 0)
    square, linear = 3 * heads, heads * (2 * d_k + 2 * d_v + d_model)
    by_memory = (math.sqrt(linear**2 + 4 * square * numbers) - linear) / (2 * square)
    by_time = math.sqrt(PAIR_PRODUCTS.get(settings.score, math.inf) / (heads * d_k))
    return max(1, math.floor(min(LIMIT_TOKENS, by_memory, by_time)))


def _score_numbers(settings: Settings) -> int:
    """How many numbers the score function's own matrices have."""
    matrices = {"general": 1, "additive": 2}.get(settings.score, 0)
    return matrices * settings.num_heads * settings.d_k**2
