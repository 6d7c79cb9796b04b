"""What the core accepts as numbers, and how it refuses the rest."""

from typing import Any

import numpy as np
import pytest

from attnviz.core.arrays import as_real, is_finite, positive, require_broadcast, require_finite, require_shape


@pytest.mark.parametrize("given", [[1, 2], [True, False], np.arange(2, dtype=np.uint8)])
def test_whole_numbers_and_truth_values_become_float64(given: Any) -> None:
    assert as_real("x", given).dtype == np.float64


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
def test_floating_point_numbers_keep_their_type(kind: type) -> None:
    assert as_real("x", np.ones(2, kind)).dtype == kind


def test_numbers_in_the_other_byte_order_are_read() -> None:
    swapped = np.array([1.0, 2.0], dtype=np.dtype(np.float64).newbyteorder())
    assert as_real("x", swapped).dtype.isnative
    assert as_real("x", swapped).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("given", [[1j], ["a"], [None], [object()]])
def test_what_is_not_a_real_number_is_refused_by_name(given: Any) -> None:
    with pytest.raises(ValueError, match="x must be made of real numbers; got dtype"):
        as_real("x", given)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_entry_that_is_not_finite_is_found_and_its_place_named(bad: float, dtype: Any) -> None:
    array = np.ones((2, 3, 5), dtype)
    assert is_finite(array)
    array[1, 0, 4] = bad
    assert not is_finite(array)
    with pytest.raises(ValueError, match=rf"value must be finite; got {bad} at \(1, 0, 4\)"):
        require_finite("value", array)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_largest_numbers_are_finite_although_their_squares_are_not(dtype: Any) -> None:
    assert is_finite(np.full((3, 4), np.finfo(dtype).max))


def test_an_empty_array_is_finite() -> None:
    assert is_finite(np.zeros((0, 3)))


def test_a_wrong_shape_is_told_with_what_was_expected() -> None:
    require_shape("w_o", np.zeros((2, 3)), (2, 3), "(a, b)")
    with pytest.raises(ValueError, match=r"w_o must have shape \(a, b\) = \(2, 3\); got \(3, 2\)"):
        require_shape("w_o", np.zeros((3, 2)), (2, 3), "(a, b)")


@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 3), (2, 1, 4, 3), (4,)])
def test_what_does_not_broadcast_to_the_scores_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="keep must broadcast to the shape"):
        require_broadcast("keep", np.zeros(shape), (1, 4, 3))


@pytest.mark.parametrize("shape", [(), (3,), (4, 3), (4, 1), (2, 4, 3), (1, 1, 3)])
def test_what_broadcasts_to_the_scores_is_accepted(shape: tuple[int, ...]) -> None:
    require_broadcast("keep", np.zeros(shape), (2, 4, 3))


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "2", None, [1.0]])
def test_what_is_not_a_positive_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="temperature must be a positive number; got"):
        positive("temperature", value)
