"""Attention with every number kept: NumPy and the standard library only."""

from .attention import Attention, Recipe, attend
from .embedding import (
    EMBEDDINGS,
    POSITIONS,
    embed,
    one_hot,
    sinusoidal,
    standardise,
    token_ids,
    vocabulary,
)
from .layer import AttentionTrace, MultiHeadAttention
from .masks import (
    MASKS,
    as_keep,
    causal_mask,
    combine,
    keep_mask,
    padding_mask,
    window_mask,
)
from .modifiers import (
    SCALE_NAMES,
    ScaleName,
    alibi_bias,
    alibi_slopes,
    divisor,
    rotate,
    rotate_by,
    soft_capped,
)
from .normalizers import NORMALIZERS, Normalizer, sigmoid, softmax, sparsemax
from .parameters import PARAMETER_AXES
from .presets import WEIGHT_PRESETS
from .scores import SCORE_FUNCTIONS, Parameter, ScoreFunction, random_score_parameters
from .streams import MATRIX_IDS, integer_matrix, normal_matrix, token_vector

__all__ = [
    "EMBEDDINGS",
    "MASKS",
    "MATRIX_IDS",
    "NORMALIZERS",
    "PARAMETER_AXES",
    "POSITIONS",
    "SCALE_NAMES",
    "SCORE_FUNCTIONS",
    "WEIGHT_PRESETS",
    "Attention",
    "AttentionTrace",
    "MultiHeadAttention",
    "Normalizer",
    "Parameter",
    "Recipe",
    "ScaleName",
    "ScoreFunction",
    "alibi_bias",
    "alibi_slopes",
    "as_keep",
    "attend",
    "causal_mask",
    "combine",
    "divisor",
    "embed",
    "integer_matrix",
    "keep_mask",
    "normal_matrix",
    "one_hot",
    "padding_mask",
    "random_score_parameters",
    "rotate",
    "rotate_by",
    "sigmoid",
    "sinusoidal",
    "soft_capped",
    "softmax",
    "sparsemax",
    "standardise",
    "token_ids",
    "token_vector",
    "vocabulary",
    "window_mask",
]
