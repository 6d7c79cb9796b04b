"""All score functions on the same queries and keys, and what becomes of the scores when vectors change."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.attention import attend
from attnviz.core.modifiers import alibi_bias, divisor, rotate
from attnviz.core.scores import SCORE_FUNCTIONS, ScoreFunction, random_score_parameters
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import Settings

Parameters = dict[str, Array | float]

MOST_QUERIES = 64  # that are compared: each row of scores and weights is a matter of its own query
MOST_PAIRS = 32  # tokens a side whose changes are measured: a score is a matter of its own pair
ROUNDING = 1e-9

Verdict = Literal["same", "times", "square", "other"]


@dataclass(frozen=True, eq=False)
class Compared:
    """One score function on one head of a lesson, for some of its queries."""

    name: str
    scores: Array  # (queries, m)
    weights: Array  # (queries, m)
    scale: float
    parameters: Parameters


def compare(lesson: Lesson, head: int, rows: slice = slice(None)) -> tuple[Compared, ...]:
    """Every score function on the lesson's queries `rows` and all keys of one head, all else as it is set."""
    return tuple(_compared(lesson, head, rows, name) for name in SCORE_FUNCTIONS)


def rows_round(count: int, focus: int) -> slice:
    """At most MOST_QUERIES of `count` queries, `focus` among them."""
    first = min(max(focus - MOST_QUERIES // 2, 0), max(count - MOST_QUERIES, 0))
    return slice(first, min(first + MOST_QUERIES, count))


def head_parameters(settings: Settings, score: str, head: int, d_k: int) -> Parameters:
    """The parameters of a score function for one head: numbers from the settings, arrays drawn with the seed."""
    numbers: Parameters = {name: settings[name] for name in SCORE_FUNCTIONS[score].numbers}
    return numbers | _drawn(SCORE_FUNCTIONS[score], head, d_k, settings.seed)


@lru_cache(maxsize=8)
def _drawn(score: ScoreFunction, head: int, d_k: int, seed: int) -> Parameters:
    """The arrays of one head; drawing them anew for every picture would take longer than the scores."""
    drawn = random_score_parameters(score, d_k=d_k, num_heads=head + 1, seed=seed)
    return {name: array[head].copy() for name, array in drawn.items()}


def _compared(lesson: Lesson, head: int, rows: slice, score: str) -> Compared:
    settings, trace = lesson.settings, lesson.trace
    query, key, value = trace.query[head, rows], trace.key[head], trace.value[head]
    parameters = head_parameters(settings, score, head, query.shape[1])
    bias = _bias(lesson, head)
    scale = settings.divisor if settings.scale == "number" else settings.scale
    keep = None if trace.keep is None else np.broadcast_to(trace.keep, trace.scores.shape)[head, rows]
    made = attend(
        query,
        key,
        value,
        score=score,
        scale=divisor(scale, score=score, d_k=settings.d_k, d_model=settings.d_model),
        keep=keep,
        temperature=settings.temperature,
        softcap=settings.softcap or None,
        bias=None if bias is None else bias[rows],
        normalizer=settings.normalizer,
        **parameters,
    )
    return Compared(score, made.scores, made.weights, made.scale, parameters)


def _bias(lesson: Lesson, head: int) -> Array | None:
    settings = lesson.settings
    if settings.bias_kind != "alibi":
        return None
    n, m = lesson.trace.scores.shape[1:]
    return np.asarray(alibi_bias(settings.num_heads, n, m, causal=settings.mask.startswith("causal"))[head])


# --- what becomes of the scores when vectors change ---------------------------------------------


@dataclass(frozen=True)
class Change:
    """Scores before and after: at the pair in focus, over all pairs, and what holds for all pairs alike."""

    before: float
    after: float
    largest: float  # largest change of a score over all pairs
    verdict: Verdict


@dataclass(frozen=True)
class Changes:
    """What one score function does with longer vectors, turned vectors, and query and key swapped."""

    name: str
    longer_query: Change
    longer_both: Change
    turned_both: Change
    turned_query: Change
    swapped: Change


def changes(
    score: str,
    query: Array,
    key: Array,
    parameters: Parameters,
    *,
    pair: tuple[int, int],
    stretch: float,
    angle: float,
) -> Changes:
    """What the scores of query (n, d_k) and key (m, d_k) become; `angle` in radians.

    Turning turns every pair of neighbouring coordinates by the same angle, a rotation of the whole
    space; an odd last coordinate stays.
    """
    function = SCORE_FUNCTIONS[score].function

    def scores(q: Array, k: Array) -> Array:
        return np.asarray(function(q, k, **parameters))

    before = scores(query, key)
    turned_query, turned_key = turned(query, angle), turned(key, angle)
    return Changes(
        score,
        _change(before, scores(stretch * query, key), pair, stretch),
        _change(before, scores(stretch * query, stretch * key), pair, stretch),
        _change(before, scores(turned_query, turned_key), pair),
        _change(before, scores(turned_query, key), pair),
        _change(before, scores(key, query).T, pair),
    )


def turned(vectors: Array, angle: float) -> Array:
    """The vectors (n, d), every pair of neighbouring coordinates turned by `angle` (radians)."""
    return np.asarray(rotate(vectors, np.full(len(vectors), angle), base=1.0))


def _change(before: Array, after: Array, pair: tuple[int, int], stretch: float | None = None) -> Change:
    return Change(
        float(before[pair]),
        float(after[pair]),
        float(np.abs(after - before).max()),
        _verdict(before, after, stretch),
    )


def _verdict(before: Array, after: Array, stretch: float | None) -> Verdict:
    """What holds for all pairs; unchanged comes first, so that a stretch of 1 is no change."""
    limit = ROUNDING * max(1.0, float(np.abs(before).max()), float(np.abs(after).max()))

    def close(expected: Array) -> bool:
        return bool(np.abs(after - expected).max() <= limit)

    if close(before):
        return "same"
    if stretch is not None and close(stretch * before):
        return "times"
    if stretch is not None and close(stretch**2 * before):
        return "square"
    return "other"


def along_length(score: str, query: Array, key: Array, parameters: Parameters, factors: Array) -> Array:
    """The scores of one query and one key, (d_k,) each, with the query `factors` times as long."""
    scores = SCORE_FUNCTIONS[score].function(factors[:, None] * query, key[None], **parameters)
    return np.asarray(scores)[:, 0]


def along_angle(
    score: str, query: Array, key: Array, parameters: Parameters, angles: Array, *, both: bool
) -> Array:
    """The scores of one query and one key, (d_k,) each, with the query (or both) turned by the angles."""
    function = SCORE_FUNCTIONS[score].function
    turned_query = np.asarray(rotate(np.repeat(query[None], len(angles), axis=0), angles, base=1.0))
    if not both:
        return np.asarray(function(turned_query, key[None], **parameters))[:, 0]
    turned_key = np.asarray(rotate(np.repeat(key[None], len(angles), axis=0), angles, base=1.0))
    pairs = function(turned_query[:, None], turned_key[:, None], **parameters)  # (angles, 1, 1)
    return np.asarray(pairs)[:, 0, 0]
