"""Settings and the address bar say the same.

The address is read where it differs from what was last written and no widget fired (Back, Forward, a link), and
written where the settings changed. Written on every run, it would trap the Back button.
"""

from time import monotonic
from urllib.parse import urlencode

import streamlit as st

from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import both_tokens
from attnviz.lesson.settings import Settings, from_link, repeated, to_link
from attnviz.ui.kit import state
from attnviz.ui.kit.session import session

LONGEST_LINK = 8000  # Chromium and uvicorn take more, mail programs and chat windows less


def sync() -> None:
    """Bring settings and address together; once a run, before any widget."""
    held, current = session(), st.query_params.to_dict()
    moved = current != held.link
    fired = _fired()
    if not state.by_history() and (fired or (moved and _is_late(current))):
        _write(current)
    elif fired or moved:
        _adopt(current)
    # Streamlit forgets translated choices on the run after a change of language unless they are put again.
    held.show_again = held.language != state.language()
    held.language = state.language()


def _fired() -> bool:
    """Whether a control was used: surely, or where none surely was, in doubt."""
    held = session()
    in_doubt = held.doubts.settle(sure=held.fired or bool(state.by_history()))
    if in_doubt is not None:
        state.put(**in_doubt)
    fired, held.fired = held.fired, False
    return fired


def _write(current: dict[str, str]) -> None:
    held, wanted = session(), link()
    if wanted != current:
        st.query_params.from_dict(wanted)
        held.doubts.leave((current, held.link or {}), monotonic())
    held.link = wanted


def _adopt(current: dict[str, str]) -> None:
    held, (adopted, found) = session(), from_link(current)
    # What no link can carry is not lost to the Back button either.
    unsaid = to_link(held.settings).keys() - link().keys() - current.keys()
    held.settings = adopted.put(**{name: held.settings[name] for name in unsaid})
    given = ((name, text) for name in current for text in st.query_params.get_all(name))
    held.notices = [*repeated(given), *found, *_beyond_the_sentence(adopted, current)]
    held.link = current


def _beyond_the_sentence(adopted: Settings, link: dict[str, str]) -> list[Notice]:
    """A notice for a focus of the link that points behind the last token."""
    tokens, source = both_tokens(adopted)
    last = {"query": len(tokens.tokens) - 1, "key": len(source.tokens) - 1}
    return [
        Notice(name, "clamped", link[name], str(end))
        for name, end in last.items()
        if name in link and end >= 0 and adopted[name] > end
    ]


def _is_late(current: dict[str, str]) -> bool:
    """Whether the browser asks with an address of before, and not by Back or Forward."""
    return state.by_history() is False and session().doubts.is_late(current, monotonic())


def link() -> dict[str, str]:
    """The link parameters of this state; sentences too long for a link are left out, the pinned ones first."""
    wanted = to_link(state.settings())
    for name in ("pinned", "source", "sentence"):
        if len(urlencode(wanted)) > LONGEST_LINK:
            wanted.pop(name, None)
    return wanted


def link_is_whole() -> bool:
    """Whether the link carries all of the state."""
    return link() == to_link(state.settings())
