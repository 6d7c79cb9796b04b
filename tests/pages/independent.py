"""A lesson of odd sizes, and its layer called by itself: what the playground must show."""

from typing import Any

import numpy as np

from attnviz.core.embedding import embed
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import causal_mask

SIZES: dict[str, Any] = {"d_model": 7, "num_heads": 3, "d_k": 3, "d_v": 5}
SENTENCE, SOURCE = ["the", "cat", "sat", "on", "the", "mat"], ["a", "dog", "sleeps", "here"]
ODD: dict[str, Any] = {"sentence": " ".join(SENTENCE), "head": 2, "query": 4, **SIZES}
Matrix = np.ndarray[Any, Any]


def independent(
    queries: list[str], keys: list[str], *, seed: int = 0, causal: bool = False, **sizes: int
) -> AttentionTrace:
    """The layer called by itself: no settings, no lesson, no page."""
    layer = MultiHeadAttention.random(
        seed=seed, d_model=sizes["d_model"], num_heads=sizes["num_heads"], d_k=sizes["d_k"], d_v=sizes["d_v"]
    )
    x, x_source = (embed(tokens, sizes["d_model"], seed) for tokens in (queries, keys))
    return layer(x, x_source, keep=causal_mask(len(queries), len(keys)) if causal else None)
