"""The kinds of setting: how each is written into a link, read back leniently, and checked."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from string import whitespace
from typing import Any, Protocol


@dataclass(frozen=True)
class Notice:
    """A value that could not be taken as given.

    `problem` is one of "unknown", "partly", "clamped", "cut", "twice", "passed_over", "product", "wide", "folded",
    "no_output", or says of a file "opened", "ignored", "heads_taken", "first_layer"; `given` is the reader's text
    (data, never markup) and `used` what stands in its place. `within` is the setting in whose text it stood.
    """

    name: str
    problem: str
    given: str
    used: str
    within: str = ""


class Kind(Protocol):
    """Reads, writes and checks the values of one setting."""

    def read(self, text: str, default: Any) -> tuple[Any, str]:
        """The value of `text` and the problem with it ("" for none)."""

    def write(self, value: Any) -> str:
        """The text that `read` turns back into `value`."""

    def check(self, name: str, value: Any) -> None:
        """Raise ValueError where `value` is not one of this kind."""


@dataclass(frozen=True)
class Whole:
    """A whole number from low to high."""

    low: int
    high: int

    def read(self, text: str, default: int) -> tuple[int, str]:
        try:
            # int() takes underscores, blanks and other scripts' digits: a link has none of them.
            value = int(text) if text.isascii() and text.lstrip("+-").isdigit() else None
        except ValueError:  # more digits than Python converts
            value = None
        if value is None:
            return default, "unknown"
        clamped = min(max(value, self.low), self.high)
        return clamped, "" if clamped == value else "clamped"

    def write(self, value: int) -> str:
        return str(value)

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise ValueError(f"{name} must be a whole number from {self.low} to {self.high}; got {value!r}")


@dataclass(frozen=True)
class Real:
    """A finite number from low to high."""

    low: float
    high: float

    def read(self, text: str, default: float) -> tuple[float, str]:
        try:
            # float() takes underscores, blanks and other scripts' digits: a link has none of them.
            value = float(text) if text.isascii() and not set(text) & {"_", *whitespace} else math.nan
        except ValueError:
            return default, "unknown"
        if not math.isfinite(value):
            return default, "unknown"
        clamped = min(max(value, self.low), self.high)
        return clamped, "" if clamped == value else "clamped"

    def write(self, value: float) -> str:
        return repr(float(value)).removesuffix(".0")

    def check(self, name: str, value: Any) -> None:
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not self.low <= value <= self.high
        ):
            raise ValueError(f"{name} must be a number from {self.low} to {self.high}; got {value!r}")


@dataclass(frozen=True)
class Choice:
    """One of a few names; of a registry, or of a function, those that it has at the time."""

    names: Collection[str] | Callable[[], Collection[str]]

    @property
    def options(self) -> tuple[str, ...]:
        """The names that there are now."""
        return tuple(self.names() if callable(self.names) else self.names)

    def read(self, text: str, default: str) -> tuple[str, str]:
        return (text, "") if text in self.options else (default, "unknown")

    def write(self, value: str) -> str:
        return value

    def check(self, name: str, value: Any) -> None:
        if value not in self.options:
            raise ValueError(f"{name} must be one of {', '.join(self.options)}; got {value!r}")


@dataclass(frozen=True)
class Switch:
    """On or off."""

    def read(self, text: str, default: bool) -> tuple[bool, str]:
        return (text == "1", "") if text in ("0", "1") else (default, "unknown")

    def write(self, value: bool) -> str:
        return "1" if value else "0"

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be True or False; got {value!r}")


def as_it_stands(text: str) -> tuple[str, str]:
    """Any text means itself."""
    return text, ""


def names_among(names: Collection[str]) -> Callable[[str], tuple[str, str]]:
    """For a text of names with commas between them: those that are among `names`."""

    def understood(text: str) -> tuple[str, str]:
        parts = [part.strip() for part in text.split(",")]
        if all(part in names or not part for part in parts):
            return text, ""
        known = ",".join(dict.fromkeys(part for part in parts if part in names))
        return known, "partly" if known else "unknown"

    return understood


@dataclass(frozen=True)
class Text:
    """Anything the reader types, up to `longest` characters.

    A text that must mean something says with `understood` what of it does, and the problem with the rest as `read`
    says it: "" where all of it is understood, "unknown" where nothing is.
    """

    longest: int
    understood: Callable[[str], tuple[str, str]] = as_it_stands

    def read(self, text: str, default: str) -> tuple[str, str]:
        value, problem = self.understood(text[: self.longest])
        if problem == "unknown":
            return default, problem
        return value, problem or ("" if len(text) <= self.longest else "cut")

    def write(self, value: str) -> str:
        return value

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, str) or len(value) > self.longest:
            got = len(value) if isinstance(value, str) else repr(value)
            raise ValueError(f"{name} must be a text of at most {self.longest} characters; got {got}")
