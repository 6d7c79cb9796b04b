"""Uploaded pictures: what is read, how it is turned and flattened, and what is refused with which reason."""

import struct
import zlib
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from attnviz.ui.lessons.images import uploads
from attnviz.ui.lessons.images.uploads import PictureError, read_picture

RNG = np.random.default_rng(8)
NOISE = RNG.integers(0, 256, (30, 50, 3), np.uint8)


def saved(picture: Image.Image | np.ndarray[Any, Any], kind: str = "PNG", **how: Any) -> bytes:
    file = BytesIO()
    (picture if isinstance(picture, Image.Image) else Image.fromarray(picture)).save(file, kind, **how)
    return file.getvalue()


def header_only(w: int, h: int) -> bytes:
    """A PNG of a few bytes that says it has w x h pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    size = struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def problem(data: bytes) -> str:
    with pytest.raises(PictureError) as raised:
        read_picture(data)
    return raised.value.problem


def test_a_small_png_comes_through_to_the_byte() -> None:
    read = read_picture(saved(NOISE))
    assert read.dtype == np.uint8 and (read == NOISE).all()


def test_a_jpeg_is_read_and_a_large_picture_made_smaller() -> None:
    flat = np.full((900, 1400, 3), (200, 60, 20), np.uint8)
    read = read_picture(saved(flat, "JPEG", quality=95))
    assert read.shape == (247, uploads.KEPT_SIDE, 3)
    assert np.abs(read.astype(int) - (200, 60, 20)).max() <= 6


def test_a_picture_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[274] = 6  # orientation: turn by 90 degrees clockwise
    left_red = np.zeros((60, 80, 3), np.uint8)
    left_red[:, :40] = (255, 0, 0)
    read = read_picture(saved(left_red, "JPEG", exif=exif, quality=95))
    assert read.shape == (80, 60, 3)
    assert read[5, 30, 0] > 200 and read[75, 30, 0] < 50  # what was left is on top


def test_what_is_transparent_becomes_white() -> None:
    glass = np.zeros((8, 8, 4), np.uint8)
    glass[:4] = (10, 20, 30, 255)
    read = read_picture(saved(glass))
    assert (read[:4] == (10, 20, 30)).all() and (read[4:] == 255).all()


def test_every_other_kind_of_pixel_becomes_three_bytes() -> None:
    deep = Image.fromarray(np.full((8, 8), 0x8000, np.uint16))
    assert (read_picture(saved(deep)) == 128).all()
    grey = Image.fromarray(np.full((8, 8), 77, np.uint8))
    assert (read_picture(saved(grey)) == 77).all()
    for mode in ("1", "P", "LA", "PA"):
        picture = Image.fromarray(NOISE).convert("P" if mode == "PA" else mode)
        assert read_picture(saved(picture)).shape == NOISE.shape
    assert read_picture(saved(Image.fromarray(NOISE).convert("CMYK"), "JPEG")).shape == NOISE.shape


def test_files_of_other_types_are_refused_whatever_their_names() -> None:
    gif = saved(Image.fromarray(NOISE), "GIF")
    assert problem(gif) == problem(b"") == problem(b"%PDF-1.7") == problem(b"<svg onload=alert(1)>") == "type"


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_file_that_ends_too_early_is_broken(kind: str, share: float) -> None:
    data = saved(NOISE, kind)
    assert problem(data[: int(len(data) * share)]) in ("broken", "type")


def test_files_with_flipped_bits_never_raise_anything_else() -> None:
    data = saved(NOISE)
    taken = 0
    for at in RNG.integers(0, len(data), 60):
        hurt = bytearray(data)
        hurt[at] ^= 0xFF
        with suppress(PictureError):
            taken += read_picture(bytes(hurt)).ndim == 3
    assert taken < 60


@pytest.mark.parametrize("side", [4001, 10_000, 60_000])
def test_a_small_file_with_millions_of_pixels_is_refused_by_its_header(side: int) -> None:
    assert problem(header_only(side, side)) == "pixels"


def test_a_thread_of_a_picture_and_a_heavy_file_are_refused() -> None:
    assert problem(header_only(1, 65)) == "narrow"
    assert problem(bytes(uploads.LIMIT_MEGABYTES * 2**20 + 1)) == "large"


def test_a_picture_is_resized_to_what_is_asked_for_and_else_left_alone() -> None:
    assert uploads.resized(NOISE, 30, 50) is NOISE
    half = uploads.resized(np.repeat(np.repeat(NOISE, 2, axis=0), 2, axis=1), 30, 50)
    assert (half == NOISE).all()


@pytest.mark.parametrize("dark", [False, True])
def test_a_faint_picture_stays_near_the_page(dark: bool) -> None:
    ground = uploads.faint(NOISE, dark=dark)
    assert ground.shape == (30, 50)
    assert ground.max() <= 128 if dark else ground.min() >= 127
