"""The reader's own picture: decoded with care, in memory only, never stored."""

import struct
import zlib
from io import BytesIO

import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from attnviz.lab.images.images import Image

LIMIT_MEGABYTES = 2  # of the file
LIMIT_PIXELS = 16_000_000  # decoded, these take 64 MB
LIMIT_RATIO = 64  # of the longer side to the shorter
FAINT = 0.5  # the share of the greys that a faint picture keeps
KEPT_SIDE = 384  # pixels; what is larger is made smaller at once

_BROKEN = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error, MemoryError)
_BOMBS = (Pillow.DecompressionBombError, Pillow.DecompressionBombWarning)


class PictureError(Exception):
    """Why a file is not taken: `problem` is "large", "type", "pixels", "narrow" or "broken"."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def read_picture(data: bytes) -> Image:
    """The picture in a PNG or JPEG file as red, green and blue, its longer side at most KEPT_SIDE pixels.

    It is turned as its EXIF data say; what is transparent becomes white; of several pictures the first is taken.
    Raises PictureError.
    """
    if len(data) > LIMIT_MEGABYTES * 2**20:
        raise PictureError("large")
    try:
        with Pillow.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:  # reads the header only
            _check_size(picture)
            picture.draft("RGB", (KEPT_SIDE, KEPT_SIDE))  # a JPEG is decoded no larger than needed
            return np.asarray(_flat(picture), np.uint8)
    except UnidentifiedImageError as error:
        raise PictureError("type") from error
    except _BOMBS as error:
        raise PictureError("pixels") from error
    except _BROKEN as error:
        raise PictureError("broken") from error


def _check_size(picture: Pillow.Image) -> None:
    w, h = picture.size
    if w * h > LIMIT_PIXELS:
        raise PictureError("pixels")
    if max(w, h) > LIMIT_RATIO * min(w, h):
        raise PictureError("narrow")


def _flat(picture: Pillow.Image) -> Pillow.Image:
    """Smaller, upright, without transparency, 8 bits a channel."""
    if picture.mode.startswith("I"):  # 16 bits a pixel, which convert would cut off at 255
        high = np.asarray(picture, np.uint32) >> 8
        picture = Pillow.fromarray(np.minimum(high, 255).astype(np.uint8))
    clear = "A" in picture.getbands() or "transparency" in picture.info
    picture = picture.convert("RGBA" if clear else "RGB")
    picture.thumbnail((KEPT_SIDE, KEPT_SIDE))
    upright = ImageOps.exif_transpose(picture)
    if not clear:
        return upright
    white = Pillow.new("RGBA", upright.size, "white")
    white.alpha_composite(upright)
    return white.convert("RGB")


def resized(image: Image, h: int, w: int) -> Image:
    """The picture in h x w pixels; the same array where that is its size."""
    if image.shape[:2] == (h, w):
        return image
    return np.asarray(Pillow.fromarray(image).resize((w, h), Pillow.Resampling.BOX), np.uint8)


def faint(image: Image, *, dark: bool) -> Image:
    """The picture in greys near white, or on a dark page near black (h, w): a ground for colours over it."""
    grey = np.asarray(Pillow.fromarray(image).convert("L"), np.float64) * FAINT
    return np.rint(grey if dark else 255 * (1 - FAINT) + grey).astype(np.uint8)
