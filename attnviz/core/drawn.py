"""A mask drawn by hand as a short text, so that a link can carry it."""

import numpy as np

from .masks import Keep

MOST_DRAWN = 24  # tokens a side
LONGEST_DRAWN = MOST_DRAWN * (MOST_DRAWN + 1)
BETWEEN = "."


def read_drawn(text: str, n: int, m: int) -> Keep:
    """The mask written in `text`, shape (n, m): rows of 1 (may look at) and 0 (may not) between full stops.

    What the text does not say may be looked at: missing rows and columns, and any sign but 0. So no text is
    wrong, and a mask drawn for one sentence also serves a longer or shorter one.
    """
    keep = np.ones((n, m), np.bool_)
    for i, row in enumerate(text.split(BETWEEN)[:n]):
        hidden = [j for j, sign in enumerate(row[:m]) if sign == "0"]
        keep[i, hidden] = False
    return keep


def understood_drawn(text: str) -> tuple[str, str]:
    """The text with 1 in place of every other sign, which gives the same mask; and the problem with these signs.

    "" where there are none, "unknown" where there is nothing else, else "partly".
    """
    signs = {"0", "1", BETWEEN}
    known = "".join(sign if sign in signs else "1" for sign in text)
    return known, "" if known == text else "partly" if signs & set(text) else "unknown"


def write_drawn(keep: Keep) -> str:
    """The text that `read_drawn` reads back; of more than MOST_DRAWN rows or columns only the first.

    Raises ValueError unless keep is a matrix of truth values.
    """
    if keep.ndim != 2 or keep.dtype != np.bool_:
        raise ValueError(f"keep must be a matrix of truth values; got shape {keep.shape}, dtype {keep.dtype}")
    rows = keep[:MOST_DRAWN, :MOST_DRAWN]
    if rows.all():
        return ""
    return BETWEEN.join("".join("1" if kept else "0" for kept in row) for row in rows)
