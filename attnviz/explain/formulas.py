"""The formula of each station in LaTeX, with the sizes at hand, in row or column notation.

Colours are put in as `\\textcolor` of the three roles; nothing the reader typed ever gets here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.lesson import Lesson


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

    lesson: Lesson
    ink: Ink

    @property
    def columns(self) -> bool:
        return self.lesson.settings.notation == "columns"

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
        x = "x'" if source and self.lesson.cross else "x"
        d_model = self.lesson.settings.d_model
        left = self.sized(f"{symbol}_h", tokens, size, role)
        right = self.product(self.sized(x, tokens, d_model), self.sized(f"W_h^{letter}", d_model, size))
        added = rf" + b_h^{letter}" if self.lesson.trace.layer.b_q is not None else ""
        if self.lesson.settings.rotary and letter != "V":
            return rf"{left} = \operatorname{{rotate}}\big({right}{added}\big)"
        return f"{left} = {right}{added}"


def formulas(stage: str, lesson: Lesson, ink: Ink) -> tuple[str, ...]:
    """The formulas of a station; several where it makes several things."""
    return FORMULAS[stage](_Writer(lesson, ink))


def _x(w: _Writer) -> tuple[str, ...]:
    s, n = w.lesson.settings, len(w.lesson.tokens.tokens)
    position = r" + P" if s.position != "none" else ""
    first = w.sized("x", n, s.d_model) + r" = E[\mathrm{ids}]" + position
    if not w.lesson.cross:
        return (first,)
    return (first, w.sized("x'", len(w.lesson.source.tokens), s.d_model) + r" = E[\mathrm{ids}']" + position)


def _qkv(w: _Writer) -> tuple[str, ...]:
    s, trace = w.lesson.settings, w.lesson.trace
    n, m = trace.scores.shape[1:]
    return (
        w.projection("Q", "Q", "query", n, s.d_k, False),
        w.projection("K", "K", "key", m, s.d_k, True),
        w.projection("V", "V", "value", m, trace.value.shape[2], True),
    )


def _scores(w: _Writer) -> tuple[str, ...]:
    s = w.lesson.settings
    n, m = w.lesson.trace.scores.shape[1:]
    left = w.sized("S_h", n, m)
    query, key = rf"\textcolor{{{w.ink.query}}}{{q_i}}", rf"\textcolor{{{w.ink.key}}}{{k_j}}"
    index = "S_{ji}" if w.columns else "S_{ij}"
    written = {
        "dot": f"{left} = {_query_key(w, n, m)}",
        "general": f"{left} = {_query_key(w, n, m, middle=True)}",
        "additive": rf"{index} = v^{{\top}} \tanh(W_q\,{query} + W_k\,{key})"
        if w.columns
        else rf"{index} = \tanh({query}\,W_q^{{\top}} + {key}\,W_k^{{\top}})\,v^{{\top}}",
        "cosine": rf"{index} = {s.beta:g}\,\frac{{{query}\cdot {key}}}{{\lVert {query}\rVert\,\lVert {key}\rVert}}",
        "gaussian": rf"{index} = -\frac{{\lVert {query} - {key}\rVert^2}}{{2\cdot {s.sigma:g}^2}}",
    }
    return (written[s.score],)


def _query_key(w: _Writer, n: int, m: int, middle: bool = False) -> str:
    d_k = w.lesson.settings.d_k
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
    s = w.lesson.settings
    n, m = w.lesson.trace.scores.shape[1:]
    inside = f"S_h{_divisor(w)}"
    if s.temperature != 1:
        inside += rf" / {s.temperature:g}"
    if s.softcap:
        inside = rf"{s.softcap:g}\tanh\!\big(({inside}) / {s.softcap:g}\big)"
    if s.bias_kind == "alibi":
        inside += r" - m_h\,(i-j)" if s.mask.startswith("causal") else r" - m_h\,|i-j|"
    left = w.sized(r"\tilde S_h", n, m)
    return (f"{left} = {inside}",)


def _divisor(w: _Writer) -> str:
    s = w.lesson.settings
    name = SCORE_FUNCTIONS[s.score].default_scale if s.scale == "auto" else s.scale
    root = {"sqrt_d_k": s.d_k, "sqrt_d_model": s.d_model}.get(name)
    if root:
        return rf"/\sqrt{{{root}}}"
    return "" if name == "none" else rf"/\,{w.lesson.trace.scale:g}"


def _masked(w: _Writer) -> tuple[str, ...]:
    n, m = w.lesson.trace.scores.shape[1:]
    index = "ji" if w.columns else "ij"
    keep = rf"\mathrm{{keep}}_{{{index}}}"
    cases = rf"\tilde S_{{{index}}} & {keep} = 1 \\ -\infty & {keep} = 0"
    return (rf"{w.sized('M_h', n, m)}: \; M_{{{index}}} = \begin{{cases}} {cases} \end{{cases}}",)


def _weights(w: _Writer) -> tuple[str, ...]:
    s = w.lesson.settings
    n, m = w.lesson.trace.scores.shape[1:]
    name = {"softmax": r"\operatorname{softmax}", "sparsemax": r"\operatorname{sparsemax}"}.get(
        s.normalizer, r"\sigma"
    )
    plain = s.score == "dot" and s.mask == "none" and s.bias_kind == "none" and not s.softcap
    inside = f"{_query_key(w, n, m)}{_divisor(w)}" if plain and s.temperature == 1 else "M_h"
    return (rf"{w.sized('A_h', n, m)} = {name}\Big({inside}\Big)",)


def _heads(w: _Writer) -> tuple[str, ...]:
    n, m = w.lesson.trace.scores.shape[1:]
    d_v = w.lesson.trace.value.shape[2]
    return (
        f"{w.sized('O_h', n, d_v)} = " + w.product(w.sized("A_h", n, m), w.sized("V_h", m, d_v, "value")),
    )


def _concat(w: _Writer) -> tuple[str, ...]:
    heads, n, d_v = w.lesson.trace.head_outputs.shape
    names = _some([rf"O_{{{h + 1}}}" for h in range(heads)], r"\cdots")
    joint = r"\;" if not w.columns else r";\;"
    return (f"{w.sized('C', n, heads * d_v)} = [{joint.join(names)}]",)


def _output(w: _Writer) -> tuple[str, ...]:
    heads, n, d_v = w.lesson.trace.head_outputs.shape
    d_model = w.lesson.settings.d_model
    whole = w.product(w.sized("C", n, heads * d_v), w.sized("W^O", heads * d_v, d_model))
    parts = [
        w.product(w.sized(rf"O_{{{h + 1}}}", n, d_v), w.sized(rf"W_{{{h + 1}}}^O", d_v, d_model))
        for h in range(heads)
    ]
    added = "" if w.lesson.trace.layer.b_o is None else " + b^O"
    added += " + x" if w.lesson.settings.residual else ""
    total = " + ".join(parts if heads <= 3 else (parts[0], r"\cdots", parts[-1]))
    return (f"{w.sized('Y', n, d_model, 'output')} = {whole}{added} = {total}{added}",)


def _some(parts: list[str], dots: str) -> list[str]:
    return parts if len(parts) <= 3 else [parts[0], parts[1], dots, parts[-1]]


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
