"""The one place where settings live: session state, kept equal to the address bar.

Settings are the truth. A widget shows a field of them and writes it back by its callback; the
address is read where it differs from what was last written and no widget fired (Back, Forward, a
link), and written where the settings changed.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attnviz.figures.palette import PALETTES, Palette
from attnviz.kinds import Notice
from attnviz.settings import DEFAULTS, Settings, change, from_link, to_link
from attnviz.words import Words, languages

# Chromium and uvicorn take more, mail programs and chat windows less.
LONGEST_LINK = 8000


def settings() -> Settings:
    """The settings of this session."""
    return st.session_state.get("settings", DEFAULTS)


def notices() -> list[Notice]:
    """What could not be taken as given in the last change or link."""
    return st.session_state.setdefault("notices", [])


def words() -> Words:
    """The words of the reader's language: the chosen one, else the browser's, else English."""
    return Words(language())


def language() -> str:
    """The language in force."""
    chosen = settings().language
    if chosen != "auto":
        return chosen
    browser = (st.context.locale or "en").split("-")[0].lower()
    return browser if browser in languages() else "en"


def theme() -> str:
    """The theme in force, "light" or "dark"."""
    return st.context.theme.type or "light"


def palette() -> Palette:
    """The colours of the theme in force."""
    return PALETTES[theme()]


def put(**values: Any) -> None:
    """Change settings; for callbacks. What had to give way is kept as notices."""
    st.session_state["settings"], found = change(settings(), **values)
    st.session_state["notices"] = list(found)
    st.session_state["fired"] = True


def reset() -> None:
    """All settings back to their defaults; the language stays, a reader has not unlearned it."""
    st.session_state["settings"] = replace(DEFAULTS, language=settings().language)
    st.session_state["notices"] = []
    st.session_state["fired"] = True


def widget(
    name: str, value: Any = None, take: Callable[[Any], dict[str, Any]] | None = None
) -> dict[str, Any]:
    """`key=` and `on_change=` that tie a widget to the setting `name`.

    Seeds the widget with the setting (or `value`), so that it shows what a link, a reset or another
    control did; `take` turns what the widget holds into settings where they are not the same.
    """
    key = f"w_{name}"
    wanted = getattr(settings(), name) if value is None else value
    if st.session_state.get(key) != wanted or st.session_state.get("reseed"):
        st.session_state[key] = wanted

    def changed() -> None:
        held = st.session_state[key]
        if held is not None:
            put(**(take(held) if take else {name: held}))

    return {"key": key, "on_change": changed}


def sync() -> None:
    """Bring settings and address together; once a run, before any widget."""
    current = st.query_params.to_dict()
    if st.session_state.pop("fired", False):
        wanted = link()
        if wanted != current:
            st.query_params.from_dict(wanted)
        st.session_state["link"] = wanted
    elif current != st.session_state.get("link"):
        st.session_state["settings"], found = from_link(current)
        st.session_state["notices"] = list(found)
        st.session_state["link"] = current
    # Streamlit forgets translated choices on the run after a change of language unless they are put again.
    st.session_state["reseed"] = st.session_state.get("spoken") != language()
    st.session_state["spoken"] = language()


def link() -> dict[str, str]:
    """The link parameters of this state; a sentence too long for a link is left out."""
    wanted = to_link(settings())
    for name in ("source", "sentence"):
        if len(urlencode(wanted)) > LONGEST_LINK:
            wanted.pop(name, None)
    return wanted


def link_is_whole() -> bool:
    """Whether the link carries all of the state."""
    return link() == to_link(settings())
