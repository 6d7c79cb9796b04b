"""Patches: where each pixel goes, that nothing is lost, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.arrays import Array
from attnviz.lab.images import images
from attnviz.lab.images.images import IMAGES


def noise(h: int, w: int) -> Array:
    return np.random.default_rng([h, w]).random((h, w, 3))


def test_patches_stand_row_by_row_and_pixels_within_them_too() -> None:
    """A loop over the pixels is the oracle; 2 x 3 patches of 4 x 4 pixels."""
    image, patch_size = noise(8, 12), 4
    patches = images.cut(image, patch_size)
    assert patches.shape == (6, 48)
    for y, x, c in np.ndindex(image.shape):
        token = y // patch_size * 3 + x // patch_size
        place = (y % patch_size * patch_size + x % patch_size) * 3 + c
        assert patches[token, place] == image[y, x, c]


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 6))
def test_joined_patches_are_the_image(rows: int, columns: int, patch_size: int) -> None:
    image = noise(rows * patch_size, columns * patch_size)
    patches = images.cut(image, patch_size)
    assert images.patch_grid(image.shape, patch_size) == (rows, columns)
    assert (images.join(patches, rows, columns) == image).all()


@pytest.mark.parametrize("name", IMAGES)
def test_a_built_in_image_is_small_colourful_and_the_same_each_time(name: str) -> None:
    image = IMAGES[name]()
    assert image.shape == (48, 48, 3) and image.dtype == np.uint8
    assert (image == IMAGES[name]()).all()
    assert len(np.unique(image.reshape(-1, 3), axis=0)) >= 3


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("patch_size", [6, 8, 12, 16])
def test_a_built_in_image_comes_back_from_its_patches_to_the_byte(name: str, patch_size: int) -> None:
    image = IMAGES[name]()
    rows, columns = images.patch_grid(image.shape, patch_size)
    assert (np.rint(images.join(images.cut(image, patch_size), rows, columns) * 255) == image).all()


def test_bytes_and_floats_of_the_same_image_give_the_same_patches() -> None:
    image = IMAGES["house"]()
    assert (images.cut(image, 8) == images.cut(image / 255, 8)).all()
    assert images.cut(image, 8).min() >= 0.0 and images.cut(image, 8).max() <= 1.0


def test_a_token_is_the_patch_times_the_layer() -> None:
    patches, layer = images.cut(noise(6, 9), 3), images.patch_layer(3, 5, seed=2)
    x = images.embed_patches(patches, layer)
    assert x.shape == (6, 5)
    for n, column in np.ndindex(x.shape):
        expected = sum((2 * patches[n, i] - 1) * layer[i, column] for i in range(27))
        assert x[n, column] == pytest.approx(expected, abs=1e-13)


def test_equal_patches_are_equal_tokens_and_a_gray_patch_is_the_zero_token() -> None:
    image = np.tile(noise(4, 4), (2, 3, 1))
    x = images.embed_patches(images.cut(image, 4), images.patch_layer(4, 7, seed=0))
    assert (x == x[0]).all()
    gray = images.embed_patches(np.full((1, 48), 0.5), images.patch_layer(4, 7, seed=0))
    assert (gray == 0.0).all()


@given(st.integers(1, 40), st.integers(0, 20), st.integers(0, 5))
def test_a_larger_d_model_only_appends_columns_to_the_layer(d_model: int, more: int, seed: int) -> None:
    small, large = images.patch_layer(2, d_model, seed), images.patch_layer(2, d_model + more, seed)
    assert (small == large[:, :d_model]).all()


def test_another_seed_is_another_layer() -> None:
    assert (images.patch_layer(2, 5, seed=0) != images.patch_layer(2, 5, seed=1)).all()


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((4, 4)), r"image must have shape \(h, w, 3\)"),
        (np.zeros((4, 4, 4)), r"image must have shape \(h, w, 3\)"),
        (np.zeros((0, 4, 3)), r"image must have shape \(h, w, 3\)"),
        (np.zeros((4, 4, 3), np.int64), "dtype int64"),
        (np.full((4, 4, 3), 2.0), "floats from 0 to 1; got 2.0"),
        (np.full((4, 4, 3), np.nan), "image must be finite"),
    ],
)
def test_what_is_no_image_is_refused(image: Array, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        images.cut(image, 2)


def test_a_patch_size_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="multiples of patch_size=5; got 10 x 12"):
        images.cut(noise(10, 12), 5)
    with pytest.raises(ValueError, match="patch_size must be at least 1; got 0"):
        images.cut(noise(10, 12), 0)


@pytest.mark.parametrize("shape", [(5, 27), (6, 13), (6, 0), (6,)])
def test_patches_that_do_not_fill_the_grid_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"patches must have shape \(rows \* columns=6"):
        images.join(np.zeros(shape), 2, 3)


def test_arrays_of_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"patches must have shape \(n, p \* p \* 3=12\); got \(6, 27\)"):
        images.embed_patches(np.zeros((6, 27)), images.patch_layer(2, 5, seed=0))


@given(st.integers(1, 2000), st.integers(1, 2000), st.sampled_from([6, 8, 12, 16, 24]))
def test_a_fitting_grid_is_small_enough_and_keeps_the_sides_ratio(h: int, w: int, patch_size: int) -> None:
    rows, columns = images.fitting_grid(h, w, patch_size, 64, 96)
    assert rows >= 1 and columns >= 1 and rows * columns <= 64
    assert max(rows, columns) * patch_size <= 96 + patch_size / 2
    if max(h, w) <= 4 * min(h, w) and min(rows, columns) >= 3:
        assert 0.6 < (rows / columns) / (h / w) < 1.6


@pytest.mark.parametrize(
    ("h", "w", "patch_size", "expected"),
    [
        (48, 48, 6, (8, 8)),
        (48, 48, 24, (2, 2)),
        (1, 1, 8, (1, 1)),
        (900, 1400, 12, (5, 8)),
        (10, 5000, 6, (1, 16)),
    ],
)
def test_fitting_grids_by_hand(h: int, w: int, patch_size: int, expected: tuple[int, int]) -> None:
    assert images.fitting_grid(h, w, patch_size, 64, 96) == expected


def test_a_grid_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be at least 1; got \(0, 5, 6, 64, 96\)"):
        images.fitting_grid(0, 5, 6, 64, 96)
