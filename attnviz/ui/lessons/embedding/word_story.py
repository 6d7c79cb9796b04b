"""What is said of real word vectors: unknown words, English words behind Japanese ones, sums as understood."""

from collections.abc import Sequence

from markupsafe import Markup

from attnviz.core.pretrained import excerpt, excerpt_word, japanese_words
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


def with_japanese(word: str, words: Words) -> str:
    """The word, on a Japanese page with the first Japanese word that the table gives for it."""
    if words.language != "ja":
        return word
    found = next((form for form, english in japanese_words().items() if english == word), "")
    return f"{word}（{found}）" if found else word


def written(total: WordSum) -> Markup:
    """The sum as it was understood: king − man + woman, unknown words left out."""
    parts = [
        Markup("{}{}").format(("" if i == 0 else " + ") if t.sign > 0 else " − ", t.text)
        for i, t in enumerate(total.known)
    ]
    return Markup("").join(parts)
