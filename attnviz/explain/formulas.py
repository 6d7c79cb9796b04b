"""The formula of each station in LaTeX, with the sizes at hand, in row or column notation.

Colours are put in as `\\textcolor` of the three roles; nothing the reader typed ever gets here.
"""

from collections.abc import Callable
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
    beta, sigma = (f"{w.trace.score_parameters.get(name, 0):g}" for name in ("beta", "sigma"))
    n, m = w.trace.scores.shape[1:]
    left = w.sized("S_h", n, m)
    query, key = rf"\textcolor{{{w.ink.query}}}{{q_i}}", rf"\textcolor{{{w.ink.key}}}{{k_j}}"
    index = "S_{ji}" if w.columns else "S_{ij}"
    written = {
        "dot": f"{left} = {_query_key(w, n, m)}",
        "general": f"{left} = {_query_key(w, n, m, middle=True)}",
        "additive": rf"{index} = v^{{\top}} \tanh(W_q\,{query} + W_k\,{key})"
        if w.columns
        else rf"{index} = \tanh({query}\,W_q^{{\top}} + {key}\,W_k^{{\top}})\,v^{{\top}}",
        "cosine": rf"{index} = {beta}\,\frac{{{query}\cdot {key}}}{{\lVert {query}\rVert\,\lVert {key}\rVert}}",
        "gaussian": rf"{index} = -\frac{{\lVert {query} - {key}\rVert^2}}{{2\cdot {sigma}^2}}",
    }
    return (written[w.trace.recipe.score.name],)


def _query_key(w: _Writer, n: int, m: int, middle: bool = False) -> str:
    d_k = w.trace.layer.d_k
    query = rf"\textcolor{{{w.ink.query}}}{{Q_h}}"
    key = rf"\textcolor{{{w.ink.key}}}{{K_h}}"
    if w.columns:
        inner = (rf"\underset{{{d_k}\times {d_k}}}{{W_h^{{\top}}}}",) if middle else ()
        first = rf"\underset{{{m}\times {d_k}}}{{{key}^{{\top}}}}"
        return r"\;".join((first, *inner, rf"\underset{{{d_k}\times {n}}}{{{query}}}"))
    inner = (rf"\underset{{{d_k}\times {d_k}}}{{W_h}}",) if middle else ()
    return r"\;".join(
        (
            rf"\underset{{{n}\times {d_k}}}{{{query}}}",
            *inner,
            rf"\underset{{{d_k}\times {m}}}{{{key}^{{\top}}}}",
        )
    )


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
    n, m = w.trace.scores.shape[1:]
    name = {"softmax": r"\operatorname{softmax}", "sparsemax": r"\operatorname{sparsemax}"}.get(
        recipe.normalizer.name, r"\sigma"
    )
    untouched = w.trace.keep is None and recipe.bias is None and recipe.softcap is None
    plain = recipe.score.name == "dot" and untouched and recipe.temperature == 1
    inside = f"{_query_key(w, n, m)}{_divisor(w)}" if plain else "M_h"
    return (rf"{w.sized('A_h', n, m)} = {name}\Big({inside}\Big)",)


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
