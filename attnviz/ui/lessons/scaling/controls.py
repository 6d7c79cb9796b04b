"""The controls of the page on sqrt(d_k): sliders on logarithmic scales, each tied to a setting."""

from collections.abc import Sequence

import streamlit as st

from attnviz.lab.scaling.components import COMPONENTS
from attnviz.lab.scaling.limits import LIMIT_KEYS
from attnviz.ui.kit import state
from attnviz.ui.lessons.scaling.look import Look

D_K = tuple(2**power for power in range(10))
DRAWS = (100, 1_000, 10_000, 50_000, 200_000)
KEYS = (2, 3, 5, 10, 20, 32, LIMIT_KEYS)
TOKENS = tuple(2**power for power in range(3, 12))
TEMPERATURES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
BETAS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
SIZES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
PAPER = {"d_model": 512, "num_heads": 8, "d_k": 64}


def d_k(look: Look, step: str) -> None:
    """The slider of d_k, 1 to 512; one in every step that depends on it, all of them the same setting."""
    _slider(look, "d_k", D_K, look("d_k"), f"d_k_{step}")


def draws(look: Look, step: str) -> None:
    """How many draws are measured."""
    _slider(look, "draws", DRAWS, look("draws"), f"draws_{step}")


def num_keys(look: Look, step: str) -> None:
    """How many keys a query looks at."""
    _slider(look, "num_keys", KEYS, look("num_keys"), f"num_keys_{step}")


def many_tokens(look: Look) -> None:
    """How many tokens there are."""
    _slider(look, "many_tokens", TOKENS, look("many_tokens"), "many_tokens")


def distribution(look: Look) -> None:
    """How the numbers of q and k are drawn."""
    st.segmented_control(
        look("distribution"),
        tuple(COMPONENTS),
        format_func=lambda name: look(f"cause.{name}"),
        required=True,
        **state.widget("distribution"),
    )


def cures(look: Look) -> None:
    """Temperature, beta, and the size of the components."""
    columns = st.columns(3, gap="medium")
    rows = (
        ("cure_temperature", TEMPERATURES, "cures.temperature"),
        ("cure_beta", BETAS, "cures.beta"),
        ("vector_size", SIZES, "cures.size"),
    )
    for column, (name, options, words) in zip(columns, rows, strict=True):
        with column:
            _slider(look, name, options, look(words), name)


def paper(look: Look) -> None:
    """One click to the sizes of the paper."""
    st.button(
        look("paper"),
        help=look("paper_help"),
        type="tertiary",
        key="paper_sizes",
        on_click=lambda: state.put(**PAPER),
    )


def _slider(look: Look, name: str, options: Sequence[float], label: str, key: str) -> None:
    """A slider over the options; a value between them, from a link or the sidebar, is one of them too."""
    value = look.settings[name]
    st.select_slider(
        label,
        sorted({*options, value}),
        format_func=lambda option: f"{option:,}" if isinstance(option, int) else f"{option:g}",
        **state.widget(key, value, lambda held: {name: held}),
    )
