"""What is wrong with a file: the place, what was expected there, and what was found."""

import json
from typing import Any

from attnviz.words import Words

LONGEST = 60


class LessonFileError(ValueError):
    """A file that cannot be opened, and why; `message` says it in a reader's language.

    `place` is a JSON path, the name of an array, or "" for the file as a whole; `expected` names words of the
    locale files with their `values`; `found` is a piece of the file (data, never markup), "" for nothing.
    """

    def __init__(self, place: str, expected: str, found: str = "", **values: object) -> None:
        self.place, self.expected, self.found, self.values = (
            shortened(place, 2 * LONGEST),
            expected,
            found,
            values,
        )
        super().__init__(self.message(Words("en")))

    def message(self, words: Words) -> str:
        """The whole sentence in the language of `words`."""
        return words(
            "file.wrong",
            place=words("file.whole") if self.place in ("", "$") else self.place,
            expected=words(f"file.expected.{self.expected}", **self.values),
            found=self.found or words("file.nothing"),
        )


def excerpt(value: Any) -> str:
    """A value of a JSON file as a short text: what it holds, or of a list or an object how much."""
    if isinstance(value, list):
        return f"[…] ({len(value)})"
    if isinstance(value, dict):
        return f"{{…}} ({len(value)})"
    return shortened(json.dumps(value, ensure_ascii=False))


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most so many characters that can be shown: what is not printable as its escape."""
    cut = text[: longest + 1]
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
