"""What is kept is bounded in bytes, least recently used goes first, and goes with the sessions that asked for it."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from streamlit.runtime.caching.cache_resource_api import clear_session_cache

from attnviz.core.arrays import Array
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import DEFAULTS, change
from attnviz.ui.kit.kept import STORE, Store, nbytes_of
from tests.pages.app import open_page

KILO = 1000


def block(kilobytes: int) -> Array:
    return np.zeros(kilobytes * KILO, np.uint8)


def test_what_is_there_is_not_made_again() -> None:
    store, made = Store(100 * KILO), []
    first = store.get("key", lambda: made.append(1) or block(1), "one")  # type: ignore[func-returns-value]
    assert store.get("key", lambda: pytest.fail("made twice"), "two") is first
    assert made == [1]


def test_the_bytes_of_all_values_stay_below_the_limit() -> None:
    store = Store(100 * KILO)
    for k in range(50):
        store.get(k, lambda: block(9), "one")
        assert store.nbytes <= 100 * KILO
    assert store.nbytes > 8 * 9 * KILO
    assert [k in store for k in (0, 38, 49)] == [False, False, True]


def test_the_least_recently_used_goes_first() -> None:
    store = Store(100 * KILO)
    for name in "abcd":
        store.get(name, lambda: block(24), "one")
    store.get("a", lambda: pytest.fail("was there"), "one")
    store.get("e", lambda: block(24), "one")
    assert [name in store for name in "abcde"] == [True, False, True, True, True]


def test_what_would_take_most_of_the_room_is_not_kept() -> None:
    store = Store(100 * KILO)
    store.get("small", lambda: block(10), "one")
    assert store.get("large", lambda: block(60), "one").nbytes == 60 * KILO
    assert "small" in store
    assert "large" not in store


def test_what_only_ended_sessions_have_asked_for_goes_with_the_last_of_them() -> None:
    store = Store(100 * KILO)
    for session in ("one", "two"):
        store.get("shared", lambda: block(1), session)
    store.get("own", lambda: block(1), "one")
    store.release("one")
    assert ("shared" in store, "own" in store) == (True, False)
    store.release("two")
    assert (len(store), store.nbytes) == (0, 0)


def test_a_value_is_made_once_however_many_ask_at_the_same_time() -> None:
    store, made, start = Store(100 * KILO), [], threading.Barrier(8)

    def slow() -> Array:
        made.append(1)
        threading.Event().wait(0.05)
        return block(1)

    def ask(k: int) -> None:
        start.wait()
        store.get("key", slow, str(k))

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_what_could_not_be_made_is_tried_again() -> None:
    store = Store(100 * KILO)

    def fails() -> Array:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.get("key", fails, "one")
    assert store.get("key", lambda: block(2), "one").nbytes == 2 * KILO


@dataclass(frozen=True, eq=False)
class Pair:
    whole: Array
    part: Array


def test_views_are_counted_with_what_they_show_and_only_once() -> None:
    whole = block(40)
    assert nbytes_of(Pair(whole, whole[10:20])) == pytest.approx(nbytes_of(whole), abs=500)
    assert nbytes_of(whole[:1]) >= 40 * KILO
    assert nbytes_of({"a": [whole, (whole,)]}) == pytest.approx(40 * KILO, abs=1000)


def test_a_lesson_takes_at_least_what_its_trace_does() -> None:
    lesson = make_lesson(change(DEFAULTS, num_heads=3, d_model=40, sentence="a b c d e f g h")[0])
    assert lesson is not None
    trace = lesson.trace
    arrays = (trace.x, trace.scores, trace.weights, trace.concat, trace.contributions, trace.output)
    assert sum(array.nbytes for array in arrays) < nbytes_of(lesson) < 40 * sum(a.nbytes for a in arrays)


def test_a_page_keeps_its_lesson_until_the_session_ends() -> None:
    before = len(STORE)
    open_page("playground", sentence="kept while the session is there")
    assert len(STORE) == before + 1
    clear_session_cache("test session id")  # what Streamlit does when a browser's connection is gone
    assert len(STORE) <= before
