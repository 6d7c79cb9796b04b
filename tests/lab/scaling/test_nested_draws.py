"""Nothing that was drawn moves when more is drawn."""

from itertools import pairwise

import numpy as np
import pytest

from attnviz.core.streams import MATRIX_IDS
from attnviz.lab.scaling.nested_draws import STREAM_IDS, chi_squares, generator, normal_rows


def test_every_stream_has_a_number_of_its_own() -> None:
    numbers = [*STREAM_IDS.values(), *MATRIX_IDS.values()]
    assert len(set(numbers)) == len(numbers)


def test_more_rows_and_longer_rows_keep_the_smaller_array() -> None:
    small, large = normal_rows(3, "pair_along", 2, 5), normal_rows(3, "pair_along", 4, 9)
    assert np.array_equal(large[:2, :5], small)
    assert len(np.unique(large)) == large.size


def test_seeds_and_streams_differ() -> None:
    rows = [normal_rows(seed, name, 1, 4) for seed in (0, 1) for name in ("pair_along", "upstream")]
    assert len(np.unique(rows)) == 16


def test_more_rows_draws_or_degrees_keep_the_chi_squares() -> None:
    small = list(chi_squares(3, "pair_across", (1, 2, 4), (2, 5)))
    large = list(chi_squares(3, "pair_across", (1, 2, 4, 9), (3, 8)))
    for one, other in zip(small, large[:3], strict=True):
        assert np.array_equal(other[:2, :5], one)
    assert all((after > before).all() for before, after in pairwise(large))


def test_chi_squares_have_mean_d_and_variance_2_d_and_0_degrees_give_0() -> None:
    draws = 4000
    for degree, (numbers,) in zip(
        (0, 1, 6), chi_squares(0, "pair_query", (0, 1, 6), (1, draws)), strict=True
    ):
        # The fourth central moment of chi-square(d) is 12 d^2 + 48 d.
        error = np.sqrt((12 * degree**2 + 48 * degree - (2 * degree) ** 2) / draws)
        assert abs(numbers.mean() - degree) <= 4 * np.sqrt(2 * degree / draws)
        assert abs(((numbers - degree) ** 2).mean() - 2 * degree) <= 4 * error


@pytest.mark.parametrize("seed", [-1, 1.0, True, "0"])
def test_a_seed_that_is_no_whole_number_is_refused(seed: object) -> None:
    with pytest.raises(ValueError, match="seed must be a whole number >= 0; got"):
        generator(seed, "upstream", 0)  # type: ignore[arg-type]
