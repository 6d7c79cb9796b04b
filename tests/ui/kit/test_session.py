"""The record of a session: each part of the screen has one of its own in it, made when it is first asked for."""

from dataclasses import dataclass, field

import pytest

from attnviz.ui.kit.session import Session


@dataclass
class Mine:
    count: int = 3
    names: list[str] = field(default_factory=list)


@dataclass
class Others:
    count: int = 7


def test_a_part_has_one_record_that_stays() -> None:
    session = Session()
    session.of(Mine).count += 1
    session.of(Mine).names.append("a")
    assert session.of(Mine) == Mine(4, ["a"])
    assert session.of(Others) == Others()


def test_sessions_share_nothing() -> None:
    one, other = Session(), Session()
    one.of(Mine).names.append("a")
    one.notices.append(None)  # type: ignore[arg-type]
    one.guesses["x"] = 1
    one.doubts.replaced["w"] = []
    assert other.of(Mine) == Mine()
    assert (other.notices, other.guesses, other.doubts.replaced) == ([], {}, {})


def test_what_the_record_does_not_know_is_refused() -> None:
    with pytest.raises(AttributeError):
        Session().setings = None  # type: ignore[attr-defined]
