"""What stands round a matrix: its title, the bars and boxes of its parts, and the sign before it."""

from itertools import pairwise

import numpy as np

from attnviz.figures.base import note, outline
from attnviz.figures.labels import escape, text_width
from attnviz.figures.matrix import Mark, Matrix
from attnviz.figures.palette import Palette


def title_width(matrix: Matrix) -> int:
    """About how many pixels the title with the size takes."""
    n, columns = matrix.whole or matrix.values.shape
    return text_width([matrix.title + matrix.raised]) + text_width([f"{n:,} × {columns:,}"], 13) + 24


def titles(
    matrix: Matrix, palette: Palette, domain: tuple[float, float], suffix: str, raised: int, pixels: float
) -> list[dict[str, object]]:
    """The title with the size above a matrix `pixels` wide, and the names of its blocks of columns below it.

    Names that would run into one another are left out.
    """
    n, columns = matrix.whole or matrix.values.shape
    title = escape(matrix.title) + (f"<sup>{escape(matrix.raised)}</sup>" if matrix.raised else "")
    head = f'<b>{title}</b>  <span style="font-size:13px;color:{palette.muted}">{n:,} × {columns:,}</span>'
    font = {"color": palette.role_text(matrix.role), "size": 16}
    notes = [note(head, domain[0], 1, xanchor="left", yanchor="bottom", yshift=10 + raised, font=font)]
    narrowest = min(matrix.column_blocks, default=0) * pixels / matrix.values.shape[1]
    if matrix.block_names and narrowest > text_width(matrix.block_names, 13):
        ends = np.cumsum(matrix.column_blocks)
        for end, width, name in zip(ends, matrix.column_blocks, matrix.block_names, strict=True):
            notes.append(
                note(
                    escape(name),
                    float(end - width / 2 - 0.5),
                    0,
                    xref=f"x{suffix}",
                    yref=f"y{suffix} domain",
                    yanchor="top",
                    yshift=-2,
                    font={"size": 13, "color": palette.muted},
                )
            )
    return notes


def outlines(matrix: Matrix, palette: Palette, suffix: str) -> list[dict[str, object]]:
    """A bar above each block of columns, a box round each block of rows and one round each mark."""
    columns = matrix.values.shape[1]
    ends = np.cumsum(matrix.column_blocks or (columns,)).tolist()
    starts = [0, *ends[:-1]]
    bars: list[dict[str, object]] = [
        {
            "type": "line",
            "xref": f"x{suffix}",
            "x0": start - 0.46,
            "x1": end - 0.54,
            "yref": "paper",
            "ysizemode": "pixel",
            "yanchor": 1,
            "y0": 5,
            "y1": 5,
            "line": {"color": palette.role(matrix.role), "width": 3},
        }
        for start, end in zip(starts, ends, strict=True)
    ]
    tops = np.cumsum((0, *matrix.row_blocks)).tolist()
    blocks = [
        outline((top, bottom - 1), (0, columns - 1), palette.muted, 1.5, suffix)
        for top, bottom in pairwise(tops)
    ]
    marks = [_mark(m, palette, suffix) for m in matrix.marks]
    return [*bars, *blocks, *marks]


def sign(matrix: Matrix, middle: float, suffix: str, palette: Palette) -> dict[str, object]:
    """The sign before a matrix, at the height of its first rows."""
    n = matrix.values.shape[0]
    return note(
        matrix.sign,
        middle,
        1 - min(n, 5) / n / 2,
        yref=f"y{suffix} domain",
        xanchor="center",
        yanchor="middle",
        font={"size": 20, "color": palette.muted},
    )


def _mark(mark: Mark, palette: Palette, suffix: str) -> dict[str, object]:
    colour = palette.ink if mark.dotted else palette.role(mark.role)
    shape = outline(mark.rows, mark.columns, colour, 2, suffix)
    return shape | {"line": shape["line"] | {"dash": "dot"}} if mark.dotted else shape
