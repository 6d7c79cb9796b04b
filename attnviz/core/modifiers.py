"""What may happen between the raw scores and the mask, and positions that act on query and key.

Order: raw scores, scale, temperature, softcap, bias, mask, normalizer.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_real, positive, require_finite
from .checks import flag, told, whole
from .scores import find_score

ScaleName = Literal["auto", "sqrt_d_k", "none", "sqrt_d_model"]
SCALE_NAMES: tuple[ScaleName, ...] = ("auto", "sqrt_d_k", "none", "sqrt_d_model")


def divisor(scale: str | float, *, score: str, d_k: int, d_model: int | None = None) -> float:
    """The number by which scores are divided.

    "auto" is sqrt(d_k) for dot and general and 1 otherwise; "none" is 1; a number is itself.
    "sqrt_d_model" is the well-known mistake, the same as sqrt(d_k) only where d_k = d_model.
    """
    default = find_score(score).default_scale if scale == "auto" else "none"
    return named_scale(scale, default, d_k=d_k, d_model=d_model)[1]


def named_scale(
    scale: str | float,
    default: str,
    *,
    d_k: int,
    d_model: int | None = None,
    dtype: np.dtype[Any] | None = None,
) -> tuple[str, float]:
    """The scale by name and number; "auto" is the default, and a number goes by the name "number".

    With a dtype, the number must be one that this type holds.
    """
    name = scale if isinstance(scale, str) else "number"
    if name == "auto":
        name = default
    if name == "sqrt_d_k":
        return name, math.sqrt(d_k)
    if name == "none":
        return name, 1.0
    if name == "sqrt_d_model" and d_model is not None:
        return name, math.sqrt(d_model)
    known = [known for known in SCALE_NAMES if known != "sqrt_d_model" or d_model is not None]
    return "number", positive("scale", scale, f"one of {', '.join(known)} or a positive number", dtype=dtype)


def soft_capped(scores: Array, cap: float) -> Array:
    """cap tanh(s / cap): nearly s where s is small, never beyond +-cap (Gemma 2, 2024)."""
    return np.asarray(np.tanh(scores / scores.dtype.type(cap)) * scores.dtype.type(cap))


def alibi_slopes(num_heads: int) -> Array:
    """m_h = 2^(-8 h / H) for the heads h = 1..H, shape (H,), whatever H is (Press et al. 2022, section 3).

    So the paper's text. Its program does this for powers of two only and fills up other H from the next two powers:
    for H = 3 it has 1/16, 1/256, 1/4, where the text and we have 2^(-8/3), 2^(-16/3), 2^-8.
    """
    num_heads = whole("num_heads", num_heads, 1)
    return np.asarray(2.0 ** (-8.0 * np.arange(1, num_heads + 1) / num_heads), np.float64)


def alibi_bias(num_heads: int, n: int, m: int, causal: bool = False) -> Array:
    """The bias -m_h abs(i - j), shape (H, n, m): the farther the key, the lower the score.

    causal: the paper's -m_h (i - j), which would reward the future if a causal mask did not hide it
    (Press et al. 2022, ALiBi).
    """
    n, m, causal = whole("n", n), whole("m", m), flag("causal", causal)
    slopes = alibi_slopes(num_heads)[:, None, None]
    return np.asarray(-slopes * _distance(n, m, causal) + 0.0)  # (H, n, m), without -0.0


def _distance(n: int, m: int, causal: bool) -> Array:
    """i - j where causal, else abs(i - j), (n, m)."""
    distance = np.arange(n)[:, None] - np.arange(m)  # (n, m)
    return distance if causal else np.abs(distance)


def alibi_kind(bias: Array) -> Literal["", "distance", "causal"]:
    """Which of the two biases of `alibi_bias` this one (H, n, m) is; "" for any other."""
    num_heads, n, m = bias.shape
    kinds: tuple[Literal["distance", "causal"], ...] = ("distance", "causal")
    for kind in kinds:
        distance = _distance(n, m, causal=kind == "causal")
        if all(
            np.array_equal(b, -slope * distance)
            for b, slope in zip(bias, alibi_slopes(num_heads), strict=True)
        ):
            return kind
    return ""


@np.errstate(all="ignore")  # what is not finite is refused by name
def rotate(x: ArrayLike, positions: ArrayLike, base: float = 10000.0, *, pairs: str = "adjacent") -> Array:
    """Rotary positions: pair c of the d coordinates turned by position * base^(-2 c / d) (Su et al. 2021).

    x (..., n, d), positions (n,). After it, q.k depends on the positions by their distance only.
    An odd d leaves the last coordinate alone.
    """
    vectors, places = as_real("x", x), as_real("positions", positions)
    if vectors.ndim < 2:
        raise ValueError(f"x must have at least the axes (tokens, coordinates); got {vectors.shape}")
    if places.shape != vectors.shape[-2:-1]:
        raise ValueError(f"positions must have shape (n={vectors.shape[-2]},); got {places.shape}")
    count = vectors.shape[-1] // 2
    frequency = positive("base", base) ** (-np.arange(count) / max(count, 1))  # (d / 2,)
    angle = places.astype(np.float64)[:, None] * frequency  # (n, d / 2)
    require_finite("x", vectors)
    require_finite("positions", angle)
    turned = rotate_by(vectors, np.cos(angle), np.sin(angle), pairs=pairs)
    require_finite("the turned x", turned)
    return turned


def rotate_by(x: Array, cos: Array, sin: Array, *, pairs: str = "adjacent") -> Array:
    """Each pair (a, b) of coordinates becomes (a cos - b sin, a sin + b cos); what is in no pair stays.

    x (..., n, d), cos and sin (n, p) with 2 p <= d. pairs: "adjacent" (0, 1), (2, 3), ... as in the paper, or
    "halves" (0, p), (1, p + 1), ... as in many programs.
    """
    count = cos.shape[-1]
    if not isinstance(pairs, str):
        raise ValueError(f"pairs must be 'adjacent' or 'halves'; got {told(pairs)}")
    if pairs == "adjacent":
        first, second = slice(0, 2 * count, 2), slice(1, 2 * count, 2)
    elif pairs == "halves":
        first, second = slice(0, count), slice(count, 2 * count)
    else:
        raise ValueError(f"pairs must be 'adjacent' or 'halves'; got {pairs!r}")
    turned = x.copy()
    turned[..., first] = x[..., first] * cos - x[..., second] * sin
    turned[..., second] = x[..., first] * sin + x[..., second] * cos
    return turned
