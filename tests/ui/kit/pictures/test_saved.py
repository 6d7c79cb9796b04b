"""A saved table is opened by a spreadsheet as what it is: no token becomes a formula, no number a text."""

import csv
import io

import pandas as pd
import pytest

from attnviz.text import tokenize
from attnviz.ui.kit.pictures.saved import csv_text
from attnviz.ui.kit.pictures.table import Table, frame, tables
from tests.pages.app import checked, html, open_page
from tests.ui.scenes import scene

HOSTILE = "=1+1 -5 @x +y =cmd|'/c_calc'!A1 =HYPERLINK(\"http://x\") plain 5"


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_no_label_begins_as_a_formula_does(columns: bool) -> None:
    # Case 49 of docs/cases.md.
    (table,) = tables("weights", scene(sentence=HOSTILE, tokenizer="words", query=0, key=0))
    assert any(row.startswith(("=", "-", "@", "+")) for row in table.rows)
    (_, *names), *lines = cells(csv_text(frame(table, columns)))
    assert not [label for label in [*names, *(line[0] for line in lines)] if label[:1] in "=+-@\t\r"]


def test_a_label_keeps_all_its_signs_behind_the_apostrophe() -> None:
    table = Table(
        "x", scene().lesson.trace.x[:2], ("=1", "a"), tuple(map(str, range(scene().lesson.trace.x.shape[1])))
    )
    assert [line[0] for line in cells(csv_text(frame(table, columns=False)))[1:]] == ["'=1", "a"]


def test_negative_numbers_stay_numbers() -> None:
    (table,) = tables("scores", scene(query=0, key=0))
    assert (table.values < 0).any()
    read = pd.read_csv(io.StringIO(csv_text(frame(table, columns=False))), index_col=0)
    assert all(kind.kind == "f" for kind in read.dtypes)
    assert (read.to_numpy() == table.values).all()


def test_a_large_matrix_shows_its_first_rows_and_says_so() -> None:
    # Case 44: W_O of 8192 x 128 took 4.9 s; what is sent is bounded, the file is made when it is asked for.
    app = open_page(num_heads=16, d_model=128, d_v=512, d_k=2, stage="output")
    app.session_state["table"] = True
    app.session_state["table_output"] = "W_O"
    checked(app.run())
    (shown,) = [found.value for found in app.dataframe]
    assert shown.shape == (50_000 // 128, 128)
    assert "390 rows of 8192" in html(app)
    assert not app.code


def test_every_token_of_the_hostile_sentence_is_one_of_the_labels() -> None:
    (table,) = tables("weights", scene(sentence=HOSTILE, tokenizer="words", query=0, key=0))
    assert len(table.rows) == len(tokenize(HOSTILE).tokens)
