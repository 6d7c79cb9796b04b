"""Pictures of matrices on the page: drawn by our own script, which tells the cell that was clicked.

The script, with its style, comes once, with an unseen element whose message never changes: the browser keeps it. What
comes with each picture is its figure and a few lines.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from attnviz.figures.base import Figure
from attnviz.figures.vocabulary import payload
from attnviz.ui.kit import state
from attnviz.ui.kit.session import session
from attnviz.ui.kit.style import ASSETS

SCRIPTS = ("maps.js", "maps_text.js", "maps_hand.js", "maps_on_page.js")
MOST = 10**6  # a number that a picture tells is below it

Given = tuple[int | str, ...]


@dataclass(frozen=True)
class Click:
    """A chosen cell: its place in its map, the subplot counted from 0, and what was `given` with that very picture.

    A browser may show a picture whose successor is on its way. So what a click means stands in `given`, not in what
    is drawn now; it is data from outside like any other, and whoever takes a click checks it.
    """

    row: int
    column: int
    axes: int
    given: Given = ()


def offer() -> None:
    """Bring the renderer to the page; once a run, before the first picture."""
    _renderer()(key="maps_renderer")


def draw_maps(
    figure: Figure,
    *,
    key: str,
    alt: str,
    on_cell: Callable[[Click], None] | None = None,
    given: Given = (),
) -> None:
    """Draw matrices; `on_cell` is called before the next run when a cell is clicked or entered."""
    words = state.words()
    data: dict[str, Any] = {
        "figure": payload(figure),
        "label": alt,
        "given": None if on_cell is None else list(given),
        "file": "_".join(part for part in ("attnviz", session().page, key) if part),
        "words": {kind: words(f"common.save_{kind}") for kind in ("png", "svg")},
    }
    calls = {} if on_cell is None else {"on_asked_change": lambda: _asked(key, on_cell)}
    _picture()(key=key, data=data, **calls)


def _asked(key: str, on_cell: Callable[[Click], None]) -> None:
    state.touch()
    click = click_of(st.session_state[key].asked)
    if click is not None:
        on_cell(click)


def click_of(told: Any) -> Click | None:
    """What the browser tells, as a click; None for what is none."""
    if not isinstance(told, dict) or told.keys() != {"row", "column", "axes", "given"}:
        return None
    place, given = [told[name] for name in ("row", "column", "axes")], told["given"]
    if not all(_is_number(number) for number in place) or not isinstance(given, list):
        return None
    if not all(_is_number(part) or isinstance(part, str) for part in given):
        return None
    row, column, axes = place
    return Click(row, column, axes, tuple(given))


def _is_number(part: Any) -> bool:
    return isinstance(part, int) and not isinstance(part, bool) and 0 <= part < MOST


@st.cache_resource(show_spinner=False)
def _renderer() -> Callable[..., Any]:
    return st.components.v2.component(
        "attnviz_maps_renderer",
        html='<div role="none"></div>',
        css=(ASSETS / "maps.css").read_text(encoding="utf-8"),
        js="\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS),
        isolate_styles=False,
    )


@st.cache_resource(show_spinner=False)
def _picture() -> Callable[..., Any]:
    js = (ASSETS / "maps_picture.js").read_text(encoding="utf-8")
    return st.components.v2.component(
        "attnviz_map", html='<div class="av-map"></div>', js=js, isolate_styles=False
    )
