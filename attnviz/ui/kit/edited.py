"""The edits of this session: short ones are a setting like any other, long ones are kept here by their digest."""

from markupsafe import Markup

from attnviz.explain.pinned import pinned
from attnviz.lesson.edits import KEPT, LONGEST_TEXT, MOST_CELLS, NO_EDITS, Edits, read_edits, write_edits
from attnviz.lesson.settings import Settings
from attnviz.ui.kit import state
from attnviz.ui.kit.session import session
from attnviz.words import Words

MOST_KEPT = 8  # the last few, so that Back finds them


def edits_of(settings: Settings) -> Edits:
    """The edits that `settings` carry or name; none where they cannot be read or are not here."""
    return _found(settings.edits) or NO_EDITS


def are_missing(settings: Settings) -> bool:
    """Whether `settings` name edits that are not here, or carry what is none."""
    return bool(settings.edits) and _found(settings.edits) is None


def missing_lines(settings: Settings, words: Words) -> list[Markup]:
    """A line where the settings name edits that are not here, and one where the pinned ones do."""
    lines = [words.html("edit.missing")] if are_missing(settings) else []
    a = pinned(settings.pinned)
    if a is not None and are_missing(a):
        within = words("common.names.pinned")
        lines.append(words.html("common.notices.within", name=within, line=words.html("edit.missing")))
    return lines


def are_in_link(settings: Settings) -> bool:
    """Whether the link carries the edits, and does not only name them."""
    return not settings.edits.startswith(KEPT)


def put_edits(edits: Edits, **values: object) -> None:
    """Change the edits, and settings along with them; for callbacks."""
    # A cell takes at least four characters: what cannot fit is not written out.
    text = write_edits(edits) if 4 * edits.count <= LONGEST_TEXT else ""
    if edits and not 0 < len(text) <= LONGEST_TEXT:
        _keep(edits)
        text = KEPT + edits.digest
    state.put(edits=text, **values)


def _found(text: str) -> Edits | None:
    if text.startswith(KEPT):
        return session().edits.get(text.removeprefix(KEPT))
    try:
        return read_edits(text)
    except ValueError:
        return None


def _keep(edits: Edits) -> None:
    """Keep the edits as the newest, and of the older ones as many as there is room for."""
    older = [held for held in session().edits.values() if held != edits]
    room = 2 * MOST_CELLS - edits.count
    newest_first = []
    for held in older[::-1][: MOST_KEPT - 1]:
        room -= held.count
        if room < 0:
            break
        newest_first.append(held)
    session().edits = {held.digest: held for held in [*newest_first[::-1], edits]}
