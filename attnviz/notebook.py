"""What a notebook shows of a trace: its maps as HTML, and the arithmetic of one cell. NumPy only."""

from dataclasses import dataclass
from html import escape

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.checks import one_of, whole
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
    return f'<table style="display:inline-table;margin:4px;border-collapse:collapse">{caption}{rows}</table>'


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
