"""The knobs of a page stand in its folder: found by folder, shown by a widget, put back by reset."""

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from attnviz.lesson import settings as registry
from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Real, Whole
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import DEFAULTS, Settings, all_settings, knobs
from attnviz.ui import lessons
from attnviz.ui.kit.page.lessons import lesson_of
from tests.apps import AppTest
from tests.pages.app import link, session, settings

FOLDERS = sorted(file.parent.name for file in Path(str(lessons.__file__)).parent.glob("*/knobs.py"))

KNOBS = """
from dataclasses import dataclass

from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Whole
from attnviz.lesson.settings import knobs


@knobs("garden")
@dataclass(frozen=True)
class GardenKnobs:
    rakes: int = setting(3, Whole(1, 9), look=True)
"""


@dataclass(frozen=True)
class Mine:
    depth: int = setting(3, Whole(1, 9), look=True)
    noise: float = setting(0.5, Real(0.0, 2.0))


@pytest.fixture(autouse=True)
def copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the registry, in which a page called "mine" has knobs."""
    monkeypatch.setattr(registry, "KNOBS", dict(registry.KNOBS))
    knobs("mine")(Mine)


def test_the_knobs_of_every_folder_are_settings_of_that_page() -> None:
    assert len(FOLDERS) == 7
    pages = {one.page for one in all_settings().values()}
    assert pages == {*FOLDERS, "mine", ""}


def test_a_page_in_a_new_folder_needs_no_other_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "knobs.py").write_text(KNOBS)
    monkeypatch.setattr(lessons, "__path__", [*lessons.__path__, str(tmp_path)])
    lessons.join_knobs()
    assert DEFAULTS.put(rakes=5)["rakes"] == 5
    assert all_settings()["rakes"].page == "garden"
    assert import_module(f"{lessons.__name__}.garden.knobs").GardenKnobs().rakes == 3
    for name in [name for name in sys.modules if name.startswith(f"{lessons.__name__}.garden")]:
        del sys.modules[name]


def page() -> None:
    import streamlit as st

    from attnviz.ui.kit import address, state

    address.sync()
    st.number_input("depth", 1, 9, **state.widget("depth"))
    st.number_input("noise", 0.0, 2.0, **state.widget("noise"))
    st.button("reset", on_click=state.reset)


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=30)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_a_widget_shows_a_new_knob_and_writes_it_back_into_settings_and_address() -> None:
    app = opened(depth="7", noise="1.5")
    assert [box.value for box in app.number_input] == [7, 1.5]
    app.number_input[0].set_value(2).run()
    app.number_input[1].set_value(0.25).run()
    assert settings(app) == DEFAULTS.put(depth=2, noise=0.25)
    assert link(app) == {"depth": "2", "noise": "0.25"}


def test_reset_puts_it_back() -> None:
    app = opened(depth="7", noise="1.5")
    app.button[0].click().run()
    assert settings(app) == DEFAULTS
    assert [box.value for box in app.number_input] == [3, 0.5]
    assert not app.query_params


def test_a_bad_value_of_it_is_brought_inside_with_a_notice() -> None:
    app = opened(depth="70", noise="much")
    assert settings(app) == DEFAULTS.put(depth=9)
    told = [(notice.name, notice.problem) for notice in session(app).notices]
    assert told == [("depth", "clamped"), ("noise", "unknown")]


@pytest.mark.parametrize(("values", "numeric"), [({"depth": 5}, False), ({"pixel": 5}, False),
                                                 ({"notation": "columns"}, False), ({"noise": 1.0}, True),
                                                 ({"beta": 2.0}, True), ({"seed": 4}, True)])  # fmt: skip
def test_a_kept_lesson_is_computed_anew_only_where_numbers_depend_on_what_changed(
    values: dict[str, object], numeric: bool
) -> None:
    assert (kept(DEFAULTS.put(**values)).trace is kept(DEFAULTS).trace) == (not numeric)


def kept(settings: Settings) -> Lesson:
    found = lesson_of(settings)
    assert found is not None
    return found
