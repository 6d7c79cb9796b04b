"""What was computed and is kept for all sessions: bounded in bytes over the whole process, in this one place.

Least recently used goes first; what only ended sessions have asked for goes with the last of them. LIMIT is 256 MB,
or ATTNVIZ_CACHE_MB from the environment.
"""

import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

LIMIT = round(float(os.environ.get("ATTNVIZ_CACHE_MB", "256")) * 1e6)  # bytes

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Entry:
    """A value, the bytes it takes, and the sessions that have asked for it."""

    value: Any
    nbytes: int
    sessions: set[str] = field(default_factory=set)


class Store:
    """Values by key, of `limit` bytes together; what is larger than a quarter of that is not kept at all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()  # least recently used first
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any], session: str) -> Any:
        """The value of `key`, made where it is not there: once, however many sessions ask at the same time."""
        with self._lock:
            found = self._found(key, session)
            if found is not None:
                return found.value
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                return self._made(key, make, session)
        finally:
            with self._lock:
                self._making.pop(key, None)

    def release(self, session: str) -> None:
        """Forget what nobody but this session has asked for."""
        with self._lock:
            for key, entry in list(self._entries.items()):
                entry.sessions.discard(session)
                if not entry.sessions:
                    del self._entries[key]

    @property
    def nbytes(self) -> int:
        """The bytes of all that is kept."""
        return sum(entry.nbytes for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def _made(self, key: Hashable, make: Callable[[], Any], session: str) -> Any:
        with self._lock:
            found = self._found(key, session)
        if found is not None:  # another session has made it meanwhile
            return found.value
        value = make()
        with self._lock:
            self._put(key, Entry(value, nbytes_of(value), {session}))
        return value

    def _found(self, key: Hashable, session: str) -> Entry | None:
        entry = self._entries.get(key)
        if entry is not None:
            entry.sessions.add(session)
            self._entries.move_to_end(key)
        return entry

    def _put(self, key: Hashable, entry: Entry) -> None:
        if 4 * entry.nbytes > self.limit:
            return
        self._entries[key] = entry
        while self.nbytes > self.limit:
            self._entries.popitem(last=False)


def nbytes_of(value: Any) -> int:
    """The bytes of all arrays and texts that a value holds, each buffer once, and a little for each object."""
    seen: dict[int, int] = {}
    _add(value, seen)
    return sum(seen.values())


def _add(value: Any, seen: dict[int, int]) -> None:
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base  # views share it
        seen[id(value)] = value.nbytes + 100
        return
    if id(value) in seen:
        return
    seen[id(value)] = sys.getsizeof(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = [getattr(value, f.name) for f in fields(value)]
    elif isinstance(value, Mapping):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        inner = list(value)
    else:
        inner = list(getattr(value, "__dict__", {}).values()) if not callable(value) else []
    for part in inner:
        _add(part, seen)


STORE = Store(LIMIT)


def keep(key: Hashable, make: Callable[[], R]) -> R:
    """What was made for this key before, or is made now; nobody may write into it."""
    value: R = STORE.get(key, make, _session())
    return value


def kept(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose results are kept; its arguments must be hashable."""

    @wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        key = (function.__module__, function.__qualname__, args, tuple(sorted(kwargs.items())))
        return keep(key, lambda: function(*args, **kwargs))

    return found


def _session() -> str:
    """The session that asks; what it alone has asked for is forgotten when it ends."""
    ctx = get_script_run_ctx()
    return _lease(ctx.session_id) if ctx else ""


@st.cache_resource(scope="session", show_spinner=False, on_release=STORE.release)
def _lease(session: str) -> str:
    return session
