"""Whatever bytes come, they open or are refused; nothing else happens."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.lesson.edits import Edits
from attnviz.lesson.lesson_file import LessonFileError, load, save
from attnviz.lesson.settings import all_settings, fit
from tests.lesson.lesson_files import SOUND, WORDS, file, tensors, text, weights


@given(st.sampled_from([SOUND, weights(), tensors(), save(WORDS, Edits())]), st.data())
def test_a_file_with_any_bytes_changed_opens_or_says_what_is_wrong(data: Any, draw: st.DataObject) -> None:
    changed = bytearray(data if isinstance(data, bytes) else data.encode())
    for _ in range(draw.draw(st.integers(1, 4))):
        changed[draw.draw(st.integers(0, len(changed) - 1))] = draw.draw(st.integers(0, 255))
    del changed[draw.draw(st.integers(len(changed) // 2, len(changed))) :]
    _opens_or_says(bytes(changed))


@given(st.binary(max_size=300))
@pytest.mark.parametrize("start", [b"", b"PK\x03\x04", b"\x10\0\0\0\0\0\0\0"])
def test_any_bytes_open_or_say_what_is_wrong(start: bytes, data: bytes) -> None:
    _opens_or_says(start + data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)


@given(
    st.fixed_dictionaries(
        {
            "settings": JSON | st.dictionaries(st.sampled_from([*all_settings()]), JSON, max_size=4),
            "edits": JSON | st.lists(st.fixed_dictionaries({"matrix": JSON, "values": JSON}), max_size=2),
        }
    )
)
def test_any_json_opens_or_says_what_is_wrong(values: dict[str, Any]) -> None:  # fmt: skip
    _opens_or_says(text(file(**values)))


def _opens_or_says(data: bytes) -> None:
    try:
        settings, edits, _ = load(data)
    except LessonFileError:
        return
    assert fit(settings) == (settings, ())
    assert isinstance(edits, Edits)
