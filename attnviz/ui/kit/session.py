"""What the app remembers of one browser besides what its widgets hold: one record."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st
from streamlit.navigation.page import Page

from attnviz.lesson.edits import Edits
from attnviz.lesson.kinds import Notice
from attnviz.lesson.settings import DEFAULTS, Settings
from attnviz.ui.kit.doubts import Doubts
from attnviz.words import SOURCE

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")

KEY = "session"


@dataclass(slots=True)
class Session:
    """The state of a session. Widgets keep their values in st.session_state, under their own keys.

    What only one page or one part of the screen remembers stands in a record of its own: `session().of(Record)`.
    """

    settings: Settings = DEFAULTS
    notices: list[Notice] = field(default_factory=list)
    """What could not be taken as given in the last change or link."""
    fired: bool = False
    """Whether a control was surely used since the last run."""
    link: dict[str, str] | None = None
    """The address as it was last written or read."""
    doubts: Doubts = field(default_factory=Doubts)
    page: str | None = None
    """The page that was open in the last run."""
    language: str = ""
    """The language of the last run."""
    told: str = SOURCE
    """The language that the document says it is in."""
    show_again: bool = False
    """Whether every widget has to be told its value, the browser having forgotten it."""
    labels: dict[str, str] = field(default_factory=dict)
    """Of each widget the label under which it shows its value."""
    pages: dict[str, list[Page]] = field(default_factory=dict)
    """The navigation, by language."""
    guesses: dict[str, int] = field(default_factory=dict)
    """The reader's answers to the questions of the lessons."""
    edits: dict[str, Edits] = field(default_factory=dict)
    """Edits too long for a link, by their digest; the newest at the end."""
    records: dict[type, Any] = field(default_factory=dict)

    def of(self, record: type[Record]) -> Record:
        """The session's record of this type, made with its defaults where there is none yet."""
        if record not in self.records:
            self.records[record] = record()
        found: Record = self.records[record]
        return found


def session() -> Session:
    """The record of this session."""
    held: Session | None = st.session_state.get(KEY)
    if held is None:
        held = st.session_state[KEY] = Session()
    return held
