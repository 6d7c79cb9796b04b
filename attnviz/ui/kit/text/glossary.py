"""The glossary: each term in one sentence, with its symbol, its shape and its other names."""

from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from attnviz.ui.kit import state
from attnviz.words import Words


@dataclass(frozen=True)
class Term:
    """A term in formulas: its symbol as HTML and, for a matrix, rows and columns in row notation."""

    symbol: str = ""
    rows: str = ""
    columns: str = ""


def glossary(*terms: str) -> None:
    """A button that opens the glossary: `terms` first (names in TERMS), the others folded away below.

    Raises ValueError for a name that is not in TERMS. Two glossaries on a page need different terms.
    """
    unknown = [term for term in terms if term not in TERMS]
    if unknown:
        raise ValueError(f"terms must be among {', '.join(TERMS)}; got {', '.join(map(repr, unknown))}")
    words = state.words()
    box = st.popover(
        words("glossary.title"),
        icon=":material/menu_book:",
        type="tertiary",
        key="_".join(("glossary", *terms)),
    )
    with box:
        st.html(entries(words, terms, columns=state.settings().notation == "columns"))


def entries(words: Words, terms: tuple[str, ...] = (), *, columns: bool = False) -> Markup:
    """The glossary as HTML; `columns` turns the shapes as column notation does."""
    first = Markup("").join(entry(words, term, columns=columns) for term in terms or TERMS)
    others = [term for term in TERMS if terms and term not in terms]
    if not others:
        return Markup('<dl class="av-glossary">{}</dl>').format(first)
    rest = Markup("").join(entry(words, term, columns=columns) for term in others)
    return Markup(
        '<dl class="av-glossary">{}</dl><details class="av-more"><summary>{}</summary>'
        '<dl class="av-glossary">{}</dl></details>'
    ).format(first, words("glossary.others"), rest)


def entry(words: Words, name: str, *, columns: bool = False) -> Markup:
    """One term: name, symbol and shape in a line, the sentence under it, then its other names."""
    term = TERMS[name]
    head = Markup("<dt><b>{}</b>").format(words.html(f"glossary.{name}.name"))
    if term.symbol:
        head += Markup(" <span>{}</span>").format(Markup(term.symbol))
    if term.rows:
        shape = (term.columns, term.rows) if columns else (term.rows, term.columns)
        head += Markup(' <span class="av-muted">{} × {}</span>').format(*map(Markup, shape))
    body = Markup("</dt><dd>{}").format(words.html(f"glossary.{name}.text"))
    if f"glossary.{name}.also" in words:
        also = words.html("glossary.also", names=words.html(f"glossary.{name}.also"))
        body += Markup(' <span class="av-muted">{}</span>').format(also)
    return head + body + Markup("</dd>")


def _coloured(role: str, symbol: str, below: str = "h") -> str:
    return f'<var class="{role}">{symbol}</var><sub><var>{below}</var></sub>'


_N, _M, _H = "<var>n</var>", "<var>m</var>", "<var>H</var>"
_D_MODEL, _D_K, _D_V = (f"<var>d</var><sub>{below}</sub>" for below in ("model", "k", "v"))
_WORDS = "<var>V</var>"

TERMS: dict[str, Term] = {
    "token": Term("<var>i</var>, <var>j</var>"),
    "vocabulary": Term(_WORDS),
    "id": Term(),
    "one_hot": Term("<var>o</var>", _N, _WORDS),
    "embedding": Term("<var>x</var>", _N, _D_MODEL),
    "position": Term("<var>P</var>", _N, _D_MODEL),
    "query": Term(_coloured("query", "Q"), _N, _D_K),
    "key": Term(_coloured("key", "K"), _M, _D_K),
    "value": Term(_coloured("value", "V"), _M, _D_V),
    "inner_product": Term('<var class="query">q</var> · <var class="key">k</var>'),
    "score": Term("<var>S</var><sub><var>h</var></sub>", _N, _M),
    "scale": Term(f"√{_D_K}"),
    "temperature": Term("<var>T</var>"),
    "mask": Term("keep", _N, _M),
    "causal": Term("<var>j</var> ≤ <var>i</var>", _N, _M),
    "softmax": Term("softmax"),
    "weights": Term("<var>A</var><sub><var>h</var></sub>", _N, _M),
    "head": Term("<var>h</var>"),
    "head_output": Term(_coloured("value", "O"), _N, _D_V),
    "concatenation": Term("<var>C</var>", _N, f"{_H} {_D_V}"),
    "w_o": Term("<var>W</var><sup><var>O</var></sup>", f"{_H} {_D_V}", _D_MODEL),
    "output": Term('<var class="output">Y</var>', _N, _D_MODEL),
    "residual": Term("<var>x</var> + …", _N, _D_MODEL),
    "self_attention": Term(f"{_N} = {_M}"),
    "cross_attention": Term(f"{_N}, {_M}"),
    "d_model": Term(_D_MODEL),
    "d_k": Term(_D_K),
    "d_v": Term(_D_V),
    "num_heads": Term(_H),
}
