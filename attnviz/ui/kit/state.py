"""The one place where settings live: session state, kept equal to the address bar.

Settings are the truth. A widget shows a field of them and writes it back by its callback; the
address is read where it differs from what was last written and no widget fired (Back, Forward, a
link), and written where the settings changed.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attnviz.figures.palette import PALETTES, Palette
from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import both_tokens
from attnviz.lesson.settings import DEFAULTS, Settings, change, find_setting, from_link, to_link
from attnviz.words import SOURCE, Words, languages
from attnviz.words.locales import best_match

# Chromium and uvicorn take more, mail programs and chat windows less.
LONGEST_LINK = 8000
LATE = 2.0  # seconds that a question with the address of before may take to arrive
MOST_REPLACED = 12  # values of a widget that a browser may still show: quick steps on a slow line
HAND = 0.5  # seconds that a hand needs from a picture to a control


def settings() -> Settings:
    """The settings of this session."""
    held: Settings = st.session_state.get("settings", DEFAULTS)
    return held


def notices() -> list[Notice]:
    """What could not be taken as given in the last change or link."""
    held: list[Notice] = st.session_state.setdefault("notices", [])
    return held


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
    st.session_state["settings"], found = change(settings(), **values)
    st.session_state["notices"] = list(found)
    st.session_state["fired"] = True


def touch() -> None:
    """Say that a control was used that changes no setting; for callbacks."""
    st.session_state["fired"] = True


def clicked() -> None:
    """Say that a picture was clicked; for callbacks."""
    touch()
    st.session_state["clicked"] = monotonic()


def reset() -> None:
    """All settings back to their defaults; the language stays, a reader has not unlearned it."""
    st.session_state["settings"] = replace(DEFAULTS, language=settings().language)
    st.session_state["notices"] = []
    st.session_state["fired"] = True


def widget(
    name: str,
    value: Any = None,
    take: Callable[[Any], dict[str, Any]] | None = None,
    place: str = "w",
    shown: str = "",
) -> dict[str, Any]:
    """`key=`, `on_change=` and `persist_state=` that tie a widget to the setting `name`.

    Seeds the widget with the setting (or `value`), so that it shows what a link, a reset or another
    control did; `take` turns what the widget holds into settings where they are not the same. A second
    widget for the same setting needs another `place`, which begins its key. `shown` is the label of the
    value where that may change while the value stays.
    """
    key = f"{place}_{name}"
    kept = seed(key, settings()[name] if value is None else value, shown)

    def changed() -> None:
        held = st.session_state[key]
        if held is not None:
            answer(key, **(take(held) if take else {name: held}))

    return kept | {"on_change": changed}


def seed(key: str, wanted: Any, shown: str = "") -> dict[str, Any]:
    """Let the widget `key` show `wanted`; before the widget is drawn, with what is returned.

    The browser keeps the label of a choice, not the choice: where its label `shown` has changed, it is told again.
    `persist_state` tells it again, too, as long as it does not say what the widget holds: on a slow line something
    may be clicked before the script for such a widget has arrived, which would then begin at its default and say so.
    """
    held = st.session_state.get(key)
    if held != wanted:
        soon = monotonic() + LATE
        before = [(value, min(until, soon)) for value, until in _replaced().get(key, [])]
        _replaced()[key] = [*before[-MOST_REPLACED:], (held, math.inf), (wanted, soon)]
    labels: dict[str, str] = st.session_state.setdefault("labels", {})
    if held != wanted or st.session_state.get("reseed") or labels.get(key, shown) != shown:
        st.session_state[key] = wanted
    labels[key] = shown
    return {"key": key, "persist_state": "session"}


def answer(key: str, /, **values: Any) -> None:
    """Change settings because the widget `key` was changed; for callbacks.

    A widget that comes back with what we replaced in it has not been touched, as a rule: the browser had
    not yet heard of the new value when something else was clicked (or, of quick steps, of the last but one).
    Only where nothing else was, it counts.
    """
    if not _possible(values):
        touch()  # a label of before, of a choice whose label has changed: no choice at all
    elif st.session_state[key] in _unheard(key):
        st.session_state.setdefault("doubtful", []).append(values)
    else:
        put(**values)


def _possible(values: dict[str, Any]) -> bool:
    """Whether each value is one that its setting can have."""
    try:
        for name, value in values.items():
            find_setting(name).kind.check(name, value)
    except ValueError:
        return False
    return True


def _unheard(key: str) -> list[Any]:
    """What a browser that has not heard of our last values may say that the widget holds."""
    now, behind = monotonic(), _is_behind()
    return [value for value, until in _replaced().get(key, []) if behind or now < until]


def _is_behind() -> bool:
    """Whether the browser asks with another address than our last: it has not heard of our last answer."""
    return _by_history() is False and st.query_params.to_dict() != st.session_state.get("link")


def _replaced() -> dict[str, list[tuple[Any, float]]]:
    """Of each widget the values that we have put into it and replaced, each with the end of its doubt.

    Until then a browser may still show it that knows our last address; one that does not, at any time.
    """
    replaced: dict[str, list[tuple[Any, float]]] = st.session_state.setdefault("replaced", {})
    return replaced


def arrive(page: str) -> None:
    """Say which page is open: on another one the browser has forgotten what the widgets hold."""
    if st.session_state.get("page") != page:
        st.session_state["reseed"] = True
    st.session_state["page"] = page


def sync() -> None:
    """Bring settings and address together; once a run, before any widget."""
    current = st.query_params.to_dict()
    moved = current != st.session_state.get("link")
    fired = _fired()
    if not _by_history() and (fired or (moved and _is_late(current))):
        _write(current)
    elif fired or moved:
        _adopt(current)
    # Streamlit forgets translated choices on the run after a change of language unless they are put again.
    st.session_state["reseed"] = st.session_state.get("spoken") != language()
    st.session_state["spoken"] = language()


def _fired() -> bool:
    """Whether a control was used; only where none surely was, and not on Back, a doubtful one counts.

    Never two: a reader turns one at a time. Nor just after a click on a picture: a second one, on a picture
    that is being replaced, arrives without its point, and with all that the browser had before the first.
    """
    doubtful = st.session_state.pop("doubtful", [])
    just_clicked = monotonic() - st.session_state.get("clicked", -math.inf) < HAND
    if len(doubtful) == 1 and not (st.session_state.get("fired") or just_clicked or _by_history()):
        put(**doubtful[0])
    return bool(st.session_state.pop("fired", False))


def _write(current: dict[str, str]) -> None:
    wanted = link()
    if wanted != current:
        st.query_params.from_dict(wanted)
        now, known = monotonic(), st.session_state.get("link", {})
        left = {address: since for address, since in _left().items() if now - since < LATE}
        st.session_state["left"] = left | {_fixed(current): now, _fixed(known): now}
    st.session_state["link"] = wanted


def _adopt(current: dict[str, str]) -> None:
    adopted, found = from_link(current)
    # What no link can carry is not lost to the Back button either.
    unsaid = to_link(settings()).keys() - link().keys() - current.keys()
    st.session_state["settings"] = adopted.put(**{name: settings()[name] for name in unsaid})
    st.session_state["notices"] = [*found, *_beyond_the_sentence(adopted, current)]
    st.session_state["link"] = current


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
    """Whether the address is one we have just replaced: the browser had not heard of it when it asked.

    So it is where a sentence is typed and, without Enter, something else clicked: two questions in a
    moment, both with the address of before. Back and Forward lead there too, but say so.
    """
    since = _left().get(_fixed(current))
    return _by_history() is False and since is not None and monotonic() - since < LATE


def _by_history() -> bool | None:
    """Whether Back or Forward led here; what widgets send along with it is of before. None: unknown."""
    return getattr(get_script_run_ctx(), "is_history_navigation", None)


def _left() -> dict[frozenset[tuple[str, str]], float]:
    """The addresses that our changes replaced in the last seconds, and when."""
    left: dict[frozenset[tuple[str, str]], float] = st.session_state.get("left", {})
    return left


def _fixed(address: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(address.items())


def link() -> dict[str, str]:
    """The link parameters of this state; sentences too long for a link are left out, the pinned ones first."""
    wanted = to_link(settings())
    for name in ("pinned", "source", "sentence"):
        if len(urlencode(wanted)) > LONGEST_LINK:
            wanted.pop(name, None)
    return wanted


def link_is_whole() -> bool:
    """Whether the link carries all of the state."""
    return link() == to_link(settings())
