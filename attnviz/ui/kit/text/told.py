"""Notices in the reader's language: a line for what could not be taken as given, without a name from the code."""

from markupsafe import Markup

from attnviz.core.exchange.errors import shortened
from attnviz.lesson.kinds import Choice, Notice, Switch
from attnviz.lesson.settings import all_settings
from attnviz.ui.kit.setting_names import setting_name
from attnviz.words import Words, languages

LONGEST = 40  # characters of what was given, and of what stands in its place
FILES = (
    "file",
    "file_opened",
    "opened",
    "ignored",
    "heads_taken",
    "first_layer",
)  # these say whole sentences

# Where the options of a setting have words that do not begin with "common." and its name.
OPTIONS = {
    "language": "common.language_",
    "stage": "playground.stages.",
    "image": "images.",
    "channel_image": "heads.channels.",
    "distribution": "scaling.cause.",
    "vectors_shown": "embedding.likeness.vectors_shown_",
    "likeness": "embedding.likeness.likeness_",
}


def told(notice: Notice, words: Words) -> Markup:
    """The line that says this notice."""
    used = (
        notice.used if notice.problem in FILES else shortened(shown(notice.name, notice.used, words), LONGEST)
    )
    # Of a value that is none, the reader's own text; of one that cannot be had, what it is called.
    given = shown(notice.name, notice.given, words) if notice.problem == "wide" else notice.given
    line = words.html(
        f"common.notices.{notice.problem}",
        name=setting_name(notice.name, words),
        given=shortened(given, LONGEST),
        used=used,
    )
    if not notice.within:
        return line
    return words.html("common.notices.within", name=setting_name(notice.within, words), line=line)


def shown(name: str, text: str, words: Words) -> str:
    """What the reader calls the value of a setting that a link writes as `text`."""
    if not text:
        return words("common.nothing")
    if (name, text) == ("key", "-1"):
        return words("playground.key_auto")
    if name == "language" and text in languages():
        return Words(text)("common.language")
    kind = all_settings()[name].kind if name in all_settings() else None
    if isinstance(kind, Switch):
        return words("common.on" if text == "1" else "common.off")
    if not isinstance(kind, Choice):
        return text
    return words.either(f"{OPTIONS.get(name, f'common.{name}.')}{text}", text, auto="").strip(" :：")
