"""The plane of most spread, against the eigenvectors of the covariance and its own laws."""

import numpy as np
import pytest

from attnviz.lab.words.plane import principal_plane


def cloud(n: int, d: int) -> np.ndarray:
    return np.random.default_rng([n, d]).standard_normal((n, d)) * np.arange(d, 0, -1)


@pytest.mark.parametrize(("n", "d"), [(9, 5), (4, 7), (30, 2)])
def test_the_axes_are_the_first_eigenvectors_of_the_covariance(n: int, d: int) -> None:
    points = cloud(n, d)
    plane = principal_plane(points)
    values, vectors = np.linalg.eigh(np.cov(points.T))
    for axis, expected in zip(plane.axes, vectors.T[::-1], strict=False):
        assert abs(axis @ expected) == pytest.approx(1.0, abs=1e-9)
    assert plane.share == pytest.approx(values[::-1][:2].sum() / values.sum(), abs=1e-9)


def test_what_lies_in_a_plane_keeps_its_distances() -> None:
    flat = cloud(6, 2) @ np.linalg.qr(np.random.default_rng(3).standard_normal((5, 2)))[0].T + 4.0
    plane = principal_plane(flat)
    drawn = plane.project(flat)
    for a in range(6):
        for b in range(a):
            distance = np.linalg.norm(flat[a] - flat[b])
            assert np.linalg.norm(drawn[a] - drawn[b]) == pytest.approx(distance, rel=1e-12)
    assert plane.share == pytest.approx(1.0)


def test_sums_of_vectors_stay_sums_on_the_map() -> None:
    """The map is affine: the parallelogram of an analogy stays one."""
    points = cloud(8, 5)
    a, b, c = principal_plane(points).project(np.stack([points[0], points[1], points[2]]))
    d = principal_plane(points).project(points[0] - points[1] + points[2])
    assert d == pytest.approx(a - b + c)


def test_the_directions_do_not_depend_on_the_sign_the_solver_happens_to_give() -> None:
    points = cloud(9, 5)
    for axis in principal_plane(points).axes:
        assert axis[np.abs(axis).argmax()] > 0


@pytest.mark.parametrize(
    "points", [np.ones((1, 3)), np.ones((4, 3)), np.array([[1.0], [2.0], [4.0]]), np.zeros((2, 1))]
)
def test_fewer_than_two_directions_leave_the_rest_of_the_map_at_zero(points: np.ndarray) -> None:
    plane = principal_plane(points)
    assert np.isfinite(plane.project(points)).all()
    assert (plane.project(points)[:, 1] == 0).all() and plane.share == 1.0


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (2, 3, 4)])
def test_anything_but_a_list_of_vectors_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"vectors must have shape \(n, d\)"):
        principal_plane(np.ones(shape))


def test_vectors_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="vectors must be finite"):
        principal_plane(np.array([[1.0, np.nan]]))
