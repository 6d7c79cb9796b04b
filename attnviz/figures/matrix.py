"""One matrix of a picture: its numbers, what its rows and columns are called, and what is marked in it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.labels import Labels


@dataclass(frozen=True)
class Mark:
    """A rectangle round rows and columns (both ends included) in the colour of a role, or dotted in ink."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    role: str
    dotted: bool = False


@dataclass(frozen=True)
class Matrix:
    """One matrix of the row: its values, its name and what stands round it.

    `sign` is drawn in the gap before it ("×", "="). `column_blocks` and `row_blocks` are the sizes of
    its parts, one a head, named by `block_names`. `weights` puts it on the scale of weights, 0 to 1;
    `row_ticks` names its rows though it is not the first of the row. `whole` is the size to tell where
    only a part is drawn; `masked` is what a cell without a number says on hover; `digits` are the decimals
    of its numbers, by default as many as fit all; `raised` stands as superscript behind the title.
    """

    values: NDArray[np.floating]
    rows: Labels
    columns: Labels
    title: str
    role: str = ""
    sign: str = ""
    marks: tuple[Mark, ...] = ()
    column_blocks: tuple[int, ...] = ()
    row_blocks: tuple[int, ...] = ()
    block_names: tuple[str, ...] = ()
    weights: bool = False
    row_ticks: bool = False
    whole: tuple[int, int] | None = None
    digits: int | None = None
    raised: str = ""
    masked: str = ""

    def transposed(self) -> "Matrix":
        """The same matrix with tokens as columns."""
        return replace(
            self,
            values=self.values.T,
            rows=self.columns,
            columns=self.rows,
            marks=tuple(replace(m, rows=m.columns, columns=m.rows) for m in self.marks),
            column_blocks=self.row_blocks,
            row_blocks=self.column_blocks,
            whole=self.whole and self.whole[::-1],
        )
