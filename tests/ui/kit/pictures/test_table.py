"""The tables hold the matrices exactly, every row and column by a name of its own, and so does the saved file."""

import csv
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from attnviz.explain.stations import masked
from attnviz.lesson.settings import DEFAULTS, STAGES
from attnviz.ui.kit.array_names import symbol
from attnviz.ui.kit.pictures.saved import csv_text
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.pictures.table import Table, frame, tables
from tests.ui.scenes import KINDS_OF_ATTENTION, SELF, scene

each_stage = pytest.mark.parametrize("stage", STAGES)
each_kind_of_attention = pytest.mark.parametrize("base", KINDS_OF_ATTENTION.values(), ids=KINDS_OF_ATTENTION)


def arrays(stage: str, seen: Scene) -> list[np.ndarray[Any, Any]]:
    """The matrices of a station, those of the focused head."""
    trace, h = seen.lesson.trace, seen.focus.head
    layer = trace.layer
    return {
        "x": [trace.x, trace.x_source] if seen.lesson.cross else [trace.x],
        "qkv": [trace.query[h], trace.key[h], trace.value[h], layer.w_q[h], layer.w_k[h], layer.w_v[h]],
        "scores": [trace.scores[h]],
        "scaled": [trace.scaled[h]],
        "masked": [masked(seen.lesson.trace)[h]],
        "weights": [trace.weights[h]],
        "heads": [trace.head_outputs[h]],
        "concat": [trace.concat],
        "output": [trace.output, layer.w_o.reshape(-1, layer.d_model), trace.contributions[h]],
    }[stage]


def read_back(text: str) -> tuple[list[str], list[str], list[list[float]]]:
    """Row names, column names and numbers of a CSV file; an empty cell is NaN."""
    (_, *columns), *lines = csv.reader(io.StringIO(text))
    numbers = [[float(cell) if cell else float("nan") for cell in line[1:]] for line in lines]
    return [line[0] for line in lines], columns, numbers


@each_stage
@each_kind_of_attention
def test_a_station_has_its_matrices_as_tables_to_the_last_bit(stage: str, base: Any) -> None:
    seen = scene(base=base, mask="causal")
    found = tables(stage, seen)
    assert len({table.name for table in found}) == len(found)
    for table, array in zip(found, arrays(stage, seen), strict=True):
        np.testing.assert_array_equal(table.values, array)
        assert (len(table.rows), len(table.columns)) == array.shape


@pytest.mark.parametrize("score", ["general", "additive"])
def test_what_a_score_function_learns_and_the_biases_are_tables_too(score: str) -> None:
    seen = scene(base=SELF, score=score, bias=True, head=1)
    layer, h = seen.lesson.trace.layer, seen.focus.head
    parameters = {f"score_{name}": array[h] for name, array in seen.lesson.trace.score_parameters.items()}
    biases = {"b_Q": layer.b_q[h], "b_K": layer.b_k[h], "b_V": layer.b_v[h], "b_O": layer.b_o}
    found = {t.name: t.values for stage in ("qkv", "scores", "output") for t in tables(stage, seen)}
    for name, array in ({symbol(name): array for name, array in parameters.items()} | biases).items():
        np.testing.assert_array_equal(found[name].ravel(), array.ravel())
    assert h == 1 and len(parameters) == {"general": 1, "additive": 3}[score]


@each_stage
@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_the_saved_file_gives_every_number_back_exactly(stage: str, columns: bool) -> None:
    seen = scene(base=KINDS_OF_ATTENTION["cross"], mask="causal")
    for table, array in zip(tables(stage, seen), arrays(stage, seen), strict=True):
        shown = frame(table, columns)
        row_names, column_names, numbers = read_back(csv_text(shown))
        np.testing.assert_array_equal(numbers, array.T if columns else array)
        assert (row_names, column_names) == (list(shown.index), list(shown.columns))


def test_a_repeated_word_has_rows_and_columns_of_its_own() -> None:
    # streamlit#10932: duplicate column error.
    (table,) = tables("weights", scene())
    shown = frame(table, columns=False)
    assert shown.index.is_unique
    assert shown.columns.is_unique
    assert list(shown.index) == ["the₀", "cat₁", "sat₂", "on₃", "the₄", "mat₅"]


def test_names_that_look_alike_are_told_apart() -> None:
    # The token "a₁" in place 0 and the token "a" in place 10 are both written a₁₀.
    table = Table("x", np.eye(2), ("a₁₀", "a₁₀"), ("0", "1"))
    assert frame(table, columns=False).index.is_unique


def test_tokens_stand_in_full_in_a_table() -> None:
    long = "x" * 60
    (table,) = tables("weights", scene(sentence=f"{long} b", query=0, key=0))
    assert table.rows[0] == f"{long}₀"


def test_a_masked_cell_of_the_saved_file_is_empty() -> None:
    (table,) = tables("masked", scene(mask="causal"))
    lines = csv_text(frame(table, columns=False)).splitlines()
    assert lines[1].endswith(",,,,,")


@each_stage
def test_one_token_and_512_tokens_have_tables_too(stage: str) -> None:
    for sentence, n in (("one", 1), ("w " * 600, 512)):
        seen = scene(sentence=sentence, query=0, key=0, base=DEFAULTS)
        found = frame(tables(stage, seen)[0], columns=False)
        assert found.shape[0] == n
        assert found.index.is_unique


def test_column_notation_turns_the_table_and_no_number() -> None:
    (table,) = tables("weights", scene(base=SELF))
    pd.testing.assert_frame_equal(frame(table, True), frame(table, False).T)
