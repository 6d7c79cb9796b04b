"""A setting is one line, wherever it stands: registered at run time, it travels like all others."""

import json
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.scores import SCORE_FUNCTIONS, Parameter, ScoreFunction, dot
from attnviz.explain.pinned import pin, pinned, settings_changed
from attnviz.lesson import settings as registry
from attnviz.lesson.declared import setting
from attnviz.lesson.edits import Edits
from attnviz.lesson.kinds import Choice, Notice, Real, Switch, Text, Whole
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.lesson_file import load, save
from attnviz.lesson.settings import (
    DEFAULTS,
    Settings,
    all_settings,
    change,
    find_setting,
    from_link,
    knobs,
    to_link,
    without_looks,
)


@dataclass(frozen=True)
class Mine:
    """A knob of each kind; no number depends on the first three."""

    depth: int = setting(3, Whole(1, 9), look=True)
    shade: str = setting("red", Choice(("red", "green")), look=True)
    remark: str = setting("", Text(5), look=True)
    noise: float = setting(0.5, Real(0.0, 2.0))
    doubled: bool = setting(False, Switch())


OTHER = {"depth": 7, "shade": "green", "remark": "a&b=c", "noise": 1.25, "doubled": True}
BAD = {"depth": ("12", "clamped", 9), "shade": ("blue", "unknown", "red"), "remark": ("longer", "cut", "longe"),
       "noise": ("nan", "unknown", 0.5), "doubled": ("yes", "unknown", False)}  # fmt: skip
NUMERIC = ("noise", "doubled")
each_knob = pytest.mark.parametrize("name", OTHER)


