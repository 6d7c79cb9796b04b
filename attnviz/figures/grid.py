"""Where the subplots of a figure stand: their axes' names, and their shares of its width and height."""

from dataclasses import dataclass

A_ROW = 4  # small pictures, at most

Span = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """A subplot: what stands behind the letter in its axes' names, and its domain from left to right, bottom to top."""

    suffix: str
    x: Span
    y: Span


def subplot(k: int) -> str:
    """The name of the axes number k, counted from 0, behind their letter: Plotly's first ones have no number."""
    return str(k + 1) if k else ""


def side_by_side(count: int, gap: float) -> list[Span]:
    """`count` equal spans from 0 to 1 with gaps between them."""
    wide = (1 - gap * (count - 1)) / count
    return [(k * (wide + gap), min(k * (wide + gap) + wide, 1.0)) for k in range(count)]


def one_below_another(count: int, gap: float) -> list[Span]:
    """`count` equal spans from 1 down to 0 with gaps between them, each (bottom, top)."""
    tall = max((1 - gap * (count - 1)) / count, 0.01)
    tops = [1 - k * (tall + gap) for k in range(count)]
    return [(max(top - tall, 0.0), top) for top in tops]


def lines_of(count: int, a_row: int = A_ROW) -> int:
    """How many lines so many subplots take."""
    return -(-count // a_row)


def grid(count: int, *, gap: float, between: float, a_row: int = A_ROW, least: int = 1) -> list[Place]:
    """So many subplots in lines of `a_row`, each as wide as if there were at least `least` of them."""
    across = side_by_side(min(max(count, least), a_row), gap)
    down = one_below_another(lines_of(count, a_row), between)
    return [Place(subplot(k), across[k % a_row], down[k // a_row]) for k in range(count)]
