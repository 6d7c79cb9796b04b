"""The limits of the experiments, and the words with which they refuse."""

import pytest

from attnviz.lab.scaling.limits import fewer, require_whole


@pytest.mark.parametrize("value", [2, 5, 9])
def test_a_whole_number_within_its_limits_is_taken(value: int) -> None:
    require_whole(2, 9, d_k=value)


@pytest.mark.parametrize("value", [1, 10, 2.0, "5", None, True])
def test_anything_else_is_refused_with_the_name_the_limits_and_the_value(value: object) -> None:
    with pytest.raises(ValueError, match=f"^d_k must be a whole number from 2 to 9; got {value!r}$"):
        require_whole(2, 9, d_k=value)


def test_draws_are_fewer_only_where_the_limit_bites_and_never_below_two() -> None:
    assert [fewer(100, 1000, size) for size in (9, 10, 11, 400, 4000)] == [100, 100, 90, 2, 2]
