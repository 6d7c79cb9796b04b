"""Cells of scores, scaled and masked scores."""

from collections.abc import Callable

import numpy as np

from attnviz.core.layer import AttentionTrace
from attnviz.core.modifiers import alibi_kind, alibi_slopes
from attnviz.explain.parts import (
    Array,
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


def _pair(trace: AttentionTrace, cell: Cell) -> tuple[list[Cell], list[Cell]]:
    d_k = trace.query.shape[2]
    query = [Cell("query", cell.row, c, cell.head) for c in range(d_k)]
    key = [Cell("key", cell.column, c, cell.head) for c in range(d_k)]
    return query, key


def score(trace: AttentionTrace, cell: Cell) -> Explanation:
    query, key = _pair(trace, cell)
    lines, extra = SCORE_LINES[trace.recipe.score.name](trace, cell, query, key)
    return Explanation(
        cell,
        float(trace.scores[cell.head, cell.row, cell.column]),
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


_ScoreLines = Callable[
    [AttentionTrace, Cell, list[Cell], list[Cell]], tuple[tuple[Line, ...], tuple[str, ...]]
]
_S = (sign("s"),)


def _dot(
    trace: AttentionTrace, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    return (Line(_S, products(trace, q, k), part(trace, cell)),), ()


def _general(
    trace: AttentionTrace, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    turned = trace.query[cell.head, cell.row] @ matrix(trace, "score_w", cell.head)  # (d_k,)
    terms = tuple(
        bracketed((number(float(u), "query"), sign(" × "), part(trace, b)))
        for u, b in zip(turned, k, strict=True)
    )
    first = tuple((number(float(u), "query"),) for u in turned)
    lines = (
        Line((sign("qW"),), first, joiner=", ", open="(", close=")"),
        Line(_S, terms, part(trace, cell)),
    )
    return lines, ("score_w",)


def _additive(
    trace: AttentionTrace, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    h = cell.head
    hidden_q = matrix(trace, "score_w_query", h) @ trace.query[h, cell.row]  # (a,)
    hidden_k = matrix(trace, "score_w_key", h) @ trace.key[h, cell.column]  # (a,)
    v = [Cell("score_v", 0, a, h) for a in range(len(hidden_q))]
    pairs = zip(v, hidden_q, hidden_k, strict=True)
    terms = tuple(
        bracketed(
            (
                part(trace, c),
                sign(" × tanh("),
                number(float(a), "query"),
                sign(" + "),
                number(float(b), "key"),
                sign(")"),
            )
        )
        for c, a, b in pairs
    )
    return (Line(_S, terms, part(trace, cell)),), ("score_w_query", "score_w_key", "score_v")


def _cosine(
    trace: AttentionTrace, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    query, key = trace.query[cell.head, cell.row], trace.key[cell.head, cell.column]
    inner = number(float(query @ key))
    lengths = (float(np.linalg.norm(query)), float(np.linalg.norm(key)))
    if not all(lengths):
        return (Line(_S, ((part(trace, cell),),)),), ()
    last = (
        number(float(trace.score_parameters["beta"])),
        sign(" × "),
        inner,
        sign(" / ("),
        number(lengths[0], "query"),
        sign(" × "),
        number(lengths[1], "key"),
        sign(")"),
    )
    return (
        Line((sign("q·k"),), products(trace, q, k), inner),
        Line(_S, (last,), part(trace, cell)),
    ), ()


def _gaussian(
    trace: AttentionTrace, cell: Cell, q: list[Cell], k: list[Cell]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    query, key = trace.query[cell.head, cell.row], trace.key[cell.head, cell.column]
    distance = number(float(((query - key) ** 2).sum()))
    terms = tuple(
        (sign("("), part(trace, a), sign(" − "), part(trace, b), sign(")²"))
        for a, b in zip(q, k, strict=True)
    )
    last = (sign("−"), distance, sign(" / (2 × "), number(float(trace.score_parameters["sigma"])), sign("²)"))
    return (Line((sign("|q − k|²"),), terms, distance), Line(_S, (last,), part(trace, cell))), ()


def scaled(trace: AttentionTrace, cell: Cell) -> Explanation:
    recipe = trace.recipe
    source = Cell("scores", cell.row, cell.column, cell.head)
    first: list[Part] = [part(trace, source), sign(" / "), number(recipe.scale)]
    value = float(part(trace, source).value or 0.0) / recipe.scale
    if recipe.temperature != 1:
        first += [sign(" / "), number(recipe.temperature)]
        value /= recipe.temperature
    lines: list[Line] = []
    terms: tuple[Term, ...] = (tuple(first),)
    if recipe.softcap is not None:
        cap = number(recipe.softcap)
        lines.append(Line((sign("u"),), terms, number(value)))
        terms = ((cap, sign(" × tanh("), number(value), sign(" / "), cap, sign(")")),)
    if recipe.bias is not None:
        terms = (*terms, _added(np.broadcast_to(recipe.bias, trace.scores.shape), cell))
    lines.append(Line((sign("s̃"),), terms, part(trace, cell)))
    return Explanation(
        cell,
        float(trace.scaled[cell.head, cell.row, cell.column]),
        tuple(lines),
        (Operand("scores", "", cell.row, cell.column), Operand("scaled", "", cell.row, cell.column)),
        (source,),
        (Cell("masked", cell.row, cell.column, cell.head),),
    )


def _added(bias: Array, cell: Cell) -> Term:
    """The bias on one score: the slope times the distance where it is ALiBi's, else the number."""
    kind = alibi_kind(bias)
    if not kind:
        return bracketed((number(float(bias[cell.head, cell.row, cell.column])),))
    distance = cell.row - cell.column if kind == "causal" else abs(cell.row - cell.column)
    slope = float(alibi_slopes(len(bias))[cell.head])
    return (sign("(−"), number(slope), sign(" × "), number(distance), sign(")"))


def masked(trace: AttentionTrace, cell: Cell) -> Explanation:
    value = float(matrix(trace, "masked", cell.head)[cell.row, cell.column])
    source = Cell("scaled", cell.row, cell.column, cell.head)
    hidden = bool(np.isnan(value))
    lines = () if hidden else (Line((sign("m = s̃"),), ((part(trace, source),),)),)
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
