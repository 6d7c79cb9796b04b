"""JSON from a stranger: whatever is wrong with it becomes an ExchangeError."""

import json
from collections.abc import Iterable
from typing import Any

from .errors import ExchangeError, excerpt, shortened

LONGEST_WHOLE = 18  # digits; Python's own limit of 4300 would be an error of another kind


class Object(dict[str, Any]):
    """An object of JSON; `twice` are the names that it has more than once."""

    twice: tuple[str, ...] = ()


def parse(data: bytes, place: str = "$") -> Any:
    """The value written in `data`; objects are of the class Object.

    Numbers may come out as NaN or infinite: whoever uses one looks. Raises ExchangeError.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = data[error.start : error.start + 8].hex(" ")
        raise ExchangeError(place, "utf8", found, byte=error.start) from None
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_whole)
    except json.JSONDecodeError as error:
        found = shortened(text[error.pos : error.pos + 20])
        raise ExchangeError(place, "json", found, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise ExchangeError(place, "shallow", shortened(text)) from None


def require_object(value: Any, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> Object:
    """`value` as an object with these names and no other, each once; ExchangeError where it is none."""
    names, known = list(required), [*required, *optional]
    if not isinstance(value, Object):
        raise ExchangeError(place, "object", excerpt(value), names=", ".join(known))
    require_once(value, place)
    for name in value:
        if name not in known:
            raise ExchangeError(place, "names", excerpt(name), names=", ".join(known))
    for name in names:
        if name not in value:
            raise ExchangeError(f"{place}.{name}", "there")
    return value


def require_once(value: Object, place: str) -> None:
    """Raise ExchangeError where an object has a name twice."""
    if value.twice:
        raise ExchangeError(place, "once", excerpt(value.twice[0]))


def _object(pairs: list[tuple[str, Any]]) -> Object:
    found = Object(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        found.twice = tuple(name for name in found if names.count(name) > 1)
    return found


def _whole(text: str) -> int | float:
    return int(text) if len(text) <= LONGEST_WHOLE else float(text)
