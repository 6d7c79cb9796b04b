"""Cells of head outputs, concatenation, contributions and output."""

from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell, Line, Part, Term, bracketed, indexed, number, sign
from attnviz.explain.parts import Explanation, Operand, cell_products, kept_keys, part


def head_output(trace: AttentionTrace, cell: Cell) -> Explanation:
    # A hidden key is no term; where all are hidden, the terms are all 0.
    kept = kept_keys(trace, cell.head, cell.row) or range(trace.weights.shape[2])
    weights = [Cell("weights", cell.row, j, cell.head) for j in kept]
    values = [Cell("value", j, cell.column, cell.head) for j in kept]
    d_v = trace.value.shape[2]
    result = part(trace, cell)
    return Explanation(
        cell,
        float(result.value or 0.0),
        (Line((Part("o", "value"),), cell_products(trace, weights, values), result),),
        (
            Operand("weights", "", row=cell.row),
            Operand("value", "value", column=cell.column),
            Operand("head_outputs", "value", cell.row, cell.column),
        ),
        (*weights, *values),
        (Cell("concat", cell.row, cell.head * d_v + cell.column),),
    )


def concat(trace: AttentionTrace, cell: Cell) -> Explanation:
    d_v = trace.value.shape[2]
    head, column = divmod(cell.column, d_v)
    source = Cell("head_outputs", cell.row, column, head)
    return Explanation(
        cell,
        float(trace.concat[cell.row, cell.column]),
        (Line((Part("c", "value"), Part(" = o", "value")), ((part(trace, source),),)),),
        (Operand("concat", "value", cell.row, cell.column),),
        (source,),
        tuple(Cell("contributions", cell.row, c, head) for c in range(trace.output.shape[1])),
        ("concat",),
    )


def contribution(trace: AttentionTrace, cell: Cell) -> Explanation:
    d_v = trace.value.shape[2]
    outputs = [Cell("head_outputs", cell.row, c, cell.head) for c in range(d_v)]
    factors = [Cell("w_o", c, cell.column, cell.head) for c in range(d_v)]
    result = part(trace, cell)
    return Explanation(
        cell,
        float(result.value or 0.0),
        (Line((indexed("y", cell.head + 1),), cell_products(trace, outputs, factors), result),),
        (
            Operand("head_outputs", "value", row=cell.row),
            Operand("w_o", "", column=cell.column),
            Operand("contributions", "", cell.row, cell.column),
        ),
        tuple(Cell("concat", cell.row, cell.head * d_v + c) for c in range(d_v)),
        (Cell("output", cell.row, cell.column),),
    )


def output(trace: AttentionTrace, cell: Cell) -> Explanation:
    parts = [Cell("contributions", cell.row, cell.column, h) for h in range(len(trace.contributions))]
    terms: tuple[Term, ...] = tuple(bracketed((part(trace, c),)) for c in parts)
    if trace.layer.b_o is not None:
        terms = (*terms, (sign("b "), number(float(trace.layer.b_o[cell.column]))))
    if trace.residual:
        terms = (*terms, (sign("x "), part(trace, Cell("x", cell.row, cell.column))))
    return Explanation(
        cell,
        float(trace.output[cell.row, cell.column]),
        (Line((Part("y", "output"),), terms, part(trace, cell)),),
        (Operand("output", "output", cell.row, cell.column),),
        tuple(parts),
        (),
        ("output",),
    )
