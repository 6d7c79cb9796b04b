"""A table as a CSV file that a spreadsheet opens as what it is: UTF-8, numbers as numbers, labels as text."""

import pandas as pd
import streamlit as st

from attnviz.words import Words

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet may take for the beginning of one (OWASP)


def csv_text(shown: pd.DataFrame, *, index: bool = True) -> str:
    """The frame as CSV; a label that a spreadsheet would take for a formula has an apostrophe before it."""
    return shown.rename(index=inert, columns=inert).to_csv(index=index)


def inert(label: object) -> object:
    """The label as text for a spreadsheet, whatever a reader has typed; what is no text stays."""
    return f"'{label}" if isinstance(label, str) and label.startswith(FORMULA) else label


def csv_button(file: str, shown: pd.DataFrame, words: Words, *, key: str, index: bool = True) -> None:
    """A button that saves the frame; the file is made when it is pressed, with the mark that says it is UTF-8."""
    st.download_button(
        words("common.save_csv"),
        lambda: csv_text(shown, index=index).encode("utf-8-sig"),
        file,
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=key,
    )
