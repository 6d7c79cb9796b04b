"""attnviz: multi-head attention with every number kept. What a notebook imports: the core's names."""

from .core import (
    MASKS,
    NORMALIZERS,
    SCORE_FUNCTIONS,
    WEIGHT_PRESETS,
    Attention,
    AttentionTrace,
    MultiHeadAttention,
    alibi_bias,
    attend,
    causal_mask,
    embed,
    keep_mask,
    padding_mask,
    random_score_parameters,
    rotate,
    sigmoid,
    sinusoidal,
    softmax,
    sparsemax,
    window_mask,
)

__version__ = "0.1.0"

__all__ = [
    "MASKS",
    "NORMALIZERS",
    "SCORE_FUNCTIONS",
    "WEIGHT_PRESETS",
    "Attention",
    "AttentionTrace",
    "MultiHeadAttention",
    "alibi_bias",
    "attend",
    "causal_mask",
    "embed",
    "keep_mask",
    "padding_mask",
    "random_score_parameters",
    "rotate",
    "sigmoid",
    "sinusoidal",
    "softmax",
    "sparsemax",
    "window_mask",
]
