"""What is said of real word vectors: unknown words, English words behind those of other languages, sums as understood."""

from collections.abc import Sequence

from markupsafe import Markup

from attnviz.core.pretrained import excerpt, excerpt_word, word_tables
from attnviz.figures.labels import shorten
from attnviz.lab.words.sums import WordSum, suggestions
from attnviz.words import Words


def unknown_words(words: Words, unknown: Sequence[str]) -> list[Markup]:
    """One friendly line for each word without a vector, with words that are written alike."""
    lines: list[Markup] = []
    for word in unknown:
        line = words.html("embedding.unknown", word=shorten(word, 30), size=f"{len(excerpt().words):,}")
        if alike := suggestions(word):
            line += Markup(" ") + words.html("embedding.did_you_mean", words=", ".join(alike))
        lines.append(line)
    return lines


def translations(words: Words, texts: Sequence[str]) -> list[Markup]:
    """Which words show the vector of an English one."""
    pairs = [f"{text} → {word}" for text in texts if not text.isascii() and (word := excerpt_word(text))]
    return [words.html("embedding.origin.translated", pairs=", ".join(pairs))] if pairs else []


def with_gloss(word: str, words: Words) -> str:
    """The word, with the first word of the page's own language for it where that language has a table."""
    table = word_tables().get(words.language, {})
    found = next((form for form, english in table.items() if english == word), "")
    return words("embedding.with_gloss", word=word, gloss=found) if found else word


def written(total: WordSum) -> Markup:
    """The sum as it was understood: king − man + woman, unknown words left out."""
    parts = [
        Markup("{}{}").format(("" if i == 0 else " + ") if t.sign > 0 else " − ", t.text)
        for i, t in enumerate(total.known)
    ]
    return Markup("").join(parts)
