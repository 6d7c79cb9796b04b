"""The settings of a session and the widgets that show them: a widget shows one, its callback writes it back.

The settings are the truth; address.py keeps the address bar equal to them. What a browser on a slow line says of
before is told apart in doubts.py.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attnviz.figures.palette import PALETTES, Palette
from attnviz.lesson.kinds import Notice, Text
from attnviz.lesson.settings import DEFAULTS, Settings, change, find_setting, read
from attnviz.ui.kit.session import session
from attnviz.words import SOURCE, Words, languages
from attnviz.words.locales import best_match


def settings() -> Settings:
    """The settings of this session."""
    return session().settings


def words() -> Words:
    """The words of the reader's language: the chosen one, else the browser's, else English."""
    return Words(language())


def language() -> str:
    """The language in force."""
    chosen = settings().language
    if chosen != "auto":
        return chosen
    return best_match(st.context.locale or SOURCE, languages()) or SOURCE


def theme() -> str:
    """The theme in force, "light" or "dark"."""
    return st.context.theme.type or "light"


def palette() -> Palette:
    """The colours of the theme in force."""
    return PALETTES[theme()]


def put(**values: Any) -> None:
    """Change settings; for callbacks. What had to give way is kept as notices."""
    held = session()
    held.settings, found = change(held.settings, **values)
    held.notices = list(found)
    held.fired = True


def touch() -> None:
    """Say that a control was used that changes no setting; for callbacks."""
    session().fired = True


def reset() -> None:
    """All settings back to their defaults; the language stays, a reader has not unlearned it."""
    held = session()
    held.settings = replace(DEFAULTS, language=held.settings.language)
    held.notices = []
    held.fired = True


def widget(
    name: str,
    value: Any = None,
    take: Callable[[Any], dict[str, Any]] | None = None,
    place: str = "w",
    shown: str = "",
    *,
    typed: bool = False,
) -> dict[str, Any]:
    """`key=`, `on_change=` and `persist_state=` that tie a widget to the setting `name`.

    Has the widget show the setting (or `value`), so that it follows a link, a reset or another control; `take`
    turns what the widget holds into settings where they are not the same. What is `typed` is a text as in a link:
    where it cannot be taken as given, what stands there stays, and a notice says so. A second widget for the same setting
    needs another `place`, which begins its key. `shown` is the label of the value where that may change while the
    value stays.
    """
    key = f"{place}_{name}"
    kept = show(key, settings()[name] if value is None else value, shown)

    def changed() -> None:
        held = st.session_state[key]
        if typed:
            value, found = _read(name, held)
            answer(key, found, **{name: value})
        elif held is not None:
            answer(key, **(take(held) if take else {name: held}))

    return kept | {"on_change": changed}


def show(key: str, wanted: Any, shown: str = "") -> dict[str, Any]:
    """Have the widget `key` show `wanted`; before the widget is drawn, with what is returned.

    The browser keeps the label of a choice, not the choice: where its label `shown` has changed, it is told again.
    `persist_state` tells it again, too, as long as it does not say what the widget holds: on a slow line something
    may be clicked before the script for such a widget has arrived, which would then begin at its default and say so.
    """
    this, held = session(), st.session_state.get(key)
    if held != wanted:
        this.doubts.replace(key, held, wanted, monotonic())
    if held != wanted or this.show_again or this.labels.get(key, shown) != shown:
        st.session_state[key] = wanted
    this.labels[key] = shown
    return {"key": key, "persist_state": "session"}


def _read(name: str, text: Any) -> tuple[Any, tuple[Notice, ...]]:
    """What is meant by a text that was typed for the setting `name`, and what is to be said of it."""
    if not isinstance(text, str):
        return text, ()
    plain = text if isinstance(find_setting(name).kind, Text) else text.strip()
    return read(name, plain, settings()[name])


def answer(key: str, found: Iterable[Notice] = (), /, **values: Any) -> None:
    """Change settings because the widget `key` was changed; for callbacks. `found` is what there is to be said.

    What the browser may say only because it has not heard of our last value is a change in doubt.
    """
    doubts = session().doubts
    if not _possible(values):
        touch()  # a label of before, of a choice whose label has changed: no choice at all
    elif doubts.may_be_old(key, st.session_state[key], monotonic(), behind=is_behind()):
        doubts.changes.append(values)
    else:
        put(**values)
        session().notices[:0] = found


def _possible(values: dict[str, Any]) -> bool:
    """Whether each value is one that its setting can have."""
    try:
        for name, value in values.items():
            find_setting(name).kind.check(name, value)
    except ValueError:
        return False
    return True


def arrive(page: str) -> None:
    """Say which page is open: on another one the browser has forgotten what the widgets hold."""
    held = session()
    if held.page != page:
        held.show_again = True
    held.page = page


def is_behind() -> bool:
    """Whether the browser asks with another address than our last: it has not heard of our last answer."""
    return by_history() is False and st.query_params.to_dict() != session().link


def by_history() -> bool | None:
    """Whether Back or Forward led here; what widgets send along with it is of before. None: unknown."""
    return getattr(get_script_run_ctx(), "is_history_navigation", None)
