"""Cut a sentence into tokens: the only room that knows languages' scripts.

`tokenize` reads what a person typed and gives words (default) or characters. A character is a grapheme
cluster (Unicode UAX #29), what a reader takes for one letter, and no token ever cuts one: an emoji family, a
flag, a letter with its accents stay whole. Nothing typed is changed (no case folding, no NFC or NFKC). Two
things are left out:

- White space, and clusters with nothing to see in them (zero-width space, a stray joiner or filler). They
  part tokens. Inside a visible cluster or word, joiners (ZWJ, ZWNJ) and variation selectors stay.
- Controls, which are not text but orders to a terminal, a bidi engine, a line breaker or an encoder: control
  characters that are no white space, bidi marks, embeddings and overrides, soft hyphens, word joiners, byte
  order marks, lone surrogates, noncharacters. They are removed before anything else, and counted.

What a word is depends on the script:

- With spaces: UAX #29, and a hyphen between letters or digits joins, so that don't, state-of-the-art, 3.14,
  1,000, 2026-11-30, 10:30, $5, 50%, U.S.A., e-mail addresses and URLs are one token each. Other punctuation
  is its own token; a run of one mark (...) is one.
- Japanese: the words of the dictionary IPADIC. Han text without kana counts as Japanese if IPADIC knows all
  its words.
- Other Han text (Chinese), and scripts in which only a dictionary finds a word (Thai, Lao, Khmer, Burmese):
  each character is a token, as in BERT's Chinese, and `by_character` says so.
"""

import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import regex

if TYPE_CHECKING:
    from janome import tokenizer as janome

MAX_CHARACTERS = 10_000  # bounds the work for a pasted book; Japanese, the slowest, takes 12 us a character


