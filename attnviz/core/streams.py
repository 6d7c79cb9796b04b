"""Named, nested random streams: the same numbers on every machine, and no draw disturbs another.

Every (matrix, head) has a stream of its own, and within it every block of the matrix. A matrix is cut at 0, 8,
16, 32, 64, ... in both directions; each block is drawn whole from its own generator, and the matrix is the upper
left crop. So a larger matrix begins with the smaller one, and one more head leaves the other heads alone.
"""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from .arrays import Array
from .checks import one_of, told, whole

# Part of every stream's key: a number here must never change, or every stored link would show other numbers.
MATRIX_IDS = {
    "w_q": 1,
    "w_k": 2,
    "w_v": 3,
    "w_o": 4,
    "b_q": 5,
    "b_k": 6,
    "b_v": 7,
    "b_o": 8,
    "score_w": 9,
    "score_w_query": 10,
    "score_w_key": 11,
    "score_v": 12,
    "token": 13,
    "patch": 14,
    "table": 15,
}

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


def normal_matrix(seed: int, name: str, head: int, rows: int, columns: int) -> Array:
    """Independent N(0, 1) numbers, shape (rows, columns), of the stream (seed, name, head)."""
    return _matrix(seed, [_stream(name), head], rows, columns, _normal)


def uniform_matrix(seed: int, name: str, head: int, rows: int, columns: int, bound: float) -> Array:
    """Independent numbers, uniform on -bound to bound, shape (rows, columns), of the stream (seed, name, head)."""
    return (2.0 * _matrix(seed, [MATRIX_IDS[name], head], rows, columns, _uniform) - 1.0) * bound


def integer_matrix(seed: int, name: str, head: int, rows: int, columns: int, low: int, high: int) -> Array:
    """Independent whole numbers from low to high, both included, as float64, shape (rows, columns)."""
    return _matrix(seed, [MATRIX_IDS[name], head], rows, columns, _integers(low, high))


def token_vector(token: str, seed: int, d_model: int, kind: str = "normal") -> Array:
    """The vector of a token, shape (d_model,): it depends on the token, the seed and the coordinate only.

    kind: "normal" N(0, 1), "integer" whole numbers from -2 to 2, or "uniform" on [0, 1).
    """
    if not isinstance(token, str):
        raise ValueError(f"token must be a string; got {told(token)}")
    draw, d_model = TOKEN_DRAWS[one_of("kind", kind, TOKEN_DRAWS)], whole("d_model", d_model)
    digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()  # (8,)
    return _matrix(seed, [MATRIX_IDS["token"], *words], 1, d_model, draw).reshape(d_model)


def _stream(name: str) -> int:
    """The number of a stream; an array of a score function that is not ours has one made of its name."""
    if name in MATRIX_IDS or not name.startswith("score_"):
        return MATRIX_IDS[name]
    return 2**32 + int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])


def _matrix(seed: int, key: Sequence[int], rows: int, columns: int, draw: Draw) -> Array:
    seed = whole("seed", seed, high=None)
    matrix = np.empty((rows, columns))
    for a, (top, bottom) in enumerate(_cuts(rows)):
        for b, (left, right) in enumerate(_cuts(columns)):
            block = draw(np.random.default_rng([seed, *key, a, b]), (bottom - top, right - left))
            matrix[top:bottom, left:right] = block[: rows - top, : columns - left]
    return matrix


def _cuts(size: int) -> list[tuple[int, int]]:
    """The intervals 0..8, 8..16, 16..32, 32..64, ... up to the one that reaches `size`."""
    cuts = []
    start, end = 0, 8
    while start < size:
        cuts.append((start, end))
        start, end = end, 2 * end
    return cuts


def _normal(generator: np.random.Generator, shape: tuple[int, int]) -> Array:
    return generator.standard_normal(shape)


def _uniform(generator: np.random.Generator, shape: tuple[int, int]) -> Array:
    return generator.random(shape)


def _integers(low: int, high: int) -> Draw:
    def draw(generator: np.random.Generator, shape: tuple[int, int]) -> Array:
        return generator.integers(low, high, size=shape, endpoint=True).astype(np.float64)

    return draw


TOKEN_DRAWS: dict[str, Draw] = {"normal": _normal, "integer": _integers(-2, 2), "uniform": _uniform}
