"""Layers of odd sizes, and tokens for them, for the tests of a layer."""

import numpy as np

from attnviz.core import MultiHeadAttention

N, M, D_MODEL, D_K, D_V, H = 4, 6, 7, 3, 5, 2
GENERATOR = np.random.default_rng(5)
X, SOURCE = GENERATOR.standard_normal((N, D_MODEL)), GENERATOR.standard_normal((M, D_MODEL))


def layer(bias: bool = False, **sizes: int) -> MultiHeadAttention:
    """A drawn layer of these sizes, or of others where they are given."""
    chosen = {"d_model": D_MODEL, "num_heads": H, "d_k": D_K, "d_v": D_V, "seed": 6} | sizes
    return MultiHeadAttention.random(**chosen, bias=bias)
