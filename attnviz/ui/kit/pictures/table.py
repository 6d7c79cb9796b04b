"""Any matrix as an exact table, to look at, copy or save as CSV."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.explain.reference import PAIRS
from attnviz.explain.stations import MADE, made
from attnviz.figures.labels import subscript
from attnviz.lesson.edits import sheet
from attnviz.lesson.lesson import editable
from attnviz.ui.kit import state
from attnviz.ui.kit.array_names import symbol
from attnviz.ui.kit.pictures.saved import csv_button, csv_text
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import label, note
from attnviz.words import Words

MOST_SHOWN = 50_000  # cells; of a larger matrix the first rows
MOST_COPIED = 2000  # cells; above this copying is done from the saved file


@dataclass(frozen=True)
class Table:
    """One matrix of a station with the names of its rows and columns, tokens as rows."""

    name: str
    values: NDArray[np.floating]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


def tables(stage: str, scene: Scene) -> list[Table]:
    """The matrices of a station, those of the focused head."""
    trace, h = scene.lesson.trace, scene.focus.head
    queries, keys = scene.queries.wholes, scene.keys.wholes
    cross = scene.lesson.cross
    inputs = [_tokens_by("x", trace.x, queries)] + ([_tokens_by("x′", trace.x_source, keys)] if cross else [])
    if MADE[stage][0] in PAIRS:
        scores = Table(scene.words(f"playground.stages.{stage}"), made(trace, stage)[0][h], queries, keys)
        return [scores, *_others(scene, "score_")] if stage == "scores" else [scores]
    return {
        "x": lambda: inputs,
        "qkv": lambda: [
            _tokens_by("Q", trace.query[h], queries),
            _tokens_by("K", trace.key[h], keys),
            _tokens_by("V", trace.value[h], keys),
            *_weights_of_head(trace, h),
            *_others(scene, "b_q", "b_k", "b_v"),
        ],
        "heads": lambda: [_tokens_by("O", trace.head_outputs[h], queries)],
        "concat": lambda: [_tokens_by("C", trace.concat, queries)],
        "output": lambda: [
            _tokens_by("Y", trace.output, queries),
            _plain("W_O", trace.layer.w_o.reshape(-1, trace.layer.d_model)),
            *_others(scene, "b_o"),
            _tokens_by(scene.words("playground.contribution"), trace.contributions[h], queries),
        ],
    }.get(stage, lambda: inputs)()


def _weights_of_head(trace: AttentionTrace, h: int) -> list[Table]:
    layer = trace.layer
    return [_plain("W_Q", layer.w_q[h]), _plain("W_K", layer.w_k[h]), _plain("W_V", layer.w_v[h])]


def _others(scene: Scene, *beginnings: str) -> list[Table]:
    """The biases or score parameters of the layer, the focused head's, by the beginnings of their names."""
    arrays = editable(scene.lesson)
    return [
        _plain(symbol(name), sheet(name, array, scene.focus.head))
        for name, array in arrays.items()
        if name.startswith(beginnings)
    ]


def _tokens_by(name: str, values: NDArray[np.floating], rows: tuple[str, ...]) -> Table:
    return Table(name, values, rows, tuple(f"{c}" for c in range(values.shape[1])))


def _plain(name: str, values: NDArray[np.floating]) -> Table:
    return Table(name, values, *(tuple(str(i) for i in range(size)) for size in values.shape))


def frame(table: Table, columns: bool) -> pd.DataFrame:
    """The table as a data frame with unique headers, transposed where tokens are columns."""
    shown = pd.DataFrame(table.values, index=_unique(table.rows), columns=_unique(table.columns))
    return shown.T if columns else shown


def _unique(names: tuple[str, ...]) -> list[str]:
    """Names that are all different: token labels are, unless two tokens look alike after shortening."""
    count = Counter(names)
    return [name if count[name] == 1 else f"{name} {subscript(i)}" for i, name in enumerate(names)]


def table_popover(stage: str, scene: Scene) -> None:
    """The button that opens the exact numbers of the station."""
    words = scene.words
    box = st.popover(
        words("common.table"), icon=":material/table:", type="tertiary", key="table", on_change=state.touch
    )
    if not box.open:
        return  # only what is on screen is computed and sent
    of_head = stage not in ("x", "concat", "output")
    with box:
        if of_head:
            label(words("common.head_n", n=scene.focus.head + 1))
        found = {table.name: table for table in tables(stage, scene)}
        name = st.segmented_control(
            words("common.table"), list(found), required=True, default=next(iter(found)),
            label_visibility="collapsed", key=f"table_{stage}",
        )  # fmt: skip
        shown = frame(found[name if name in found else next(iter(found))], scene.columns)
        part = shown.iloc[: max(MOST_SHOWN // len(shown.columns), 1)]
        st.dataframe(part, key=f"frame_{stage}", column_config=_exact(part))
        if len(part) < len(shown):
            note(words("common.table_cut", rows=len(part), all=len(shown)))
        head = f"-head{scene.focus.head + 1}" if of_head else ""
        csv_button(f"attnviz-{stage}{head}.csv", shown, words, key="csv")
        _copied(shown, words)


def _exact(shown: pd.DataFrame) -> dict[str, Any]:
    return {name: st.column_config.NumberColumn(format="%.6g") for name in shown.columns}


def _copied(shown: pd.DataFrame, words: Words) -> None:
    if shown.size <= MOST_COPIED:
        st.caption(words("common.table_note"))
        st.code(csv_text(shown), language=None, height=160)
