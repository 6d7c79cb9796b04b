"""The lesson file: settings and everything put in by hand as JSON, saved and opened without losing a bit.

{"format": "attnviz lesson", "version": 1, "settings": {...}, "edits": [{"matrix": ..., "values": ...}, ...]}

Settings are written as JSON numbers, truth values and texts, or all as texts, as in a link.
"""

import json
import math
from typing import Any

from attnviz.core.exchange.errors import ExchangeError, excerpt, shortened
from attnviz.core.exchange.npz import MARK
from attnviz.core.exchange.safetensors import is_safetensors
from attnviz.core.exchange.strict_json import Object, parse, require_object, require_once
from attnviz.lesson.edits import BY_TOKENS, Edit, Edits, fingerprint
from attnviz.lesson.files.edit_entries import read_entry, write_entry
from attnviz.lesson.files.errors import LessonFileError
from attnviz.lesson.files.weights import MOST_BYTES, read_weights
from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import both_tokens
from attnviz.lesson.settings import DEFAULTS, Settings, all_settings, from_link

__all__ = ["LARGEST_FILE", "MOST_BYTES", "LessonFileError", "load", "save"]

FORMAT = "attnviz lesson"
VERSION = 1
LARGEST_FILE = 2_000_000  # bytes
LEAST_CELL = 3  # bytes that a cell takes: a digit and what stands between two


def save(settings: Settings, edits: Edits) -> str:
    """The lesson file of `settings` and `edits`; ValueError where it would be larger than LARGEST_FILE.

    Every setting is written out, so that no later default changes the lesson; `edits` stand in place of the
    text `settings.edits`.
    """
    least = LEAST_CELL * edits.count
    if least > LARGEST_FILE:
        raise ValueError(f"a lesson file must have at most {LARGEST_FILE} bytes; got more than {least}")
    values = {name: settings[name] for name in all_settings() if name != "edits"}
    entries = ",\n".join(f"  {write_entry(edit)}" for edit in edits.entries)
    text = (
        f'{{\n "format": {json.dumps(FORMAT)},\n "version": {VERSION},\n'
        f' "settings": {json.dumps(values, ensure_ascii=False, indent=2)},\n "edits": [\n{entries}\n ]\n}}\n'
    )
    size = len(text.encode())
    if size > LARGEST_FILE:
        raise ValueError(f"a lesson file must have at most {LARGEST_FILE} bytes; got {size}")
    return text


def load(data: bytes, settings: Settings = DEFAULTS) -> tuple[Settings, Edits, tuple[Notice, ...]]:
    """What a lesson file holds, or weight matrices in .npz or .safetensors; notices for what was not taken.

    Weight matrices (w_q, w_k, w_v, w_o, and biases b_q, ... where there are any, or those of another library by its
    names) bring their sizes with them; the other settings then stay those given. Settings out of their limits are
    brought inside, as in a link. Raises LessonFileError for anything else that is wrong.
    """
    weights = data.startswith(MARK) or is_safetensors(data)
    most = MOST_BYTES if weights else LARGEST_FILE
    if len(data) > most:
        raise LessonFileError("", "size", f"{len(data):,}", most=f"{most:,}")
    try:
        return read_weights(data, settings) if weights else _lesson(parse(data))
    except LessonFileError:
        raise
    except ExchangeError as error:
        raise LessonFileError.of(error) from None


def _lesson(value: Any) -> tuple[Settings, Edits, tuple[Notice, ...]]:
    root = require_object(value, "$", ("format", "version", "settings", "edits"))
    if root["format"] != FORMAT:
        raise LessonFileError("$.format", "format", excerpt(root["format"]), name=FORMAT)
    if root["version"] != VERSION or isinstance(root["version"], bool):
        raise LessonFileError("$.version", "version", excerpt(root["version"]), version=VERSION)
    settings, notices = _settings(root["settings"])
    if not isinstance(root["edits"], list):
        raise LessonFileError("$.edits", "list", excerpt(root["edits"]))
    sentences = dict(zip(BY_TOKENS, (fingerprint(t.tokens) for t in both_tokens(settings)), strict=True))
    entries: dict[object, Edit] = {}
    for i, entry in enumerate(root["edits"]):
        edit = read_entry(entry, f"$.edits[{i}]", sentences)
        if edit.key in entries:
            raise LessonFileError(f"$.edits[{i}].matrix", "once", excerpt(edit.name))
        entries[edit.key] = edit
    return settings, Edits(tuple(entries.values())), notices


def _settings(value: Any) -> tuple[Settings, tuple[Notice, ...]]:
    if not isinstance(value, Object):
        raise LessonFileError("$.settings", "object", excerpt(value), names="sentence, d_model, …")
    require_once(value, "$.settings")
    link = {name: _link_text(one, f"$.settings.{name}") for name, one in value.items()}
    unknown = [name for name in link if name not in all_settings() or name == "edits"]
    settings, notices = from_link({name: text for name, text in link.items() if name not in unknown})
    ignored = (Notice("edits", "ignored", shortened(", ".join(unknown)), ""),) if unknown else ()
    return settings, (*ignored, *notices)


def _link_text(value: Any, place: str) -> str:
    """A setting as it would stand in a link."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float) and math.isfinite(value):
        return repr(value).removesuffix(".0")
    if not isinstance(value, str):
        raise LessonFileError(place, "setting", excerpt(value))
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a pair, which no browser can be sent
        raise LessonFileError(place, "characters", excerpt(value)) from None
    return value
