"""Pictures as tokens: an image cut into patches, each patch flattened and mapped to d_model numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnviz.core.arrays import Array, require_finite
from attnviz.core.streams import normal_matrix

Image = NDArray[np.uint8]

SIDE = 48
PATCH_SIZES = ("6", "8", "12", "16", "24")  # pixels; all divide the side of the built-in images
MOST_PATCHES = 64


def as_image(values: ArrayLike) -> Array:
    """An image (h, w, 3) of red, green and blue as float64 from 0 to 1; uint8 is divided by 255.

    Raises ValueError for another shape or type, and for floats outside 0 to 1.
    """
    array = np.asarray(values)
    if array.ndim != 3 or array.shape[2] != 3 or array.size == 0:
        raise ValueError(f"image must have shape (h, w, 3) with h, w >= 1; got {array.shape}")
    if array.dtype == np.uint8:
        return array / 255.0
    if array.dtype.kind != "f":
        raise ValueError(f"image must hold uint8 or floats from 0 to 1; got dtype {array.dtype}")
    require_finite("image", array)
    if array.min() < 0.0 or array.max() > 1.0:
        raise ValueError(f"image must hold floats from 0 to 1; got {array.min()} to {array.max()}")
    return array.astype(np.float64)


def patch_grid(shape: tuple[int, ...], patch_size: int) -> tuple[int, int]:
    """How many patches down and across an image of shape (h, w, 3) has; patches do not overlap.

    Raises ValueError unless both sides are whole numbers of patches.
    """
    h, w = shape[:2]
    if patch_size < 1:
        raise ValueError(f"patch_size must be at least 1; got {patch_size}")
    if h % patch_size or w % patch_size:
        raise ValueError(f"image sides must be multiples of patch_size={patch_size}; got {h} x {w}")
    return h // patch_size, w // patch_size


def fitting_grid(h: int, w: int, patch_size: int, most_patches: int, longest: int) -> tuple[int, int]:
    """How many patches down and across a picture of h x w pixels should have, at least one each way.

    The picture is scaled so that no side is longer than `longest` pixels and there are at most `most_patches`;
    its sides keep their ratio as far as whole patches can.
    """
    if min(h, w, patch_size, most_patches, longest) < 1:
        raise ValueError(
            "h, w, patch_size, most_patches and longest must be at least 1; "
            f"got {(h, w, patch_size, most_patches, longest)}"
        )
    scale = min(1.0, longest / max(h, w)) / patch_size
    rows, columns = max(1, round(h * scale)), max(1, round(w * scale))
    if rows * columns > most_patches:
        fewer = np.sqrt(most_patches / (rows * columns))
        rows = min(max(1, int(rows * fewer)), most_patches)
        columns = min(max(1, int(columns * fewer)), most_patches // rows)
    return rows, columns


def cut(image: ArrayLike, patch_size: int) -> Array:
    """The patches, row by row from the top left, each flattened: shape (n, p * p * 3), values from 0 to 1.

    Within a patch pixels go row by row as well, and the three channels of a pixel stand together.
    """
    array = as_image(image)
    rows, columns = patch_grid(array.shape, patch_size)
    blocks = array.reshape(rows, patch_size, columns, patch_size, 3).swapaxes(1, 2)
    return blocks.reshape(rows * columns, patch_size * patch_size * 3)


def join(patches: ArrayLike, rows: int, columns: int) -> Array:
    """The image (h, w, 3) that `cut` made these patches of, shape (rows * columns, p * p * 3)."""
    array = np.asarray(patches)
    patch_size = int(np.sqrt(array.shape[-1] // 3)) if array.ndim == 2 else 0
    if array.shape != (rows * columns, patch_size * patch_size * 3) or array.size == 0:
        raise ValueError(
            f"patches must have shape (rows * columns={rows * columns}, p * p * 3); got {array.shape}"
        )
    blocks = array.reshape(rows, columns, patch_size, patch_size, 3).swapaxes(1, 2)
    return blocks.reshape(rows * patch_size, columns * patch_size, 3)


def patch_layer(patch_size: int, d_model: int, seed: int) -> Array:
    """The linear layer from patch to token, shape (p * p * 3, d_model): N(0, 1) / sqrt(p * p * 3)."""
    inputs = patch_size * patch_size * 3
    return np.asarray(normal_matrix(seed, "patch", 0, inputs, d_model) / np.sqrt(inputs))


def embed_patches(patches: Array, layer: Array) -> Array:
    """The tokens x, shape (n, d_model): (2 patch - 1) times the layer (Dosovitskiy et al. 2021, equation 1).

    Pixels are brought to -1 to 1 first, as vision transformers do; 0 to 1 would make all patches look alike.
    """
    if patches.ndim != 2 or patches.shape[1] != layer.shape[0]:
        raise ValueError(f"patches must have shape (n, p * p * 3={layer.shape[0]}); got {patches.shape}")
    return np.asarray((2.0 * patches - 1.0) @ layer)


def sunset() -> Image:
    """A sky from violet to yellow, a sun half sunk, a dark sea with its reflection."""
    y, x = _pixels()
    sky = _mix((70, 40, 110), (255, 190, 90), y / 30)
    sea = _mix((40, 60, 110), (10, 20, 50), (y - 30) / 18)
    image = np.where((y < 30)[..., None], sky, sea)
    image = _paint(image, (_disc(24, 29, 9)) & (y < 30), (255, 235, 140))
    glitter = (np.abs(x - 24) < 9 - (y - 30) / 3) & (y >= 30) & (y % 3 == 0)
    return _paint(image, glitter, (255, 200, 110)).astype(np.uint8)


def ball() -> Image:
    """A red ball with a highlight before a checkerboard."""
    y, x = _pixels()
    image = np.where(((y // 8 + x // 8) % 2 == 0)[..., None], (235, 235, 235), (60, 70, 80))
    image = _paint(image, _disc(24, 24, 15), (205, 40, 40))
    return _paint(image, _disc(19, 18, 4), (250, 180, 170)).astype(np.uint8)


def house() -> Image:
    """A house with a red roof, a door and a window on a meadow, a sun in the blue sky."""
    y, x = _pixels()
    image = np.where((y < 38)[..., None], (135, 195, 235), (90, 160, 70))
    image = _paint(image, _disc(40, 8, 5), (250, 215, 70))
    image = _paint(image, _box(12, 36, 22, 42), (240, 225, 195))
    image = _paint(image, (y >= 8) & (y < 22) & (np.abs(x - 23.5) < (y - 7) * 1.2), (180, 50, 45))
    image = _paint(image, _box(16, 22, 29, 42), (110, 70, 40))
    return _paint(image, _box(26, 33, 27, 34), (90, 140, 190)).astype(np.uint8)


def stripes() -> Image:
    """Slanting stripes in red, green and blue, each of one channel only."""
    y, x = _pixels()
    return np.asarray(np.eye(3)[(x + y) // 8 % 3] * 220, np.uint8)


def _pixels() -> tuple[NDArray[Any], NDArray[Any]]:
    y, x = np.indices((SIDE, SIDE))
    return y, x


def _disc(x_centre: float, y_centre: float, radius: float) -> NDArray[np.bool_]:
    y, x = _pixels()
    return (x + 0.5 - x_centre) ** 2 + (y + 0.5 - y_centre) ** 2 < radius**2


def _box(left: int, right: int, top: int, bottom: int) -> NDArray[np.bool_]:
    y, x = _pixels()
    return (x >= left) & (x < right) & (y >= top) & (y < bottom)


def _mix(first: tuple[int, ...], second: tuple[int, ...], share: Array) -> Array:
    share = np.clip(share, 0.0, 1.0)[..., None]
    return np.asarray(np.asarray(first) * (1.0 - share) + np.asarray(second) * share)


def _paint(image: Array, where: NDArray[np.bool_], colour: tuple[int, ...]) -> Array:
    return np.where(where[..., None], colour, image)


IMAGES: dict[str, Callable[[], Image]] = {"house": house, "ball": ball, "sunset": sunset, "stripes": stripes}
