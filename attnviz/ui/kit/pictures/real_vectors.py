"""Real word vectors on the page: which numbers are real, which were drawn, and for which English word."""

from collections.abc import Sequence

from markupsafe import Markup

from attnviz.core.pretrained import COLUMNS, excerpt_word
from attnviz.figures.matrix import Mark
from attnviz.lesson.lesson import Lesson, embedding_kind
from attnviz.ui.kit.text.markup import token
from attnviz.words import Words

MOST_NAMED = 12


def seeded_marks(lesson: Lesson, tokens: Sequence[str]) -> tuple[Mark, ...]:
    """Outlines round the rows and columns of x that hold drawn numbers among real word vectors."""
    if embedding_kind(lesson.settings) != "pretrained":
        return ()
    last_row, last_column = len(tokens) - 1, lesson.settings.d_model - 1
    unknown = [i for i, text in enumerate(tokens) if excerpt_word(text) is None]
    rows = tuple(Mark(run, (0, last_column), "") for run in _runs(unknown))
    if last_column < COLUMNS:
        return rows
    return (*rows, Mark((0, last_row), (COLUMNS, last_column), ""))


def origin(lesson: Lesson, words: Words, *, outlined: bool = False) -> tuple[Markup, ...]:
    """Where the numbers of x come from, in sentences; none where x is not made of real word vectors.

    `outlined` says that the picture marks what was drawn.
    """
    if embedding_kind(lesson.settings) != "pretrained":
        return ()
    sides = [lesson.tokens.tokens, *([lesson.source.tokens] if lesson.cross else [])]
    placed: dict[str, int] = {}
    for side in sides:
        for i, text in enumerate(side):
            placed.setdefault(text, i)
    unknown = [text for text in placed if excerpt_word(text) is None]
    translated = [(text, word) for text in placed if (word := excerpt_word(text)) and not _same(text, word)]
    known = len(placed) - len(unknown)
    lines = [words.html("embedding.origin.known", known=known, all=len(placed))]
    if unknown:
        names = [token(text, placed[text]) for text in unknown]
        lines.append(words.html("embedding.origin.unknown", tokens=_some(names)))
    if translated:
        pairs = [Markup("{} → {}").format(token(text, placed[text]), word) for text, word in translated]
        lines.append(words.html("embedding.origin.translated", pairs=_some(pairs)))
    if lesson.settings.d_model > COLUMNS:
        lines.append(words.html("embedding.origin.columns", columns=COLUMNS))
    if outlined and (unknown or lesson.settings.d_model > COLUMNS):
        lines.append(words.html("embedding.origin.outlined"))
    return tuple(lines)


def _same(text: str, word: str) -> bool:
    return text.isascii() or text.casefold() == word or not word.isalpha()


def _some(names: list[Markup]) -> Markup:
    shown = Markup(", ").join(names[:MOST_NAMED])
    return shown + Markup(", …") if len(names) > MOST_NAMED else shown


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """The places as runs of neighbours (first, last)."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs
