"""Edited cells as outlines in a picture: neighbours share one."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.matrix import Mark

MOST = 200  # outlines in one picture; above this one is drawn round them all


def edit_marks(cells: NDArray[np.bool_] | None) -> tuple[Mark, ...]:
    """Outlines round the marked cells (rows, columns); none where there are none."""
    if cells is None or not cells.any():
        return ()
    open_runs: dict[tuple[int, int], int] = {}  # a run of columns, and the row in which it began
    marks: list[Mark] = []
    for row, line in enumerate([*cells, np.zeros(cells.shape[1], bool)]):
        runs = _runs(line)
        ended = [run for run in open_runs if run not in runs]
        marks += [Mark((open_runs.pop(run), row - 1), run, "", dotted=True) for run in ended]
        for run in runs:
            open_runs.setdefault(run, row)
    if len(marks) > MOST:
        rows, columns = np.nonzero(cells)
        return (
            Mark(
                (int(rows.min()), int(rows.max())), (int(columns.min()), int(columns.max())), "", dotted=True
            ),
        )
    return tuple(marks)


def _runs(line: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The first and the last place of each run of True."""
    edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0)).tolist()
    return [(first, end - 1) for first, end in list(pairwise(edges))[::2]]
