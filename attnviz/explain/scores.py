"""Cells of scores, scaled and masked scores."""

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.layer import AttentionTrace
from attnviz.core.modifiers import alibi_kind, alibi_slopes
from attnviz.core.written import Cell, Line, Pair, Part, Term, Written, bracketed, number, pair_by_name, sign
from attnviz.explain.parts import Explanation, Operand, head_parameters, matrix, part, row_parts


def score(trace: AttentionTrace, cell: Cell) -> Explanation:
    pair = pair_of(trace, cell)
    written = written_score(trace, pair) or pair_by_name(trace.recipe.score.name, pair)
    return Explanation(
        cell,
        float(trace.scores[cell.head, cell.row, cell.column]),
        written.lines,
        (
            Operand("query", "query", row=cell.row),
            Operand("key", "key", row=cell.column),
            *(Operand(f"score_{name}", "") for name in trace.recipe.score.arrays),
            Operand("scores", "", cell.row, cell.column),
        ),
        (Cell("query", cell.row, 0, cell.head), Cell("key", cell.column, 0, cell.head)),
        (Cell("scaled", cell.row, cell.column, cell.head),),
        (written.note,) if written.note else (),
    )


def pair_of(trace: AttentionTrace, cell: Cell) -> Pair:
    """The query and the key of a cell of the scores, with their score and the parameters of its head."""
    return Pair(
        row_parts(trace, "query", cell.row, cell.head),
        row_parts(trace, "key", cell.column, cell.head),
        part(trace, Cell("scores", cell.row, cell.column, cell.head)),
        head_parameters(trace, cell.head),
    )


def written_score(trace: AttentionTrace, pair: Pair) -> Written | None:
    """How the score function writes a pair out; None where it does not say."""
    write = trace.recipe.score.written
    return None if write is None else write(pair)


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
