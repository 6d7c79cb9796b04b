"""Attention itself: from query, key and value to the weights and the output, with every step kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    as_array,
    as_real,
    computing_dtype,
    is_finite,
    positive,
    require_broadcast,
    require_finite,
)
from .checks import require_known, require_leading, require_shapes
from .masks import Keep, as_keep, empty_rows
from .modifiers import named_scale, soft_capped
from .normalizers import Normalizer, find_normalizer
from .scores import Score, ScoreFunction, checked_parameters, find_score
from .sealed import Sealed, sealed, sealed_copy, sealed_parameters, sealed_record


@dataclass(frozen=True, eq=False)
class Attention(Sealed):
    """Every step of one attention, over any leading axes (heads, batches); its arrays cannot be written to.

    scaled is the scores after scale, temperature, softcap and bias (the same array where none of them changes
    anything); keep is as given, as truth values, None without a mask; recipe says how the scores became weights;
    score_parameters are those that were used.
    """

    scores: Array  # (..., n, m)
    scaled: Array  # (..., n, m)
    keep: Keep | None  # broadcasts to (..., n, m)
    weights: Array  # (..., n, m)
    output: Array  # (..., n, d_v)
    recipe: Recipe
    score_parameters: Mapping[str, Array | float]

    @property
    def scale(self) -> float:
        """The number that divided the scores."""
        return self.recipe.scale

    @property
    def empty_rows(self) -> Keep:
        """The queries that may look at nothing, shape (..., n): their weights and outputs are 0."""
        return empty_rows(self.keep, self.weights.shape)


@np.errstate(all="ignore")  # what is not finite is refused by name, where a query may look
def attend(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    score: Score = "dot",
    scale: str | float = "auto",
    keep: ArrayLike | None = None,
    temperature: float = 1.0,
    softcap: float | None = None,
    bias: ArrayLike | None = None,
    normalizer: str | Normalizer | Callable[..., Array] = "softmax",
    **score_parameters: ArrayLike,
) -> Attention:
    """Attention of each query over the keys: output = softmax(score(query, key) / scale) value.

    query (..., n, d_k), key (..., m, d_k), value (..., m, d_v). Leading axes broadcast; where there are fewer
    key/value heads (axis -3) than query heads, each serves a group of neighbouring query heads.
    score: a name in SCORE_FUNCTIONS, a record like those, or any function(query, key) that returns (..., n, m);
    normalizer: the same with NORMALIZERS and function(scores, keep).
    scale: "auto" (sqrt(d_k) for dot and general, else 1), "sqrt_d_k", "none" or the divisor.
    keep (True = may look at; or floats 0 and -inf) and bias (added) broadcast to (..., n, m).
    Order: score, scale, temperature, softcap, bias, keep, normalizer.
    Half precision is computed in float32: weights and output come back in half, the scores stay in float32.

    Raises ValueError for shapes that do not fit, unknown names, and numbers that are not finite where a query
    may look. (Vaswani et al. 2017, equation 1; the sources of the score functions are in SCORE_FUNCTIONS.)
    """
    q, k, v = as_real("query", query), as_real("key", key), as_real("value", value)
    require_shapes(q, k, v)
    given = np.result_type(q, k, v)
    dtype = computing_dtype(given)
    q, k, v = (array.astype(dtype, copy=False) for array in (q, _grouped(k, q), _grouped(v, q)))
    recipe = find_recipe(score, scale, temperature, softcap, bias, normalizer, dtype=dtype, d_k=q.shape[-1])
    if score_parameters:
        require_known(score_parameters, recipe.score.name, recipe.score.parameters)
    parameters = checked_parameters(recipe.score, score_parameters, dtype, q.shape[-1])
    leading = {"query": q.shape[:-2], "key": k.shape[:-2], "value": v.shape[:-2]}
    for name, parameter in parameters.items():
        if isinstance(parameter, np.ndarray):
            leading[name] = parameter.shape[: -len(recipe.score.parameters[name].axes)]
    require_leading(leading)
    kept = None if keep is None else sealed_copy(as_keep(keep))
    scores, scaled, weights = weigh(q, k, kept, recipe, parameters)  # (..., n, m)
    output = weights @ _reachable(v, kept, weights.shape)  # (..., n, d_v)
    weights, output = weights.astype(given, copy=False), output.astype(given, copy=False)
    require_finite("the output", output)
    for array in (scores, scaled, weights, output):
        sealed(array)
    return sealed_record(
        Attention,
        {
            "scores": scores,
            "scaled": scaled,
            "keep": kept,
            "weights": weights,
            "output": output,
            "recipe": recipe,
            "score_parameters": sealed_parameters(parameters),
        },
    )


@dataclass(frozen=True, eq=False)
class Recipe(Sealed):
    """How scores become weights: the settings of attend and of a layer, checked and looked up.

    scale is the number that divides the scores, scale_name what it was called ("sqrt_d_k", "none", "sqrt_d_model",
    or "number"); rotary says whether a layer turned query and key by their positions.
    """

    score: ScoreFunction
    scale: float
    scale_name: str
    temperature: float
    softcap: float | None
    normalizer: Normalizer
    rotary: bool
    bias: Array | None = None  # broadcasts to (..., n, m)


def find_recipe(
    score: Score,
    scale: str | float,
    temperature: float,
    softcap: float | None,
    bias: ArrayLike | None,
    normalizer: str | Normalizer | Callable[..., Array],
    *,
    dtype: np.dtype[Any],
    d_k: int,
    d_model: int | None = None,
    rotary: bool = False,
) -> Recipe:
    """The recipe of these names and numbers for scores of this type; ValueError says what is wrong with one."""
    records = find_score(score), find_normalizer(normalizer)
    # Of a function a record is made for each call, which nothing would look up again.
    made = callable(score) or callable(normalizer)
    try:
        make: Callable[..., Recipe] = _recipe.__wrapped__ if made else _recipe
        recipe = make(*records, scale, temperature, softcap, dtype, d_k, d_model, rotary)
    except TypeError:  # what cannot be a key, such as an array: checked like the rest, and refused by name
        recipe = _recipe.__wrapped__(*records, scale, temperature, softcap, dtype, d_k, d_model, rotary)
    return recipe if bias is None else replace(recipe, bias=_as_bias(bias))


def _as_bias(bias: ArrayLike) -> Array:
    array = as_array("bias", bias)
    if array.dtype == np.bool_:
        raise ValueError(
            "bias must be numbers to be added to the scores; got truth values: a mask goes into keep"
        )
    return sealed_copy(as_real("bias", array))


# The records themselves are in the key, so that one that takes the place of another takes effect.
@lru_cache(maxsize=256, typed=True)  # True is no 1.0
def _recipe(
    score: ScoreFunction,
    normalizer: Normalizer,
    scale: str | float,
    temperature: float,
    softcap: float | None,
    dtype: np.dtype[Any],
    d_k: int,
    d_model: int | None,
    rotary: bool,
) -> Recipe:
    name, divisor = named_scale(scale, score.default_scale, d_k=d_k, d_model=d_model, dtype=dtype)
    return Recipe(
        score,
        divisor,
        name,
        positive("temperature", temperature, dtype=dtype),
        None if softcap is None else positive("softcap", softcap, dtype=dtype),
        normalizer,
        rotary,
    )


def weigh(
    query: Array,
    key: Array,
    keep: Keep | None,
    recipe: Recipe,
    score_parameters: Mapping[str, Array | float],
) -> tuple[Array, Array, Array]:
    """The scores, the scaled scores and the weights, each (..., n, m)."""
    scores = recipe.score.function(query, key, **score_parameters)  # (..., n, m)
    pairs = (query.shape[-2], key.shape[-2])
    if scores.__class__ is not np.ndarray or scores.dtype.kind != "f" or scores.shape[-2:] != pairs:
        leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        scores = _made("score", recipe.score.name, scores, (*leading, *pairs))
    if recipe.score.written is None:  # a function of the caller's may give back an array that it keeps
        scores = scores.copy()
    if keep is not None:
        require_broadcast("keep", keep, scores.shape)
    if not is_finite(scores):
        _require_finite_where_kept("scores", scores, keep)
    scaled = scores
    if recipe.scale != 1.0:
        scaled = scaled / recipe.scale
    if recipe.temperature != 1.0:
        scaled = scaled / recipe.temperature
    if recipe.softcap is not None:
        scaled = soft_capped(scaled, recipe.softcap)
    if recipe.bias is not None:
        require_broadcast("bias", recipe.bias, scores.shape)
        scaled = np.add(scaled, recipe.bias, dtype=scores.dtype)
    # Else nothing can have overflowed.
    if recipe.bias is not None or recipe.scale < 1.0 or recipe.temperature < 1.0:
        _require_finite_where_kept("scaled scores", scaled, keep)
    weights = recipe.normalizer.function(scaled, keep)  # (..., n, m)
    if weights.__class__ is not np.ndarray or weights.dtype.kind != "f" or weights.shape != scores.shape:
        weights = _made("normalizer", recipe.normalizer.name, weights, scores.shape)
    if recipe.normalizer.written is None:
        weights = weights.copy()
    return scores, scaled, weights


def _made(kind: str, name: str, result: object, shape: tuple[int, ...]) -> Array:
    """What a function that is not ours returned, as numbers; ValueError unless it has this shape."""
    array = as_real(f"what the {kind} {name!r} returns", np.asarray(result))
    if array.shape != shape:
        raise ValueError(
            f"the {kind} {name!r} must return the shape (..., n, m) = {shape}; got {array.shape}"
        )
    return array


def _require_finite_where_kept(stage: str, numbers: Array, keep: Keep | None) -> None:
    wrong = np.asarray(~np.isfinite(numbers) & (True if keep is None else keep))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"the {stage} must be finite where a query may look; got {numbers[place]} at {place}"
        )


def _reachable(value: Array, keep: Keep | None, shape: tuple[int, ...]) -> Array:
    """The values (..., m, d_v) with 0 in place of those that are not finite and that no query may look at."""
    if is_finite(value):
        return value
    allowed = np.ones(shape, np.bool_) if keep is None else np.broadcast_to(keep, shape)
    looked_at = np.asarray(allowed.any(axis=-2))[..., None]  # (..., m, 1)
    if not np.all(np.isfinite(value) | ~looked_at):
        raise ValueError("value must be finite where a query may look; got NaN or infinity there")
    return np.where(looked_at, value, value.dtype.type(0.0))


def _grouped(array: Array, query: Array) -> Array:
    """Key or value heads repeated until each query head has its own: neighbours share (Ainslie et al. 2023)."""
    heads = query.shape[-3] if query.ndim > 2 else 1
    if heads == 1 or array.ndim == 2 or array.shape[-3] in (1, heads):
        return array
    return np.repeat(array, heads // array.shape[-3], axis=-3)
