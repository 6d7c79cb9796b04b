"""A text of the link that must mean something: what of it is understood stands, the rest is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.drawn import read_drawn
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.explain.parts import MATRICES
from attnviz.lesson.kinds import Text
from attnviz.lesson.settings import DEFAULTS, all_settings, from_link
from attnviz.lesson.understood import ASKED

MEANT = [
    n
    for n, one in all_settings().items()
    if isinstance(one.kind, Text) and one.kind != Text(one.kind.longest)
]

GOOD = [
    ("hide", "seed"), ("hide", "seed, score"), ("muted", "1,2"), ("muted", ""), ("muted", "16"), ("ask", "query.3"),
    ("ask", "weights"), ("ask", "score_w.0.1"), ("ask", "w_o.99999.0"), ("drawn", "011.1..0"), ("edits", "kept~ab"),
    ("edits", "w_q~2x8x4~3~0.5"),
]  # fmt: skip
BAD = [
    ("hide", "foo", "unknown", ""), ("hide", "foo,seed,foo", "partly", "seed"), ("hide", "SEED", "unknown", ""),
    ("muted", "a", "unknown", "1"), ("muted", "2,0,17,-1", "partly", "2"), ("ask", "keep.1", "unknown", ""),
    ("ask", "query.x", "unknown", ""), ("ask", "query.١", "unknown", ""), ("ask", ".", "unknown", ""),
    ("drawn", "abc", "unknown", ""), ("drawn", "0x1.２", "partly", "011.1"), ("edits", "zz", "unknown", ""),
    ("edits", "w_q~2x8x4~3~nan", "unknown", ""), ("edits", "w_q~2x8x4~999~1", "unknown", ""),
    ("edits", "w_q~2x8x4~0~1" + "~" * 2500, "unknown", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), GOOD)
def test_a_text_that_is_understood_stands_as_it_was_given(name: str, text: str) -> None:
    settings, notices = from_link({name: text})
    assert (settings[name], notices) == (text, ())


@pytest.mark.parametrize(("name", "text", "problem", "used"), BAD)
def test_case_47_a_text_that_is_not_understood_is_named(
    name: str, text: str, problem: str, used: str
) -> None:
    settings, (notice,) = from_link({name: text})
    assert settings[name] == used
    assert (notice.name, notice.problem, notice.given, notice.used) == (name, problem, text, used)


@pytest.mark.parametrize("name", MEANT)
@given(text=st.text(max_size=30) | st.text("01.,~=&%akepdq_x-", max_size=60))
def test_any_text_is_read_and_what_it_is_read_as_stands(name: str, text: str) -> None:
    settings, notices = from_link({name: text})
    assert notices or settings[name] == text
    again, more = from_link({name: settings[name]})
    assert (again[name], more) == (settings[name], ())


@given(text=st.text("01.x ", max_size=30))
def test_a_drawn_mask_hides_the_same_cells_as_before_it_was_tidied(text: str) -> None:
    before, after = (read_drawn(t, 5, 4) for t in (text, from_link({"drawn": text})[0].drawn))
    assert (before == after).all()


def test_every_matrix_that_can_be_asked_about_is_known_to_the_link() -> None:
    assert set(ASKED) == set(MATRICES)
    for score in SCORE_FUNCTIONS.values():
        for array in score.arrays:
            assert from_link({"ask": f"score_{array}.0.0"})[1] == ()


def test_every_setting_of_this_kind_is_tried() -> None:
    assert {name for name, *_ in BAD} == set(MEANT) - {"pinned"}
    assert DEFAULTS["muted"] == "1"
