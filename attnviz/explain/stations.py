"""The stations between x and the output: which matrices each makes, and which others stand there."""

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import Array
from attnviz.core.layer import AttentionTrace

MADE: dict[str, tuple[str, ...]] = {
    "x": ("x",),
    "qkv": ("query", "key", "value"),
    "scores": ("scores",),
    "scaled": ("scaled",),
    "masked": ("masked",),
    "weights": ("weights",),
    "heads": ("head_outputs",),
    "concat": ("concat",),
    "output": ("output",),
}
BESIDE: dict[str, tuple[str, ...]] = {
    "x": ("x_source",),
    "qkv": ("w_q", "w_k", "w_v"),
    "output": ("contributions", "w_o"),
}
STAGE_OF = {name: stage for table in (MADE, BESIDE) for stage, names in table.items() for name in names}


def stage_of(name: str) -> str:
    """The station where the matrix stands; the arrays of a score function stand with the scores."""
    return "scores" if name.startswith("score_") else STAGE_OF[name]


def made(trace: AttentionTrace, stage: str) -> tuple[Array, ...]:
    """What a station makes, each (rows, columns) or with the heads in front."""
    return tuple(masked(trace) if name == "masked" else getattr(trace, name) for name in MADE[stage])


def masked(trace: AttentionTrace) -> Array:
    """The scaled scores (H, n, m) with NaN where the mask keeps nothing: a masked cell has no number."""
    return trace.scaled if trace.keep is None else np.where(trace.keep, trace.scaled, np.nan)


def hidden(trace: AttentionTrace) -> NDArray[np.bool_]:
    """Which keys each query of each head may not look at, (H, n, m)."""
    kept = np.True_ if trace.keep is None else trace.keep
    return ~np.broadcast_to(kept, trace.weights.shape)


def seen_mean(trace: AttentionTrace) -> Array:
    """The mean of the heads' weights (n, m), with NaN where no head may look."""
    return np.where(hidden(trace).all(axis=0), np.nan, trace.weights.mean(axis=0))


def seen_weights(trace: AttentionTrace) -> Array:
    """The weights (H, n, m) with NaN where the mask keeps nothing, which a picture hatches: 0, and not just small."""
    return trace.weights if trace.keep is None else np.where(trace.keep, trace.weights, np.nan)
