"""How large the sqrt(d_k) experiments may get, so that each answers within a second and 200 MB on one core."""

import numpy as np

LIMIT_D_K = 4096
LIMIT_D_MODEL = 4096
LIMIT_DRAWS = 200_000
LIMIT_KEYS = 64
LIMIT_TOKENS = 2048
LIMIT_D_K_EXACT = 512  # where every vector is drawn

# Coordinates of queries (and as many of keys) in one sample: 12 million random numbers take about .1 s.
LIMIT_COORDINATES = 6_000_000
# The same for one point of a sweep that has no shortcut; five points of thirteen reach it.
LIMIT_POINT = 2_500_000
# Scores (draws * keys) at one point of a sweep through softmax: thirteen points, two rules and more.
LIMIT_SCORES = 110_000
LIMIT_QUERIES = 25_000  # of which every statistic is kept at every point until it is summed up


def require_whole(low: int, high: int, **given: object) -> None:
    """Raise ValueError for each given number that is not a whole one from low to high."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
            raise ValueError(f"{name} must be a whole number from {low} to {high}; got {value!r}")


def fewer(draws: int, limit: int, size: int) -> int:
    """The draws that `limit` allows where each takes `size` numbers, at least 2."""
    return max(2, min(draws, limit // size))