@dataclass(frozen=True)
class Tokens:
    """A sentence in tokens, and what was left out of it.

    `ids` numbers the different tokens 0, 1, 2, ... in the order in which they first appear. `cut` counts the
    tokens after the limit, `unread` the code points after MAX_CHARACTERS, `dropped_controls` the controls
    removed. `by_character`: some words were cut by character, for want of a dictionary.
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    cut: int = 0
    unread: int = 0
    dropped_controls: int = 0
    by_character: bool = False


class Split(NamedTuple):
    """What a tokenizer makes of text without controls."""

    tokens: list[str]
    by_character: bool = False


Tokenizer = Callable[[str], Split]
Lookup = tuple[list[str], bool]  # the words of a run, and whether the dictionary knows them all


def tokenize(text: str, tokenizer: str = "words", limit: int = 512) -> Tokens:
    """Cut `text` by `TOKENIZERS[tokenizer]` into at most `limit` tokens; blank text has none.

    The first Japanese words of a process load the dictionary, which takes about 0.2 s. No text raises; an
    unknown tokenizer or a limit below 1 is a ValueError.
    """
    if tokenizer not in TOKENIZERS:
        raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}; got {tokenizer!r}")
    if limit < 1:
        raise ValueError(f"limit must be at least 1; got {limit}")
    read = _first_characters(text)
    clean, dropped = _CONTROL.subn("", read)
    split = TOKENIZERS[tokenizer](clean)
    tokens = tuple(split.tokens[:limit])
    return Tokens(
        tokens=tokens,
        ids=_ids(tokens),
        cut=len(split.tokens) - len(tokens),
        unread=len(text) - len(read),
        dropped_controls=dropped,
        by_character=split.by_character,
    )


def split_characters(text: str) -> Split:
    """Each grapheme cluster that is not blank."""
    return Split([cluster for cluster in _CLUSTER.findall(text) if not _BLANK.fullmatch(cluster)])


def split_words(text: str) -> Split:
    """Words and punctuation marks; what a word is in which script stands at the top of this file."""
    runs = {run: _look_up(run) for run in set(_JAPANESE_RUN.findall(text))}
    japanese = bool(_KANA.search(text)) or all(known for _, known in runs.values())
    ends = {cluster.end() for cluster in _CLUSTER.finditer(text)}
    ends -= {glue.start() for glue in _GLUE.finditer(text)}
    words, start, end = [], 0, 0
    for piece in _pieces(text, runs if japanese else {}):
        end += len(piece)
        if end in ends:
            words.append(text[start:end])
            start = end
    by_character = not japanese or bool(_COMPLEX.search(text))
    return Split([word for word in words if not _BLANK.fullmatch(word)], by_character)


def _pieces(text: str, runs: dict[str, Lookup]) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece in runs:
            yield from runs[piece][0]
        elif _JAPANESE_RUN.fullmatch(piece):
            yield from _CLUSTER.findall(piece)
        else:
            yield piece


def _look_up(run: str) -> Lookup:
    with _JANOME_LOCK:
        words = cast("list[janome.Token]", list(_janome().tokenize(run)))
    return [word.surface for word in words], all(word.node_type != "UNKNOWN" for word in words)


# Janome: its IPADIC has the words of school grammar (お金, 教科書, ので), and it is one typed wheel of pure
# Python for every system. TinySegmenter is smaller but breaks とても and きのう; BudouX finds phrases (私は);
# UniDic and Sudachi cut finer (お | 金, 教科 | 書) and weigh twice as much.
@functools.cache
def _janome() -> "janome.Tokenizer":
    from janome.tokenizer import Tokenizer

    return Tokenizer()


_JANOME_LOCK = threading.Lock()  # the cache in Janome's matcher is read and deleted from without one


def _first_characters(text: str) -> str:
    """At most MAX_CHARACTERS of the text, up to where a cluster ends."""
    if len(text) <= MAX_CHARACTERS:
        return text
    ends = (cluster.end() for cluster in _CLUSTER.finditer(text[: MAX_CHARACTERS + 1]))
    return text[: max((end for end in ends if end <= MAX_CHARACTERS), default=0)]


def _ids(tokens: tuple[str, ...]) -> tuple[int, ...]:
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(token, len(numbers)) for token in tokens)


def _compile(pattern: str) -> "regex.Pattern[str]":
    return regex.compile(pattern, regex.V1 | regex.VERBOSE)


_FORMAT = r"[[\p{Cf}&&\p{GCB=Control}&&\p{DI}]--\u200B]"  # invisible and alone, but the zero-width space
_CONTROL = _compile(rf"[[\p{{Cc}}--\p{{White_Space}}]\p{{Cs}}\p{{NChar}}\uFFF9-\uFFFB{_FORMAT}]")
# At a cluster's start \X alone says the same, but counts back to the first of a row of flags: quadratic.
_CLUSTER = _compile(r"(?: \p{RI}{2}(?![\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]) | \X )")
_BLANK = _compile(r"[\p{White_Space}\p{DI}]+")
_KANA = _compile(r"[\p{Hiragana}\p{Katakana}]")
_COMPLEX = _compile(r"\p{LB=SA}")  # UAX #14: "complex context dependent", words need a dictionary

_EXTEND = r"[\p{M}\p{GCB=Extend}\p{GCB=ZWJ}]"
_KATAKANA = r"[\p{Katakana}ーｰ]"
_JAPANESE = r"[\p{Han}\p{Hiragana}\p{Katakana}〆ーｰ]"
_JAPANESE_RUN = _compile(rf"(?:{_JAPANESE}{_EXTEND}*+)++")

# Where the dictionary may cut but no word ends: inside katakana (UAX #29 WB13; IPADIC has トー | クン for
# トークン), and before a mark that lengthens or repeats what stands before it.
_GLUE = _compile(rf"(?<={_KATAKANA})(?={_KATAKANA}) | (?<={_JAPANESE})(?=[ーｰ々ゝゞヽヾ])")

_LETTER = rf"[[\p{{L}}\p{{N}}\p{{Pc}}\p{{GCB=Prepend}}]--{_JAPANESE}--\p{{LB=SA}}--\p{{DI}}]"
_LETTERS = rf"{_LETTER}(?:{_LETTER}|{_EXTEND})*+"
_JOINER = r"""(?: ['’\-‐‑·״] | (?<=\p{N})[.,:/٫٬](?=\p{N}) | (?<=\p{L})\.(?=\p{Ll}) )"""
_WORD = rf"{_LETTERS}(?:{_JOINER}{_LETTERS})*+(?:(?<=\p{{N}})[%‰‱％٪\p{{Sc}}])?+"
_ABBREVIATION = r"(?: (?:\p{Lu}\p{Ll}?+\.){2,9}+ | (?:[\p{Lu}\p{Ll}]\.){2,9}+ )"
_URL = r"""(?i:(?:https?|ftp)://|www\.) [[!-~]--[<>"`]]* [A-Za-z0-9/]"""
_EMAIL = r"[A-Za-z0-9._%+\-]{1,64}+ @ [A-Za-z0-9\-]{1,63}+ (?:\.[A-Za-z0-9\-]{1,63}+)++"
_MARK = r"""([[\p{P}\p{Sm}\p{Sc}]--[\p{Ps}\p{Pe}\p{Pi}\p{Pf}"']])\1*+"""

# Tried in this order at the end of the piece before. What may fail is bounded or possessive, so the whole is
# linear in the length of the text.
_PIECE = _compile(rf"""
    {_URL}
  | {_EMAIL}
  | {_ABBREVIATION} (?!{_LETTER})
  | (?<!{_LETTER}|{_EXTEND}) [+\-−]?+ \p{{Sc}}?+ (?=\p{{N}}) {_WORD}  # -5, $5
  | {_WORD}
  | {_JAPANESE_RUN.pattern}
  | {_MARK}
  | {_CLUSTER.pattern}
""")

TOKENIZERS: dict[str, Tokenizer] = {"words": split_words, "characters": split_characters}
