"""What a browser on a slow line says of before: which of it is the reader's wish, and which is not.

With every question a browser sends its address and what all its widgets hold. Until our last answer has arrived,
that is the address and the values of before, and whoever took them at their word would undo what was just changed:

- A sentence is typed and, without Enter, something else clicked: two questions in a moment, both with the address of
  before. Back and Forward lead there too, but say so; what says nothing and comes within LATE is not gone back to.
- A widget whose value we have replaced comes back with the old one as soon as anything else is clicked. It has not
  been touched, as a rule, and Streamlit calls its callback all the same. Such a change is in doubt. It counts where
  nothing else was used, since a reader turns one control at a time.
- Of quick steps the browser may know the last but one: values stay in doubt in the order in which they were replaced.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LATE = 2.0  # seconds that a question with the address of before may take to arrive
MOST_REPLACED = 12  # values of a widget that a browser may still show: quick steps on a slow line


@dataclass(slots=True)
class Doubts:
    """What the browser of a session may still say of before. Times are seconds of one clock, given as `now`."""

    replaced: dict[str, list[tuple[Any, float]]] = field(default_factory=dict)
    """Of each widget the values that we have put into it and replaced, each with the end of its doubt: until then a
    browser may show it that knows our last address; one that does not, at any time."""
    left: dict[frozenset[tuple[str, str]], float] = field(default_factory=dict)
    """The addresses that our changes replaced in the last seconds, and when."""
    changes: list[dict[str, Any]] = field(default_factory=list)
    """The changes in doubt since the last run."""

    def replace(self, key: str, held: Any, shown: Any, now: float) -> None:
        """Note that the widget `key` held one value and is told to show another."""
        soon = now + LATE
        before = [(value, min(until, soon)) for value, until in self.replaced.get(key, [])]
        self.replaced[key] = [*before[-MOST_REPLACED:], (held, math.inf), (shown, soon)]

    def may_be_old(self, key: str, value: Any, now: float, *, behind: bool) -> bool:
        """Whether a browser may say this value only because it has not heard of our last ones.

        `behind`: it asks with another address than our last, so that it has not.
        """
        unheard = [old for old, until in self.replaced.get(key, []) if behind or now < until]
        return value in unheard

    def settle(self, *, sure: bool) -> dict[str, Any] | None:
        """The change in doubt that counts, None for none; after it none is in doubt any more.

        `sure`: something surely was used, or Back led here.
        """
        changes, self.changes = self.changes, []
        return changes[0] if len(changes) == 1 and not sure else None

    def leave(self, addresses: Iterable[Mapping[str, str]], now: float) -> None:
        """Note that these addresses have just been replaced by another one."""
        recent = {address: since for address, since in self.left.items() if now - since < LATE}
        self.left = recent | {frozenset(address.items()): now for address in addresses}

    def is_late(self, address: Mapping[str, str], now: float) -> bool:
        """Whether we have just replaced this address: the browser had not heard of it when it asked."""
        since = self.left.get(frozenset(address.items()))
        return since is not None and now - since < LATE
