"""Pixels as a picture that stands in the page itself."""

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def data_uri(pixels: NDArray[np.uint8]) -> str:
    """The pixels (h, w, 3), or greys (h, w), as a PNG in a data URI."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")
