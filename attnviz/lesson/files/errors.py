"""What is wrong with a file, in the language of a reader."""

from typing import Self

from attnviz.core.exchange.errors import ExchangeError
from attnviz.words import Words


class LessonFileError(ExchangeError):
    """A file that cannot be opened, and why; `message` says it in a reader's language.

    `expected` names words of the locale files.
    """

    @classmethod
    def of(cls, error: ExchangeError) -> Self:
        """The same fault, for a reader."""
        return cls(error.place, error.expected, error.found, **error.values)

    def sentence(self) -> str:
        """The whole message in English."""
        return self.message(Words("en"))

    def message(self, words: Words) -> str:
        """The whole sentence in the language of `words`."""
        return words(
            "file.wrong",
            place=words("file.whole") if self.place in ("", "$") else self.place,
            expected=words(f"file.expected.{self.expected}", **self.values),
            found=self.found or words("file.nothing"),
        )
