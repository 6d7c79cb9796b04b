"""The numbers behind the curves, as tables to look at and to save."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.lab.scaling.measured import VarianceSweep
from attnviz.lab.scaling.softmax_sweep import Sweep
from attnviz.lab.scaling.token_count import PairVariance
from attnviz.ui.kit.pictures.saved import csv_button
from attnviz.ui.lessons.scaling.look import Look
from attnviz.ui.lessons.scaling.sentence import SentenceSweep

Columns = Mapping[str, object]


def table(look: Look, step: str, columns: Callable[[], Columns]) -> None:
    """A button that opens the numbers of a step; they are gathered and sent only while it is open."""
    box = st.popover(
        look.words("common.table"),
        icon=":material/table:",
        type="tertiary",
        key=f"table_{step}",
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        frame = pd.DataFrame(columns())
        st.dataframe(frame, key=f"frame_{step}", hide_index=True)
        csv_button(f"attnviz-{step}.csv", frame, look.words, key=f"csv_{step}", index=False)


def sentence_columns(sweep: SentenceSweep) -> Columns:
    """The mean largest weight at every d_k."""
    return {"d_k": sweep.d_k, "scaled": sweep.largest(True), "unscaled": sweep.largest(False)}


def variance_columns(sweep: VarianceSweep) -> Columns:
    """Measured and predicted variances with their standard errors."""
    names = ("d_k", "draws", "mean", "mean_error", "variance", "variance_error", "law")
    return {name: getattr(sweep, name) for name in names}


def sweep_columns(sweep: Sweep, names: tuple[str, ...]) -> Columns:
    """Every statistic of the named measurements by every rule."""
    columns: dict[str, object] = {"d_k": sweep.d_k}
    for name in names:
        for rule, spread in sweep.measured[name].spread.items():
            for part in ("mean", "sd", "median", "low", "high"):
                columns[f"{name} {rule} {part}"] = getattr(spread, part)
    return columns


def pair_columns(by_tokens: PairVariance, by_d_k: PairVariance) -> Columns:
    """Both sweeps of the variance over all pairs of tokens, one under the other."""
    names = ("tokens", "d_k", "variance", "error", "law")
    return {name: np.concatenate([getattr(by_tokens, name), getattr(by_d_k, name)]) for name in names}
