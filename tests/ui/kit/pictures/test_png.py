"""Pixels in the page itself."""

import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from attnviz.ui.kit.pictures.png import data_uri

NOISE = np.random.default_rng(8).integers(0, 256, (30, 50, 3), np.uint8)


@pytest.mark.parametrize("pixels", [NOISE, NOISE[:, :, 0]], ids=["colours", "greys"])
def test_a_data_uri_is_the_picture_itself(pixels: np.ndarray) -> None:
    head, _, code = data_uri(pixels).partition(",")
    assert head == "data:image/png;base64"
    assert (np.asarray(Image.open(BytesIO(base64.b64decode(code)))) == pixels).all()
