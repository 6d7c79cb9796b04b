"""Token labels and numbers as text: shortened, escaped, never pseudo-HTML."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

LONGEST = 12
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_WORD_JOINER = "\u2060"


@dataclass(frozen=True)
class Labels:
    """What stands along one side of a matrix.

    `texts` are shown (short, with the position as subscript where `numbered`), `wholes` on hover;
    `role` is query, key, value, output or "" and gives the colour.
    """

    texts: tuple[str, ...]
    wholes: tuple[str, ...]
    role: str = ""
    title: str = ""

    def __len__(self) -> int:
        return len(self.texts)


def token_labels(tokens: Sequence[str], role: str = "", title: str = "") -> Labels:
    """Labels of tokens: short text and position, so that repeated words stay apart."""
    wholes = tuple(f"{quoted(token)}{subscript(i)}" for i, token in enumerate(tokens))
    return Labels(tuple(label(token, i) for i, token in enumerate(tokens)), wholes, role, title)


def number_labels(count: int, role: str = "", title: str = "", symbol: str = "") -> Labels:
    """Labels of coordinates 0, 1, 2, ...: no text on the axis, `symbol` and number on hover."""
    wholes = tuple(f"{symbol}{subscript(i)}" for i in range(count))
    return Labels(wholes, wholes, role, title)


def text_width(texts: Sequence[str], size: int = 15) -> int:
    """About how many pixels the longest of the texts takes at this font size."""

    return round(size * max(map(_ems, texts), default=0.0))


@lru_cache(1024)  # the labels of a picture are measured again and again, and regex is slow
def _ems(text: str) -> float:
    return sum(max(map(_em, cluster)) for cluster in regex.findall(r"\X", text))


def _em(character: str) -> float:
    """About the width of a character, in the font's size."""
    if unicodedata.category(character) in ("Mn", "Cf") or character == "\u200a":
        return 0.08  # marks on the letter before, joiners, and the hair space
    if unicodedata.east_asian_width(character) in "WF" or character >= "\U0001f000":  # emoji, flags
        return 1.0
    return 0.42 if character in "₀₁₂₃₄₅₆₇₈₉“”" else 0.56


def label(token: str, position: int) -> str:
    """The token, shortened and quoted where it would be a speck, with its position as subscript."""
    return f"{quoted(shorten(token))}{subscript(position)}"


def quoted(token: str) -> str:
    """The token, in quotes where it is only punctuation: a lone "." is a speck on a projector."""
    # Hair spaces, or the font's kerning tucks the dot under the quotes.
    return f"“\u200a{token}\u200a”" if all(unicodedata.category(c)[0] == "P" for c in token) else token


@lru_cache(1024)
def shorten(token: str, longest: int = LONGEST) -> str:
    """At most `longest` grapheme clusters, the last one an ellipsis where something was cut."""
    clusters = regex.findall(r"\X", token)
    return token if len(clusters) <= longest else "".join(clusters[: longest - 1]) + "…"


def subscript(number: int) -> str:
    """The number in subscript digits."""
    return str(number).translate(_SUBSCRIPTS)


def escape(text: str) -> str:
    """`text` as Plotly shows it literally: no tags, entities, line breaks or MathJax."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
    # A label that is wholly $...$ goes to MathJax and is never drawn.
    return text.replace("$", "$" + _WORD_JOINER)


def number(value: float, digits: int = 2) -> str:
    """`value` with a true minus sign; a value that rounds to zero has none."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def decimals(values: Iterable[float], digits: int = 2) -> int:
    """How many decimals to show: none where all the values are whole numbers, for checking by hand."""
    return 0 if all(float(value).is_integer() for value in values) else digits


def vector(values: Sequence[float], digits: int = 2, most: int = 6) -> str:
    """(a, b, c, ...) with at most `most` numbers."""
    shown = [number(float(v), digits) for v in values[:most]]
    return "(" + ", ".join(shown) + (", …)" if len(values) > most else ")")


def magnitude(value: float) -> str:
    """`value`, not negative, to two significant digits: 0, 0.74, and 2.2 × 10⁻¹⁶ below a thousandth."""
    if value == 0 or value >= 0.001:
        return f"{value:.2g}" if value < 10 else f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
