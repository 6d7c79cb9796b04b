"""Cells of scores, scaled and masked scores."""

from collections.abc import Callable

import numpy as np

from attnviz.core.modifiers import alibi_slopes
from attnviz.explain.parts import (
    Cell,
    Explanation,
    Line,
    Operand,
    Part,
    Term,
    bracketed,
    matrix,
    number,
    part,
    products,
    sign,
)
from attnviz.lesson.lesson import Lesson


def _pair(lesson: Lesson, cell: Cell) -> tuple[list[Cell], list[Cell]]:
    d_k = lesson.trace.query.shape[2]
    query = [Cell("query", cell.row, c, cell.head) for c in range(d_k)]
    key = [Cell("key", cell.column, c, cell.head) for c in range(d_k)]
    return query, key


def score(lesson: Lesson, cell: Cell) -> Explanation:
    query, key = _pair(lesson, cell)
    lines, extra = SCORE_LINES[lesson.settings.score](lesson, cell, query, key)
    return Explanation(
        cell,
        float(lesson.trace.scores[cell.head, cell.row, cell.column]),
        lines,
        (
            Operand("query", "query", row=cell.row),
            Operand("key", "key", row=cell.column),
            *(Operand(name, "") for name in extra),
            Operand("scores", "", cell.row, cell.column),
        ),
        (query[0], key[0]),
        (Cell("scaled", cell.row, cell.column, cell.head),),
    )


_ScoreLines = Callable[[Lesson, Cell, list[Cell], list[Cell]], tuple[tuple[Line, ...], tuple[str, ...]]]
_S = (sign("s"),)


def _dot(
    lesson: Lesson, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    return (Line(_S, products(lesson, q, k), part(lesson, cell)),), ()


def _general(
    lesson: Lesson, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    turned = lesson.trace.query[cell.head, cell.row] @ matrix(lesson, "score_w", cell.head)  # (d_k,)
    terms = tuple(
        bracketed((number(float(u), "query"), sign(" × "), part(lesson, b)))
        for u, b in zip(turned, k, strict=True)
    )
    first = tuple((number(float(u), "query"),) for u in turned)
    lines = (
        Line((sign("qW"),), first, joiner=", ", open="(", close=")"),
        Line(_S, terms, part(lesson, cell)),
    )
    return lines, ("score_w",)


def _additive(
    lesson: Lesson, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    trace, h = lesson.trace, cell.head
    hidden_q = matrix(lesson, "score_w_query", h) @ trace.query[h, cell.row]  # (a,)
    hidden_k = matrix(lesson, "score_w_key", h) @ trace.key[h, cell.column]  # (a,)
    v = [Cell("score_v", 0, a, h) for a in range(len(hidden_q))]
    pairs = zip(v, hidden_q, hidden_k, strict=True)
    terms = tuple(
        bracketed(
            (
                part(lesson, c),
                sign(" × tanh("),
                number(float(a), "query"),
                sign(" + "),
                number(float(b), "key"),
                sign(")"),
            )
        )
        for c, a, b in pairs
    )
    return (Line(_S, terms, part(lesson, cell)),), ("score_w_query", "score_w_key", "score_v")


def _cosine(
    lesson: Lesson, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    query, key = lesson.trace.query[cell.head, cell.row], lesson.trace.key[cell.head, cell.column]
    inner = number(float(query @ key))
    lengths = (float(np.linalg.norm(query)), float(np.linalg.norm(key)))
    if not all(lengths):
        return (Line(_S, ((part(lesson, cell),),)),), ()
    last = (
        number(lesson.settings.beta), sign(" × "), inner, sign(" / ("), number(lengths[0], "query"), sign(" × "),
        number(lengths[1], "key"), sign(")"),
    )  # fmt: skip
    return (
        Line((sign("q·k"),), products(lesson, q, k), inner),
        Line(_S, (last,), part(lesson, cell)),
    ), ()


def _gaussian(
    lesson: Lesson, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    query, key = lesson.trace.query[cell.head, cell.row], lesson.trace.key[cell.head, cell.column]
    distance = number(float(((query - key) ** 2).sum()))
    terms = tuple(
        (sign("("), part(lesson, a), sign(" − "), part(lesson, b), sign(")²"))
        for a, b in zip(q, k, strict=True)
    )
    last = (sign("−"), distance, sign(" / (2 × "), number(lesson.settings.sigma), sign("²)"))
    return (Line((sign("|q − k|²"),), terms, distance), Line(_S, (last,), part(lesson, cell))), ()


def scaled(lesson: Lesson, cell: Cell) -> Explanation:
    s, trace = lesson.settings, lesson.trace
    source = Cell("scores", cell.row, cell.column, cell.head)
    first: list[Part] = [part(lesson, source), sign(" / "), number(trace.scale)]
    value = float(part(lesson, source).value or 0.0) / trace.scale
    if s.temperature != 1:
        first += [sign(" / "), number(s.temperature)]
        value /= s.temperature
    lines: list[Line] = []
    terms: tuple[Term, ...] = (tuple(first),)
    if s.softcap:
        lines.append(Line((sign("u"),), terms, number(value)))
        terms = (
            (number(s.softcap), sign(" × tanh("), number(value), sign(" / "), number(s.softcap), sign(")")),
        )
    if s.bias_kind == "alibi":
        distance = cell.row - cell.column if s.mask.startswith("causal") else abs(cell.row - cell.column)
        slope = float(alibi_slopes(s.num_heads)[cell.head])
        terms = (*terms, (sign("(−"), number(slope), sign(" × "), number(distance), sign(")")))
    lines.append(Line((sign("s̃"),), terms, part(lesson, cell)))
    return Explanation(
        cell,
        float(trace.scaled[cell.head, cell.row, cell.column]),
        tuple(lines),
        (Operand("scores", "", cell.row, cell.column), Operand("scaled", "", cell.row, cell.column)),
        (source,),
        (Cell("masked", cell.row, cell.column, cell.head),),
    )


def masked(lesson: Lesson, cell: Cell) -> Explanation:
    value = float(matrix(lesson, "masked", cell.head)[cell.row, cell.column])
    source = Cell("scaled", cell.row, cell.column, cell.head)
    hidden = bool(np.isnan(value))
    lines = () if hidden else (Line((sign("m = s̃"),), ((part(lesson, source),),)),)
    return Explanation(
        cell,
        value,
        lines,
        (Operand("scaled", "", cell.row, cell.column), Operand("masked", "", cell.row, cell.column)),
        (source,),
        (Cell("weights", cell.row, cell.column, cell.head),),
        ("masked_hidden",) if hidden else ("masked_kept",),
    )


SCORE_LINES: dict[str, _ScoreLines] = {
    "dot": _dot,
    "general": _general,
    "additive": _additive,
    "cosine": _cosine,
    "gaussian": _gaussian,
}
