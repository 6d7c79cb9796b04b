"""User text where markup is unavoidable: escaped for Markdown and for HTML."""

import re
import string

from markupsafe import Markup

from attnviz.figures.labels import quoted, shorten, subscript

_WORD_JOINER = "\u2060"
_PUNCTUATION = re.compile(f"([{re.escape(string.punctuation)}])")


def markdown(text: str) -> str:
    """`text` as Streamlit's Markdown shows it literally: no emphasis, link, image, formula or icon."""
    return _PUNCTUATION.sub(rf"\\\1{_WORD_JOINER}", text.replace("\n", "⏎"))


def token(text: str, position: int, role: str = "") -> Markup:
    """A token as HTML in the colour of its role, its position as subscript; a word of Hebrew turns nothing else round."""
    name = f"{quoted(shorten(text))}{subscript(position)}"
    return (
        Markup('<bdi class="{}">{}</bdi>').format(role, name)
        if role
        else Markup("<bdi>{}</bdi>").format(name)
    )
