"""What a reader hands to the command to open: a link of the app, or a page's name."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

FRONT = "playground"  # the page whose address has no name
_WHOLE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PART = re.compile(r"/?\w*\?\w+=")


@dataclass(frozen=True)
class Link:
    """A page and the state to open it in."""

    page: str = FRONT
    state: tuple[tuple[str, str], ...] = ()

    def at(self, base: str) -> str:
        """The address to open where the app is served at `base`."""
        query = urlencode(self.state, quote_via=quote)
        return f"{base}/{'' if self.page == FRONT else self.page}{'?' if query else ''}{query}"

    def put(self, name: str, value: str) -> "Link":
        """The same link with `value` for the setting `name`."""
        others = tuple(pair for pair in self.state if pair[0] != name)
        return replace(self, state=(*others, (name, value)))


def read_link(text: str, pages: Collection[str]) -> Link | None:
    """The link that `text` is, or None for any other text, such as a sentence with a question mark.

    A link is a whole address, wherever the app was served, or its end (`masks?mask=causal`, `?seed=3`), or the name
    of one of `pages`. ValueError where its page is not among them.
    """
    text = text.strip()
    page = text.strip("/").removesuffix("?")
    if not (_WHOLE.match(text) or _PART.match(text) or page in pages):
        return None
    address = urlsplit(text)
    return Link(_page(address.path, pages), tuple(parse_qsl(address.query, keep_blank_values=True)))


def _page(path: str, pages: Collection[str]) -> str:
    last = path.rstrip("/").rpartition("/")[2]
    if last in pages:
        return last
    if path.endswith("/") or not last:
        return FRONT  # the app may be served below a folder
    raise ValueError(f"the page must be one of {', '.join(sorted(pages))}; got {last!r}")
