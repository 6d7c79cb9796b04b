"""The formula of each station in LaTeX, with the sizes at hand, in row or column notation.

Colours are put in as `\\textcolor` of the three roles; nothing the reader typed ever gets here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attnviz.core.layer import AttentionTrace
from attnviz.core.modifiers import alibi_kind


@dataclass(frozen=True)
class Ink:
    """The text shades of the roles, as #RRGGBB."""

    query: str
    key: str
    value: str
    output: str


@dataclass(frozen=True)
class _Writer:
    """Symbols with their sizes underneath, turned where tokens are columns."""

    trace: AttentionTrace
    ink: Ink
    columns: bool
    positions: bool

    def sized(self, symbol: str, rows: int, columns: int, role: str = "") -> str:
        """The symbol over its size; `rows` and `columns` are those of row notation."""
        if self.columns:
            rows, columns = columns, rows
        text = symbol if not role else rf"\textcolor{{{getattr(self.ink, role)}}}{{{symbol}}}"
        return rf"\underset{{{rows}\times {columns}}}{{{text}}}"

    def product(self, *factors: str) -> str:
        """Factors in the order of row notation; turned round in column notation."""
        return r"\;".join(reversed(factors) if self.columns else factors)

    def matrices(self) -> dict[str, str]:
        """The whole matrices of the scores over their sizes, as they stand and turned, and the parameters."""
        n, m = self.trace.scores.shape[1:]
        d_k = self.trace.layer.d_k
        found = {"S": self.sized("S_h", n, m)}
        for symbol, tokens, role in (("Q", n, "query"), ("K", m, "key")):
            found[symbol] = self.sized(f"{symbol}_h", tokens, d_k, role)
            coloured = rf"\textcolor{{{getattr(self.ink, role)}}}{{{symbol}_h}}^{{\top}}"
            found[f"{symbol}{TURNED}"] = self.sized(coloured, d_k, tokens)
        for name, parameter in self.trace.recipe.score.arrays.items():
            rows, columns = (1, *np.shape(self.trace.score_parameters[name]))[-2:]
            symbol, turned = f"{parameter.symbol or name}_h", f"{parameter.symbol or name}_h{TURNED}"
            # A matrix of parameters is the same in both notations: the formula says where it is turned.
            found[parameter.symbol or name] = rf"\underset{{{rows}\times {columns}}}{{{symbol}}}"
            found[f"{parameter.symbol or name}{TURNED}"] = rf"\underset{{{columns}\times {rows}}}{{{turned}}}"
        return found | self.numbers()

    def pair(self) -> dict[str, str]:
        """One query, one key and their score, and the parameters that are numbers."""
        query, key = rf"\textcolor{{{self.ink.query}}}{{q_i}}", rf"\textcolor{{{self.ink.key}}}{{k_j}}"
        found = {"q_i": query, "k_j": key, "s_{ij}": "S_{ij}", "s_{ji}": "S_{ji}"}
        return found | {f"{name}{TURNED}": f"{text}{TURNED}" for name, text in found.items()} | self.numbers()

    def numbers(self) -> dict[str, str]:
        """The parameters that are numbers, by their symbols."""
        given = self.trace.recipe.score.numbers.items()
        return {p.symbol or name: f"{self.trace.score_parameters[name]:g}" for name, p in given}

    def projection(self, symbol: str, letter: str, role: str, tokens: int, size: int, source: bool) -> str:
        x = "x'" if source and self.trace.cross else "x"
        d_model = self.trace.layer.d_model
        left = self.sized(f"{symbol}_h", tokens, size, role)
        right = self.product(self.sized(x, tokens, d_model), self.sized(f"W_h^{letter}", d_model, size))
        added = rf" + b_h^{letter}" if self.trace.layer.b_q is not None else ""
        if self.trace.recipe.rotary and letter != "V":
            return rf"{left} = \operatorname{{rotate}}\big({right}{added}\big)"
        return f"{left} = {right}{added}"


def formulas(
    stage: str, trace: AttentionTrace, ink: Ink, *, columns: bool = False, positions: bool = False
) -> tuple[str, ...]:
    """The formulas of a station; several where it makes several things.

    columns: tokens are columns; positions: x had its positions added, which the trace does not know.
    """
    return FORMULAS[stage](_Writer(trace, ink, columns, positions))


def _x(w: _Writer) -> tuple[str, ...]:
    position = r" + P" if w.positions else ""
    first = w.sized("x", *w.trace.x.shape) + r" = E[\mathrm{ids}]" + position
    if not w.trace.cross:
        return (first,)
    return (first, w.sized("x'", *w.trace.x_source.shape) + r" = E[\mathrm{ids}']" + position)


def _qkv(w: _Writer) -> tuple[str, ...]:
    trace, d_k = w.trace, w.trace.layer.d_k
    n, m = trace.scores.shape[1:]
    return (
        w.projection("Q", "Q", "query", n, d_k, False),
        w.projection("K", "K", "key", m, d_k, True),
        w.projection("V", "V", "value", m, trace.layer.d_v, True),
    )


def _scores(w: _Writer) -> tuple[str, ...]:
    score = w.trace.recipe.score
    formula = score.column_formula if w.columns else score.row_formula
    if not formula:
        formula = rf"S = {called(score.name)}\big(Q,\;K\big)"
    return (_put_in(formula, w.matrices() if "S" in TOKEN.findall(formula) else w.pair()),)


