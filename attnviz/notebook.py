"""What a notebook shows of a trace: its maps as HTML, and the arithmetic of one cell.

NumPy only; a plot needs Plotly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.checks import one_of, texts, whole
from attnviz.core.layer import AttentionTrace
from attnviz.core.written import Cell, Line
from attnviz.explain import explain as explained
from attnviz.explain.parts import matrix, matrix_names
from attnviz.explain.stations import masked, seen_weights

MOST = 12  # rows, columns and heads that are drawn; the rest is counted
WHITE, BLUE, BROWN = (255, 255, 255), (0, 98, 155), (164, 90, 18)
HIDDEN = "background:repeating-linear-gradient(45deg,#8888 0 1px,transparent 1px 6px)"


@dataclass(frozen=True)
class Arithmetic:
    """Where one number of a trace comes from: its place, its value, and the lines that make it."""

    place: str
    value: float
    lines: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([f"{self.place} = {self.value:.6g}", *(f"  {line}" for line in self.lines)])


def arithmetic(trace: AttentionTrace, name: str, head: int, row: int, column: int) -> Arithmetic:
    """The arithmetic of a cell of the matrix called `name`; ValueError for what is none."""
    one_of("name", name, matrix_names(trace))
    head = whole("head", head, 0, trace.layer.num_heads - 1)
    rows, columns = matrix(trace, name, head).shape
    row, column = whole("row", row, 0, rows - 1), whole("column", column, 0, columns - 1)
    found = explained(trace, Cell(name, row, column, head))
    place = f"{name}, head {head}, row {row}, column {column}"
    return Arithmetic(place, found.value, tuple(map(_text, found.lines)))


def _text(line: Line) -> str:
    left = "".join(part.text for part in line.left)
    right = line.joiner.join("".join(part.text for part in term) for term in line.terms)
    result = "" if line.result is None else f" = {line.result.text}"
    joined = "" if "=" in left else " = "
    return f"{left}{joined}{line.open}{right}{line.close}{result}"


def html(trace: AttentionTrace) -> str:
    """The weights of each head as maps with their numbers; every other array folded away below."""
    parts = [f"<pre>{escape(repr(trace))}</pre>", _maps("weights", seen_weights(trace), opened=True)]
    for name in ("query", "key", "value", "scores", "scaled", "head_outputs", "contributions", "output"):
        array = masked(trace) if name == "scaled" else getattr(trace, name)
        parts.append(_maps(name, array))
    return f"<div>{''.join(parts)}</div>"


def _maps(name: str, array: Array, opened: bool = False) -> str:
    heads = array if array.ndim == 3 else array[None]
    titled = [f"head {h}" if array.ndim == 3 else "" for h in range(len(heads))]
    drawn = "".join(
        _map(head, title, name == "weights") for head, title in zip(heads[:MOST], titled, strict=False)
    )
    told = f"{name} {array.shape}" + (f", {MOST} of {len(heads)} heads" if len(heads) > MOST else "")
    state = " open" if opened else ""
    return f"<details{state}><summary>{escape(told)}</summary><div>{drawn}</div></details>"


def _map(values: Array, title: str, weights: bool) -> str:
    """One matrix as a table: the colour says the size, white to blue, or brown where negative."""
    shown = values[:MOST, :MOST]
    finite = np.abs(values[np.isfinite(values)])
    limit = 1.0 if weights else float(finite.max(initial=0.0)) or 1.0
    rows = "".join(f"<tr>{''.join(_cell(float(v), limit) for v in row)}</tr>" for row in shown)
    cut = f" {shown.shape} of {values.shape}" if shown.shape != values.shape else ""
    caption = f"<caption>{escape(title + cut)}</caption>" if title + cut else ""
    return f'<table style="display:inline-table;color:inherit;margin:4px;border-collapse:collapse">{caption}{rows}</table>'


def _cell(value: float, limit: float) -> str:
    if not np.isfinite(value):
        return f'<td title="masked" style="{HIDDEN}"></td>'
    share = min(abs(value) / limit, 1.0)
    end = BLUE if value >= 0 else BROWN
    colour = [round(a + (b - a) * share) for a, b in zip(WHITE, end, strict=True)]
    ink = "#fff" if share > 0.7 else "#000"
    text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
    style = f"background:rgb{tuple(colour)};color:{ink};text-align:right;padding:2px 6px"
    return f'<td style="{style}">{text}</td>'


def plot(trace: AttentionTrace, name: str, head: int | None, tokens: Sequence[str] | None) -> Any:
    """The matrix called `name` as a Plotly figure: one head, or all of them."""
    try:
        import plotly.graph_objects as go

        from attnviz.figures.base import scale_of
        from attnviz.figures.grid import A_ROW, lines_of
        from attnviz.figures.labels import Labels, number_labels, token_labels
        from attnviz.figures.matrices import matrix_row
        from attnviz.figures.matrix import Matrix
        from attnviz.figures.multiples import Small, small_maps
        from attnviz.figures.palette import LIGHT
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"plot must have Plotly: pip install attnviz[app]; got {missing}"
        ) from missing
    one_of("name", name, matrix_names(trace))
    words = None if tokens is None else texts("tokens", tokens, "['I', 'have']")
    last = trace.layer.num_heads - 1
    many = np.ndim(getattr(trace, name, trace.scores)) == 3
    heads = [whole("head", head, 0, last)] if head is not None else list(range(last + 1 if many else 1))
    arrays = [seen_weights(trace)[h] if name == "weights" else matrix(trace, name, h) for h in heads]
    limit = 1.0 if name == "weights" else scale_of(arrays)
    titles = [f"{name}, head {h}" if many else name for h in heads]

    def labels(count: int, role: str) -> Labels:
        fits = words is not None and len(words) == count
        return token_labels(words or (), role) if fits else number_labels(count)

    if len(arrays) > A_ROW:
        small = [
            Small(array, title, limit, name == "weights") for array, title in zip(arrays, titles, strict=True)
        ]
        figure = small_maps(small, palette=LIGHT, height=130 * lines_of(len(small)) + 30)
    else:
        across = "key" if name in ("scores", "scaled", "masked", "weights") else ""
        drawn = [
            Matrix(array, labels(len(array), "query"), labels(array.shape[1], across) if across else
                   number_labels(array.shape[1]), title, weights=name == "weights", masked="masked")
            for array, title in zip(arrays, titles, strict=True)
        ]  # fmt: skip
        figure = matrix_row(drawn, palette=LIGHT, limit=limit, cell=34)
    return go.Figure(figure).update_layout(paper_bgcolor=LIGHT.surface)
