"""Two lessons side by side: what was set differently, and where the numbers differ most."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.explain import matrix
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import DEFAULTS, Settings, all_settings, read_pinned, write_pinned


@dataclass(frozen=True)
class Change:
    """The entry that differs most between two matrices, with its values in A and in B."""

    row: int
    column: int
    before: float
    after: float

    @property
    def by(self) -> float:
        """B - A at that entry."""
        return self.after - self.before


def pin(settings: Settings) -> str:
    """The settings that make the numbers of `settings`, as the text that is kept as A."""
    return write_pinned(settings)


def pinned(text: str) -> Settings | None:
    """The settings that `pin` kept; None where nothing is kept. What is not understood falls back."""
    return (read_pinned(text)[0] or DEFAULTS) if text else None


def settings_changed(a: Settings, b: Settings) -> tuple[str, ...]:
    """The names of the settings that differ and make numbers differ."""
    return tuple(n for n, one in all_settings().items() if not one.look and a[n] != b[n])


def both(
    a: Lesson, b: Lesson, name: str, head: int
) -> tuple[NDArray[np.floating], NDArray[np.floating]] | None:
    """The matrix `name` of both lessons; None where their shapes or their heads do not match."""
    if head >= min(a.settings.num_heads, b.settings.num_heads):
        return None
    first, second = matrix(a.trace, name, head), matrix(b.trace, name, head)
    return (first, second) if first.shape == second.shape else None


def largest_change(first: NDArray[np.floating], second: NDArray[np.floating]) -> Change | None:
    """Where B - A is largest in magnitude; None where nothing changed or no entry stands in both."""
    size = np.abs(second - first)
    if not np.isfinite(size).any() or np.nanmax(size) == 0:
        return None
    row, column = np.unravel_index(int(np.nanargmax(size)), size.shape)
    return Change(int(row), int(column), float(first[row, column]), float(second[row, column]))