def _put_in(formula: str, symbols: Mapping[str, str]) -> str:
    """The formula with symbols in place of its tokens; a number after a number is set apart as a factor."""

    def put(found: re.Match[str]) -> str:
        text = symbols.get(found[0], found[0])
        before = found.string[: found.start()].rstrip()
        return rf"\cdot {text}" if text[:1].isdigit() and before[-1:].isdigit() else text

    return TOKEN.sub(put, formula)


def called(name: str) -> str:
    """The name of a function that has no formula of its own, letter by letter."""
    letters = "".join(letter if letter.isalnum() else r"\_" for letter in name)
    return rf"\operatorname{{{letters}}}"


def _scaled(w: _Writer) -> tuple[str, ...]:
    recipe, shape = w.trace.recipe, w.trace.scores.shape
    inside = f"S_h{_divisor(w)}"
    if recipe.temperature != 1:
        inside += rf" / {recipe.temperature:g}"
    if recipe.softcap is not None:
        inside = rf"{recipe.softcap:g}\tanh\!\big(({inside}) / {recipe.softcap:g}\big)"
    if recipe.bias is not None:
        inside += BIASES[alibi_kind(np.broadcast_to(recipe.bias, shape))]
    left = w.sized(r"\tilde S_h", *shape[1:])
    return (f"{left} = {inside}",)


def _divisor(w: _Writer) -> str:
    recipe, layer = w.trace.recipe, w.trace.layer
    root = {"sqrt_d_k": layer.d_k, "sqrt_d_model": layer.d_model}.get(recipe.scale_name)
    if root:
        return rf"/\sqrt{{{root}}}"
    return "" if recipe.scale_name == "none" else rf"/\,{recipe.scale:g}"


def _masked(w: _Writer) -> tuple[str, ...]:
    n, m = w.trace.scores.shape[1:]
    index = "ji" if w.columns else "ij"
    keep = rf"\mathrm{{keep}}_{{{index}}}"
    cases = rf"\tilde S_{{{index}}} & {keep} = 1 \\ -\infty & {keep} = 0"
    return (rf"{w.sized('M_h', n, m)}: \; M_{{{index}}} = \begin{{cases}} {cases} \end{{cases}}",)


def _weights(w: _Writer) -> tuple[str, ...]:
    recipe = w.trace.recipe
    formula = recipe.normalizer.column_formula if w.columns else recipe.normalizer.row_formula
    if not formula:
        formula = rf"A = {called(recipe.normalizer.name)}\Big(M\Big)"
    untouched = w.trace.keep is None and recipe.bias is None and recipe.softcap is None
    product = _product_of(w) if untouched and recipe.temperature == 1 else ""
    inside = f"{product}{_divisor(w)}" if product else "M_h"
    return (_put_in(formula, {"A": w.sized("A_h", *w.trace.scores.shape[1:]), "M": inside}),)


def _product_of(w: _Writer) -> str:
    """The scores as the product of query and key where they are nothing else, else nothing."""
    (formula,) = _scores(w) if w.trace.recipe.score.name == "dot" else ("",)
    return formula.partition(" = ")[2]


def _heads(w: _Writer) -> tuple[str, ...]:
    n, m = w.trace.scores.shape[1:]
    d_v = w.trace.value.shape[2]
    return (
        f"{w.sized('O_h', n, d_v)} = " + w.product(w.sized("A_h", n, m), w.sized("V_h", m, d_v, "value")),
    )


def _concat(w: _Writer) -> tuple[str, ...]:
    heads, n, d_v = w.trace.head_outputs.shape
    names = _some([rf"O_{{{h + 1}}}" for h in range(heads)], r"\cdots")
    joint = r"\;" if not w.columns else r";\;"
    return (f"{w.sized('C', n, heads * d_v)} = [{joint.join(names)}]",)


def _output(w: _Writer) -> tuple[str, ...]:
    heads, n, d_v = w.trace.head_outputs.shape
    d_model = w.trace.layer.d_model
    whole = w.product(w.sized("C", n, heads * d_v), w.sized("W^O", heads * d_v, d_model))
    parts = [
        w.product(w.sized(rf"O_{{{h + 1}}}", n, d_v), w.sized(rf"W_{{{h + 1}}}^O", d_v, d_model))
        for h in range(heads)
    ]
    added = "" if w.trace.layer.b_o is None else " + b^O"
    added += " + x" if w.trace.residual else ""
    total = " + ".join(parts if heads <= 3 else (parts[0], r"\cdots", parts[-1]))
    return (f"{w.sized('Y', n, d_model, 'output')} = {whole}{added} = {total}{added}",)


def _some(parts: list[str], dots: str) -> list[str]:
    return parts if len(parts) <= 3 else [parts[0], parts[1], dots, parts[-1]]


TURNED = r"^{\top}"
# A symbol of a formula: a command, or a letter with what stands below it and whether it is turned.
TOKEN = re.compile(
    r"\\(?:operatorname|mathrm|text)\{[^{}]*\}|\\[A-Za-z]+"
    r"|[A-Za-z](?:_(?:\{[^{}]*\}|[A-Za-z0-9]))?(?:\^\{\\top\})?"
)
BIASES = {"": " + B_h", "distance": r" - m_h\,|i-j|", "causal": r" - m_h\,(i-j)"}
FORMULAS: dict[str, Callable[[_Writer], tuple[str, ...]]] = {
    "x": _x,
    "qkv": _qkv,
    "scores": _scores,
    "scaled": _scaled,
    "masked": _masked,
    "weights": _weights,
    "heads": _heads,
    "concat": _concat,
    "output": _output,
}
