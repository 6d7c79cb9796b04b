"""What a browser on a slow line says of before is told from what its reader wants; times are seconds of a clock."""

import pytest

from attnviz.ui.kit.doubts import LATE, MOST_REPLACED, Doubts

SHORT, NOW = 0.1, 100.0


@pytest.fixture
def stepped() -> Doubts:
    """A box in which 4 was replaced by 5 and that by 6."""
    doubts = Doubts()
    doubts.replace("w_d_k", 4, 5, NOW)
    doubts.replace("w_d_k", 5, 6, NOW + SHORT)
    return doubts


@pytest.mark.parametrize(
    ("value", "after", "behind", "old"),
    [
        (4, SHORT, False, True),  # a quick step: the last but one
        (5, SHORT, False, True),  # the last
        (4, LATE + SHORT, False, False),  # the doubt about it ended with the next replacement
        (5, LATE + SHORT, False, True),  # a control that goes back to what was last in it, at any time
        (4, 60.0, True, True),  # a browser that has not heard of our last answer
        (6, SHORT, False, True),  # what it shows, said again
        (6, LATE + 2 * SHORT, False, False),
        (7, SHORT, True, False),  # never stood there: the reader's
    ],
)
def test_a_value_is_old_while_the_browser_may_not_have_heard_of_the_next(
    stepped: Doubts, value: int, after: float, behind: bool, old: bool
) -> None:
    assert stepped.may_be_old("w_d_k", value, NOW + SHORT + after, behind=behind) == old


def test_each_widget_has_doubts_of_its_own(stepped: Doubts) -> None:
    assert not stepped.may_be_old("w_d_v", 5, NOW + SHORT, behind=True)


def test_only_the_last_values_of_a_widget_are_remembered() -> None:
    doubts = Doubts()
    for step in range(100):
        doubts.replace("w_d_k", step, step + 1, NOW + step * SHORT)
    assert len(doubts.replaced["w_d_k"]) == MOST_REPLACED + 2
    assert not doubts.may_be_old("w_d_k", 50, NOW + 100 * SHORT, behind=True)


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("changes", [[], [{"d_k": 4}], [{"d_k": 4}, {"d_v": 5}]])
def test_one_change_in_doubt_counts_where_nothing_else_was_used(
    changes: list[dict[str, int]], sure: bool
) -> None:
    doubts = Doubts(changes=list(changes))
    counts = len(changes) == 1 and not sure
    assert doubts.settle(sure=sure) == (changes[0] if counts else None)
    assert doubts.settle(sure=False) is None  # asked once, it is no longer in doubt


def test_an_address_is_late_for_a_moment_after_we_have_replaced_it() -> None:
    doubts, old, other = Doubts(), {"d_k": "5", "seed": "2"}, {"seed": "2"}
    assert not doubts.is_late(old, NOW)
    doubts.leave((old, {}), NOW)
    assert doubts.is_late(dict(reversed(old.items())), NOW + SHORT)
    assert doubts.is_late({}, NOW + SHORT)
    assert not doubts.is_late(other, NOW + SHORT)
    assert not doubts.is_late(old, NOW + LATE)
    doubts.leave((other,), NOW + LATE)
    assert doubts.left.keys() == {frozenset(other.items())}  # what is over is forgotten
