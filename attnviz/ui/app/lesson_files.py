"""Save this lesson as a file, open one: the sidebar's part."""

from dataclasses import dataclass

import streamlit as st

from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson_file import LARGEST_FILE, LessonFileError, load, save
from attnviz.lesson.settings import all_settings
from attnviz.ui.kit import state, style
from attnviz.ui.kit.edited import edits_of, put_edits
from attnviz.ui.kit.session import session
from attnviz.ui.kit.text.prose import note
from attnviz.words import Words


@dataclass
class Files:
    """The lesson files of a session: how many were opened, and the lesson found too large for one."""

    opened: int = 0
    too_large: tuple[str, int] | None = None


OPENED = ("json", "npz", "safetensors")


def by_hand(words: Words) -> None:
    """How much was put in by hand."""
    count = edits_of(state.settings()).count
    if count:
        note(words.html("edit.count", n=f"{count:,}"))


def lesson_files(words: Words) -> None:
    """The file that keeps a lesson."""
    box = st.expander(words("file.title"), type="compact", key="file", on_change=state.touch)
    if box.open:
        with box, st.container(gap="xsmall", key="file_box"):
            _save(words)
            st.html(style.upload_words("file_box", words("file.pick"), words("file.most")))
            st.file_uploader(
                words("file.open"),
                list(OPENED),
                help=words("file.open_help"),
                key=_key(),
                on_change=_open,
            )


def _save(words: Words) -> None:
    settings = state.settings()
    edits, files = edits_of(settings), session().of(Files)
    size = (edits.digest, len(settings.sentence) + len(settings.source))
    try:
        # Once found too large, it is not written out again on every run.
        text = "" if files.too_large == size else save(settings, edits)
    except ValueError:
        files.too_large = size
        text = ""
    if not text:
        note(words.html("file.large", count=f"{edits.count:,}", most=f"{LARGEST_FILE:,}"))
        return
    st.download_button(
        words("file.save"),
        text,
        "attnviz-lesson.json",
        "application/json",
        icon=":material/download:",
        help=words("file.save_help"),
        on_click="ignore",
        key="file_save",
    )


def _key() -> str:
    """Another one after every file: the box is empty again, and the same file can be opened twice."""
    return f"file_{session().of(Files).opened}"


def _open() -> None:
    file = st.session_state[_key()]
    if file is None:
        return
    session().of(Files).opened += 1
    try:
        settings, edits, found = load(file.getvalue(), state.settings())
    except LessonFileError as error:
        state.touch()
        session().notices = [Notice(file.name, "file", "", error.message(state.words()))]
        return
    # The reader has not unlearned their language.
    names = all_settings().keys() - {"edits", "language"}
    put_edits(edits, **{name: settings[name] for name in names})
    opened = Notice(file.name, "file_opened", "", "")
    session().notices = [opened, *found, *session().notices]
