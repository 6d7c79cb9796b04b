"""The other classic view: queries left, keys right, a line for each weight."""

import base64
from typing import Any

import numpy as np
import streamlit as st

from attnviz.explain.stations import seen_weights
from attnviz.figures.labels import label
from attnviz.ui.kit import state
from attnviz.ui.kit.component import component
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import note

KEY = "lines"
MOST_TOKENS = 48

# Heads are told apart by number, colour and dash: four colours, apart from those of the roles, times four dashes.
COLOURS = {
    "light": ("#4B5FD0", "#A66A00", "#1E7F86", "#8A4B2A"),
    "dark": ("#93A1F5", "#E3B341", "#5FC6CC", "#D9966F"),
}
DASHES = ("", "7 4", "2 4", "9 4 2 4")


def lines(scene: Scene) -> None:
    """The lines of all heads; a click on a token moves the focus."""
    n, m = scene.lesson.trace.weights.shape[1:]
    if max(n, m) > MOST_TOKENS:
        note(scene.words("playground.lines_most", most=MOST_TOKENS))
        return
    component(KEY, "group")(
        key=KEY,
        data=lines_data(scene, state.theme()),
        on_query_change=lambda: _picked("query", n),
        on_key_change=lambda: _picked("key", m),
    )


def _picked(name: str, count: int) -> None:
    """What comes back from the browser is checked before it is used."""
    position = getattr(st.session_state[KEY], name)
    if isinstance(position, int) and not isinstance(position, bool) and 0 <= position < count:
        state.put(**{name: position})
    else:
        state.touch()


def lines_data(scene: Scene, theme: str) -> dict[str, Any]:
    """The payload: labels, weights as float32 in base64 (H, n, m), and how each head is drawn."""
    weights = seen_weights(scene.lesson.trace)
    heads, n, m = weights.shape
    colours = COLOURS[theme]
    return {
        "queries": [label(token, i) for i, token in enumerate(scene.lesson.tokens.tokens)],
        "keys": [label(token, i) for i, token in enumerate(scene.lesson.source.tokens)],
        "n": n,
        "m": m,
        "query": scene.focus.query,
        "height": max(26 * max(n, m), 200),
        "weights": base64.b64encode(np.ascontiguousarray(weights, np.float32).tobytes()).decode("ascii"),
        "heads": [
            {"name": str(h + 1), "colour": colours[h % 4], "dash": DASHES[h // 4]} for h in range(heads)
        ],
        "words": {
            "looks": f"{scene.words('playground.looks')} ↓",
            "looked": f"{scene.words('playground.looked_at')} ↓",
        },
    }