@pytest.fixture(autouse=True)
def mine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The knobs of `Mine` on a copy of the registry, as those of a page called "mine"."""
    monkeypatch.setattr(registry, "KNOBS", dict(registry.KNOBS))
    knobs("mine")(Mine)


@each_knob
def test_a_new_knob_is_a_setting_of_its_page(name: str) -> None:
    assert find_setting(name).page == "mine"
    assert DEFAULTS[name] == getattr(Mine(), name)
    assert DEFAULTS.of(Mine) == Mine()
    assert DEFAULTS.put(**{name: OTHER[name]})[name] == OTHER[name]


def test_its_values_are_read_with_their_types() -> None:
    assert DEFAULTS.put(**OTHER, d_k=7).of(Mine) == Mine(**OTHER)  # type: ignore[arg-type]


@each_knob
def test_it_travels_through_a_link(name: str) -> None:
    settings = DEFAULTS.put(**{name: OTHER[name]}, d_k=7)
    link = dict(parse_qsl(urlencode(to_link(settings)), keep_blank_values=True))
    assert link.keys() == {name, "d_k"}
    assert from_link(link) == (settings, ())


@each_knob
def test_a_bad_value_in_a_link_is_brought_inside_and_named(name: str) -> None:
    text, problem, used = BAD[name]
    settings, notices = from_link({name: text})
    assert settings == DEFAULTS.put(**{name: used})
    assert notices == (Notice(name, problem, text, find_setting(name).kind.write(used)),)


@each_knob
def test_it_travels_through_a_lesson_file(name: str) -> None:
    settings = DEFAULTS.put(**{name: OTHER[name]})
    text = save(settings, Edits())
    assert json.loads(text)["settings"][name] == OTHER[name]
    assert load(text.encode())[0] == settings


def test_a_lesson_file_from_before_it_opens_with_its_default() -> None:
    text = json.loads(save(DEFAULTS.put(d_k=7), Edits()))
    for name in OTHER:
        del text["settings"][name]
    assert load(json.dumps(text).encode()) == (Settings(d_k=7), Edits(), ())


@each_knob
def test_the_kept_lesson_has_it_where_numbers_depend_on_it_and_else_not(name: str) -> None:
    settings = DEFAULTS.put(**OTHER)
    kept = pinned(pin(settings))
    assert kept is not None
    assert kept[name] == (OTHER if name in NUMERIC else DEFAULTS.put())[name]
    assert (name in settings_changed(DEFAULTS, settings)) == (name in NUMERIC)


@each_knob
def test_lessons_are_told_apart_by_what_numbers_depend_on_and_by_nothing_else(name: str) -> None:
    settings = DEFAULTS.put(**{name: OTHER[name]}, seed=5)
    assert (without_looks(settings) != without_looks(DEFAULTS.put(seed=5))) == (name in NUMERIC)
    assert repr(without_looks(settings)) == repr(without_looks(settings.put(query=1, shade="green")))


@pytest.mark.parametrize("name", ["notation", "pixel", "shade", "sentence", "beta", "noise"])
def test_where_a_setting_is_declared_does_not_decide_whether_numbers_depend_on_it(name: str) -> None:
    one = find_setting(name)
    other = next(
        v for v in (*getattr(one.kind, "options", ()), 2, 1.5, "x") if fits(name, v) and v != one.default
    )
    assert (without_looks(DEFAULTS.put(**{name: other})) == DEFAULTS) == one.look
    assert one.look == (name in ("notation", "pixel", "shade"))


def fits(name: str, value: object) -> bool:
    try:
        find_setting(name).kind.check(name, value)
    except ValueError:
        return False
    return True


@each_knob
def test_a_value_of_another_kind_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be "):
        DEFAULTS.put(**{name: object()})


def test_a_page_may_register_its_knobs_again_and_has_then_no_others() -> None:
    @dataclass(frozen=True)
    class Again:
        depth: int = setting(4, Whole(1, 9), look=True)

    knobs("mine")(Again)
    assert DEFAULTS["depth"] == 4
    assert not OTHER.keys() & all_settings().keys() - {"depth"}
    assert from_link({"noise": "1"}) == (DEFAULTS, ())


@pytest.mark.parametrize("name", ["d_k", "beta", "pixel"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    group = dataclass(frozen=True)(
        type("Taken", (), {"__annotations__": {name: int}, name: setting(1, Whole(1, 9))})
    )
    with pytest.raises(ValueError, match=f"knobs of 'other' must have names of their own; got {name}"):
        knobs("other")(group)
    assert find_setting(name).page != "other"


def test_what_no_setting_is_called_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"a setting must be one of sentence, .*; got 'no_such'"):
        DEFAULTS.put(no_such=1)
    with pytest.raises(ValueError, match="got 'no_such'"):
        DEFAULTS["no_such"]


# --- the numbers of a score function ------------------------------------------------------------


def power(query: Array, key: Array, *, sharpness: float = 2.0) -> Array:
    """Scores sign(q.k) |q.k|^sharpness."""
    scores = dot(query, key)
    return np.asarray(np.sign(scores) * np.abs(scores) ** sharpness)


POWER = ScoreFunction(
    name="power", function=power, row_formula="", column_formula="", source="", symmetric=True, homogeneous=False,
    bounded=False, default_scale="none", parameters={"sharpness": Parameter(2.0, 0.5, 4.0)},
)  # fmt: skip


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCORE_FUNCTIONS, "power", POWER)


@pytest.mark.usefixtures("registered")
def test_a_score_function_registered_at_run_time_brings_its_numbers_as_settings() -> None:
    settings, notices = from_link({"score": "power", "sharpness": "99"})
    assert (settings.score, settings["sharpness"]) == ("power", 4.0)
    assert notices == (Notice("sharpness", "clamped", "99", "4"),)
    assert pinned(pin(settings)) == settings
    assert load(save(settings, Edits()).encode())[0] == settings
    made, changed = make_lesson(settings), make_lesson(change(settings, sharpness=1.0)[0])
    assert made is not None and changed is not None
    np.testing.assert_array_equal(made.trace.scores, power(made.trace.query, made.trace.key, sharpness=4.0))
    np.testing.assert_array_equal(
        changed.trace.scores, power(made.trace.query, made.trace.key, sharpness=1.0)
    )


def test_without_it_a_link_to_it_says_so() -> None:
    settings, (notice,) = from_link({"score": "power", "sharpness": "3"})
    assert (settings, notice.name, notice.problem) == (DEFAULTS, "score", "unknown")


def test_two_score_functions_that_disagree_about_a_number_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parameters = {"beta": Parameter(2.0, 0.1, 9.0)}
    other = ScoreFunction("other", power, "", "", "", True, False, False, "none", parameters)
    monkeypatch.setitem(SCORE_FUNCTIONS, "other", other)
    with pytest.raises(ValueError, match="score 'other' must have parameters of its own; got another beta"):
        all_settings()
