"""The sidebar: pages, language, sizes, score, scale, mask, seed; the rest under More."""

import secrets
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.navigation.page import Page

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.settings import HIDEABLE, WIDE_VALUES
from attnviz.lesson.setups import SETUPS
from attnviz.ui.app.lesson_files import by_hand, lesson_files
from attnviz.ui.kit import address, state
from attnviz.ui.kit.inputs import choice, put_setup, real, switch, text, whole
from attnviz.words import Words, languages

SEEDS = 10_000


def sidebar(pages: Sequence[Page], current: str) -> None:
    """Draw the sidebar; `current` is the address of the page that is open."""
    words = state.words()
    with st.sidebar:
        # Our CSS lays them out in two columns, by their keys: as pairs of columns they are a dozen messages more.
        with st.container(key="controls"):
            _navigation(pages, current)
            _language(words)
            if len(hidden()) < len(HIDEABLE):
                _sizes(words)
                _score_and_scale(words)
                _mask_and_seed(words)
                choice("notation", words, side_by_side=True)
            by_hand(words)
            _more(words)
            st.button(
                words("common.reset"), icon=":material/restart_alt:", type="tertiary", on_click=state.reset
            )


def hidden() -> frozenset[str]:
    """The controls that a teacher has taken off the screen."""
    return frozenset(name.strip() for name in state.settings().hide.split(",")) & set(HIDEABLE)


def _navigation(pages: Sequence[Page], current: str) -> None:
    link = address.link()
    for page in pages:
        # Streamlit does not say which link is the current page's; bold does, to the eye and to our CSS.
        label = f"**{page.title}**" if page.url_path == current else page.title
        # The link carries the whole state, so that a page change is one step of the browser's history.
        st.page_link(page, label=label, query_params=link, width="stretch")


def _language(words: Words) -> None:
    st.segmented_control(
        words("common.controls.language"),
        languages(),
        format_func=lambda name: Words(name)("common.language"),
        required=True,
        wrap=True,
        label_visibility="collapsed",
        width="stretch",
        **state.widget("language", state.language()),
    )


def _sizes(words: Words) -> None:
    for name in ("d_model", "num_heads", "d_k", "d_v"):
        if name not in hidden():
            whole(name, words, disabled=name == "d_v" and state.settings().preset in WIDE_VALUES)


def _score_and_scale(words: Words) -> None:
    for name in ("score", "scale"):
        if name not in hidden():
            choice(name, words)
    settings = state.settings()
    numbers = list(SCORE_FUNCTIONS[settings.score].numbers)
    if settings.scale == "number":
        numbers.append("divisor")
    for name in numbers:
        if "score" not in hidden() or name == "divisor":
            real(name, words)


def _mask_and_seed(words: Words) -> None:
    if "mask" not in hidden():
        choice("mask", words)
    if "seed" not in hidden():
        _seed(words)
    if "mask" in hidden():
        return
    if state.settings().mask in ("window", "padding"):
        whole(state.settings().mask, words)
    if state.settings().mask == "drawn":
        text("drawn", words)


def _seed(words: Words) -> None:
    st.text_input(
        words("common.controls.seed"),
        help=words("common.help.seed"),
        **state.widget("seed", str(state.settings().seed), typed=True),
    )
    st.button(
        words("common.help.dice"),
        icon=":material/casino:",
        key="icon_dice",
        on_click=lambda: state.put(seed=secrets.randbelow(SEEDS)),
    )


def _more(words: Words) -> None:
    box = st.expander(words("common.more"), type="compact", key="more_box", on_change=state.touch)
    if not box.open:
        return  # a dozen widgets that nobody sees: a tenth of the answer's time
    with box:
        with st.container(gap="xsmall", key="more"):
            if len(hidden()) < len(HIDEABLE):
                _setups(words)
                for name in MORE:
                    if name not in hidden():
                        MORE[name](name, words)
                _hide(words)
            lesson_files(words)


def _hide(words: Words) -> None:
    st.multiselect(
        words("common.controls.hide"),
        HIDEABLE,
        format_func=lambda name: words(f"common.names.{name}"),
        select_all=False,
        help=words("common.help.hide"),
        placeholder=words("common.setup.choose"),
        **state.widget("hide", sorted(hidden(), key=HIDEABLE.index), lambda names: {"hide": ",".join(names)}),
    )


def _setups(words: Words) -> None:
    """Whole layers from the literature, put in at once; the box itself holds nothing."""
    st.selectbox(
        words("common.controls.setup"),
        list(SETUPS),
        index=None,
        placeholder=words("common.setup.choose"),
        format_func=lambda name: words(f"common.setup.{name}"),
        filter_mode=None,
        help=words("common.help.setup"),
        key="setup",
        on_change=_take_setup,
    )


def _take_setup() -> None:
    chosen = st.session_state["setup"]
    if chosen is not None:
        put_setup(chosen)
        st.session_state["setup"] = None


MORE: dict[str, Callable[[str, Words], None]] = {
    "source": text,
    "preset": choice,
    "tokenizer": lambda name, words: choice(name, words, side_by_side=True),
    "embedding": choice,
    "position": choice,
    "rotary": switch,
    "temperature": real,
    "softcap": real,
    "bias_kind": choice,
    "normalizer": choice,
    "residual": switch,
    "bias": switch,
}
