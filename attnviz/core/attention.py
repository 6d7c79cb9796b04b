"""Attention itself: from query, key and value to the weights and the output, with every step kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_real, computing_dtype, is_finite, require_broadcast
from .masks import Keep, as_keep
from .modifiers import divisor, positive, soft_capped
from .normalizers import NORMALIZERS
from .scores import ScoreFunction, checked_parameters, find_score


@dataclass(frozen=True, eq=False)
class Attention:
    """Every step of one attention, over any leading axes (heads, batches).

    scores (..., n, m) before the scale; scaled (..., n, m) after scale, temperature, softcap and bias (the same array
    as scores where none of them changes anything); keep as given, as truth values, or None; weights (..., n, m);
    output (..., n, d_v); scale, the number that divided the scores; score_parameters, those that were used.
    """

    scores: Array
    scaled: Array
    keep: Keep | None
    weights: Array
    output: Array
    scale: float
    score_parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def empty_rows(self) -> Keep:
        """The queries that may look at nothing, shape (..., n): their weights and outputs are 0."""
        return empty_rows(self.keep, self.weights.shape)


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused by name, where a query may look
def attend(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    score: str = "dot",
    scale: str | float = "auto",
    keep: ArrayLike | None = None,
    temperature: float = 1.0,
    softcap: float | None = None,
    bias: ArrayLike | None = None,
    normalizer: str = "softmax",
    **score_parameters: ArrayLike,
) -> Attention:
    """Attention of each query over the keys: output = softmax(score(query, key) / scale) value.

    query (..., n, d_k), key (..., m, d_k), value (..., m, d_v). Leading axes broadcast; where there are fewer
    key/value heads (axis -3) than query heads, each serves a group of neighbouring query heads.
    scale: "auto", "sqrt_d_k", "none" or the divisor; keep: True = may look at (or floats 0 and -inf), and bias, added
    to the scaled scores, broadcast to (..., n, m). Order: score, scale, temperature, softcap, bias, keep, normalizer.
    Half precision is computed in float32: weights and output come back in half, the scores stay in float32.

    Raises ValueError for shapes that do not fit, unknown names, and numbers that are not finite where a query may
    look. (Vaswani et al. 2017, equation 1; the sources of the score functions are in SCORE_FUNCTIONS.)
    """
    query, key, value = as_real("query", query), as_real("key", key), as_real("value", value)
    _check_shapes(query, key, value)
    given = np.result_type(query, key, value)
    dtype = computing_dtype(given)
    query, key, value = _grouped(query, key, value)
    query, key, value = (array.astype(dtype, copy=False) for array in (query, key, value))
    recipe = find_recipe(score, scale, temperature, softcap, normalizer, query.shape[-1], None)
    parameters = checked_parameters(recipe.score, score_parameters, dtype)
    kept = None if keep is None else as_keep(keep)
    scores, scaled, weights = weigh(query, key, kept, bias, recipe, parameters)  # (..., n, m)
    output = np.matmul(weights, _reachable(value, kept, weights.shape))  # (..., n, d_v)
    weights, output = weights.astype(given, copy=False), output.astype(given, copy=False)
    return Attention(scores, scaled, kept, weights, output, recipe.scale, parameters)


@dataclass(frozen=True)
class Recipe:
    """How scores become weights: the settings of attend that are names and numbers, checked and looked up."""

    score: ScoreFunction
    scale: float
    temperature: float
    softcap: float | None
    normalizer: Callable[..., Array]


@lru_cache(maxsize=256)
def find_recipe(
    score: str,
    scale: str | float,
    temperature: float,
    softcap: float | None,
    normalizer: str,
    d_k: int,
    d_model: int | None,
) -> Recipe:
    """The recipe of these names and numbers; ValueError says what is wrong with one."""
    if normalizer not in NORMALIZERS:
        raise ValueError(f"normalizer must be one of {', '.join(NORMALIZERS)}; got {normalizer!r}")
    return Recipe(
        find_score(score),
        divisor(scale, score=score, d_k=d_k, d_model=d_model),
        positive("temperature", temperature),
        None if softcap is None else positive("softcap", softcap),
        NORMALIZERS[normalizer],
    )


def weigh(
    query: Array,
    key: Array,
    keep: Keep | None,
    bias: ArrayLike | None,
    recipe: Recipe,
    score_parameters: Mapping[str, Any],
) -> tuple[Array, Array, Array]:
    """The scores, the scaled scores and the weights, each (..., n, m)."""
    scores = recipe.score.function(query, key, **score_parameters)  # (..., n, m)
    if keep is not None:
        require_broadcast("keep", keep, scores.shape)
    _require_finite("scores", scores, keep)
    scaled = scores
    if recipe.scale != 1.0:
        scaled = scaled / recipe.scale
    if recipe.temperature != 1.0:
        scaled = scaled / recipe.temperature
    if recipe.softcap is not None:
        scaled = soft_capped(scaled, recipe.softcap)
    if bias is not None:
        bias = as_real("bias", bias)
        require_broadcast("bias", bias, scores.shape)
        scaled = np.add(scaled, bias, dtype=scores.dtype)
    if bias is not None or recipe.scale < 1.0 or recipe.temperature < 1.0:
        _require_finite("scaled scores", scaled, keep)
    return scores, scaled, recipe.normalizer(scaled, keep)


def empty_rows(self) -> Keep:
    """The queries that may look at nothing, shape (..., n): their weights and outputs are 0."""
    return empty_rows(self.keep, self.weights.shape)


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused by name, where a query may look
def attend(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    score: str = "dot",
    scale: str | float = "auto",
    keep: ArrayLike | None = None,
    temperature: float = 1.0,
    softcap: float | None = None,
    bias: ArrayLike | None = None,
    normalizer: str = "softmax",
    **score_parameters: ArrayLike,
) -> Attention:
    """Attention of each query over the keys: output = softmax(score(query, key) / scale) value.

    query (..., n, d_k), key (..., m, d_k), value (..., m, d_v). Leading axes broadcast; where there are fewer
    key/value heads (axis -3) than query heads, each serves a group of neighbouring query heads.
    scale: "auto", "sqrt_d_k", "none" or the divisor; keep: True = may look at (or floats 0 and -inf), and bias, added
    to the scaled scores, broadcast to (..., n, m). Order: score, scale, temperature, softcap, bias, keep, normalizer.
    Half precision is computed in float32: weights and output come back in half, the scores stay in float32.

    Raises ValueError for shapes that do not fit, unknown names, and numbers that are not finite where a query may
    look. (Vaswani et al. 2017, equation 1; the sources of the score functions are in SCORE_FUNCTIONS.)
    """
    query, key, value = as_real("query", query), as_real("key", key), as_real("value", value)
    _check_shapes(query, key, value)
    given = np.result_type(query, key, value)
    dtype = computing_dtype(given)
    query, key, value = _grouped(query, key, value)
    query, key, value = (array.astype(dtype, copy=False) for array in (query, key, value))
    recipe = find_recipe(score, scale, temperature, softcap, normalizer, query.shape[-1], None)
    parameters = checked_parameters(recipe.score, score_parameters, dtype)
    kept = None if keep is None else as_keep(keep)
    scores, scaled, weights = weigh(query, key, kept, bias, recipe, parameters)  # (..., n, m)
    output = np.matmul(weights, _reachable(value, kept, weights.shape))  # (..., n, d_v)
    weights, output = weights.astype(given, copy=False), output.astype(given, copy=False)
    return Attention(scores, scaled, kept, weights, output, recipe.scale, parameters)


@dataclass(frozen=True)
class Recipe:
    """How scores become weights: the settings of attend that are names and numbers, checked and looked up."""

    score: ScoreFunction
    scale: float
    temperature: float
    softcap: float | None
    normalizer: Callable[..., Array]


@lru_cache(maxsize=256)
def find_recipe(
    score: str,
    scale: str | float,
    temperature: float,
    softcap: float | None,
    normalizer: str,
    d_k: int,
    d_model: int | None,
) -> Recipe:
    """The recipe of these names and numbers; ValueError says what is wrong with one."""
    if normalizer not in NORMALIZERS:
        raise ValueError(f"normalizer must be one of {', '.join(NORMALIZERS)}; got {normalizer!r}")
    return Recipe(
        find_score(score),
        divisor(scale, score=score, d_k=d_k, d_model=d_model),
        positive("temperature", temperature),
        None if softcap is None else positive("softcap", softcap),
        NORMALIZERS[normalizer],
    )


def weigh(
    query: Array,
    key: Array,
    keep: Keep | None,
    bias: ArrayLike | None,
    recipe: Recipe,
    score_parameters: Mapping[str, Any],
) -> tuple[Array, Array, Array]:
    """The scores, the scaled scores and the weights, each (..., n, m)."""
    scores = recipe.score.function(query, key, **score_parameters)  # (..., n, m)
    scaled = scores
    if recipe.scale != 1.0:
        scaled = scaled / recipe.scale
    if recipe.temperature != 1.0:
        scaled = scaled / recipe.temperature
    if recipe.softcap is not None:
        scaled = soft_capped(scaled, recipe.softcap)
    if bias is not None:
        bias = as_real("bias", bias)
        require_broadcast("bias", bias, scores.shape)
        scaled = np.add(scaled, bias, dtype=scores.dtype)
    if keep is not None:
        require_broadcast("keep", keep, scores.shape)
    _require_finite("scores", scores, keep)
    _require_finite("scaled scores", scaled, keep)
    return scores, scaled, recipe.normalizer(scaled, keep)


def empty_rows(keep: Keep | None, shape: tuple[int, ...]) -> Keep:
    """Which rows of weights of this shape (..., n, m) have no key to look at, shape (..., n)."""
    if keep is None:
        return np.full(shape[:-1], shape[-1] == 0)
    return np.asarray(~np.broadcast_to(keep, shape).any(axis=-1))


def _reachable(value: Array, keep: Keep | None, shape: tuple[int, ...]) -> Array:
    """The values (..., m, d_v) with 0 in place of those that are not finite and that no query may look at."""
    if is_finite(value):
        return value
    allowed = np.ones(shape, np.bool_) if keep is None else np.broadcast_to(keep, shape)
    looked_at = allowed.any(axis=-2)[..., None]  # (..., m, 1)
    if not np.all(np.isfinite(value) | ~looked_at):
        raise ValueError("value must be finite where a query may look; got NaN or infinity there")
    return np.where(looked_at, value, value.dtype.type(0.0))


def _require_finite(stage: str, numbers: Array, keep: Keep | None) -> None:
    if is_finite(numbers):
        return
    wrong = np.logical_and(~np.isfinite(numbers), True if keep is None else keep)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"the {stage} must be finite where a query may look; got {numbers[place]} at {place}"
        )


def _check_shapes(query: Array, key: Array, value: Array) -> None:
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 2:
            raise ValueError(
                f"{name} must have at least the two axes (tokens, coordinates); got {array.shape}"
            )
    if key.shape[-1] != query.shape[-1]:
        raise ValueError(f"key must have shape (..., m, d_k={query.shape[-1]}); got {key.shape}")
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value must have shape (..., m={key.shape[-2]}, d_v); got {value.shape}")


def _grouped(query: Array, key: Array, value: Array) -> tuple[Array, Array, Array]:
    """Key and value heads repeated until each query head has its own; neighbours share (Ainslie et al. 2023)."""
    heads = query.shape[-3] if query.ndim > 2 else 1

    def repeated(name: str, array: Array) -> Array:
        if heads == 1 or array.ndim == 2 or array.shape[-3] in (1, heads):
            return array
        if heads % array.shape[-3]:
            raise ValueError(
                f"{name} must have a number of heads that divides the query's {heads}; got {array.shape}"
            )
        return np.repeat(array, heads // array.shape[-3], axis=-3)

    return query, repeated("key", key), repeated("value", value)
