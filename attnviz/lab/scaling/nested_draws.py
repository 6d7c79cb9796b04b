"""Random rows for the experiments: a row more, or a longer row, leaves every number drawn before as it was."""

from collections.abc import Iterator, Sequence

import numpy as np

from attnviz.core.arrays import Array

# Part of every stream's key, none of them in streams.MATRIX_IDS: a number here must never change, or every
# stored link would show other numbers.
STREAM_IDS = {
    "sample_query": 1001,
    "sample_key": 1002,
    "sample_token_query": 1003,
    "sample_token_key": 1004,
    "variance": 1005,
    "pair_query": 1006,
    "pair_along": 1007,
    "pair_across": 1008,
    "upstream": 1009,
    "gradient_across": 1010,
    "example_query": 1011,
    "example_key": 1012,
    "many_query": 1013,
    "many_key": 1014,
    "growth_query": 1015,
    "growth_key": 1016,
    "learn_w_q": 1017,
    "learn_w_k": 1018,
    "learn_w_v": 1019,
    "learn_task": 1020,
    "learn_held_out": 1021,
}


def generator(seed: int, stream: str, index: int) -> np.random.Generator:
    """The generator of one row of a stream."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be a whole number >= 0; got {seed!r}")
    return np.random.default_rng([int(seed), STREAM_IDS[stream], index])


def normal_rows(seed: int, stream: str, rows: int, draws: int) -> Array:
    """Independent N(0, 1) numbers, shape (rows, draws), row by row of a generator of its own."""
    out = np.empty((rows, draws))
    for index in range(rows):
        generator(seed, stream, index).standard_normal(out=out[index])
    return out


def chi_squares(seed: int, stream: str, degrees: Sequence[int], shape: tuple[int, int]) -> Iterator[Array]:
    """For each of the ascending degrees d, chi-square(d) numbers of this shape: squared norms of d normals.

    Each adds to the one before the square of as many further coordinates, as a vector does that gets longer.
    The rows are nested; 0 degrees give zeros.
    """
    rows, draws = shape
    total = np.zeros(shape)
    before = 0
    for degree in degrees:
        if degree > before:
            for index in range(rows):
                # One key for each (coordinate that comes next, row): there are never 2^20 rows.
                source = generator(seed, stream, before * 2**20 + index)
                total[index] += source.chisquare(degree - before, draws)
        before = degree
        yield total.copy()
