"""The plane that keeps most of the spread of some vectors: a map of words, or of anything else."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attnviz.core.arrays import Array, as_real, require_finite


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in d dimensions: a point of it, two orthonormal directions, and how much of the spread it keeps."""

    origin: Array  # (d,)
    axes: Array  # (2, d); a direction in which nothing is spread is all 0
    share: float  # of the variance, 0 to 1

    def project(self, vectors: ArrayLike) -> Array:
        """The coordinates of vectors (..., d) in the plane, shape (..., 2)."""
        return np.asarray((as_real("vectors", vectors) - self.origin) @ self.axes.T)


def principal_plane(vectors: ArrayLike) -> Plane:
    """The plane nearest to the vectors (n, d) in the sense of least squares (principal components, Pearson 1901).

    Each axis points so that its largest entry is positive. Raises ValueError unless there are a vector and a
    coordinate, all finite.
    """
    array = as_real("vectors", vectors)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"vectors must have shape (n, d) with n and d at least 1; got {array.shape}")
    require_finite("vectors", array)
    origin = array.mean(axis=0)  # (d,)
    _, spreads, rows = np.linalg.svd(array - origin, full_matrices=False)
    kept = min(2, int(np.sum(spreads > spreads.max() * 1e-12)))
    axes = np.zeros((2, array.shape[1]))
    axes[:kept] = rows[:kept] * np.sign(_largest(rows[:kept]))  # (2, d)
    total = float(np.sum(spreads**2))
    return Plane(origin, axes, float(np.sum(spreads[:2] ** 2)) / total if total else 1.0)


def _largest(rows: Array) -> Array:
    """Of each row the entry of largest magnitude, shape (rows, 1)."""
    return np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
