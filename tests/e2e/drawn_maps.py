"""What a browser has drawn of a picture of matrices, and what it should have."""

import re

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator

from attnviz.figures.palette import Scale, cell_colours
from tests.e2e.screen import Screen

FILLS = "rects => rects.map(rect => rect.getAttribute('fill'))"


def fills(screen: Screen, key: str, k: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The colours (rows, columns, 3) of one of the matrices of a picture, from 0 to 255; NaN where there is none."""
    rects = screen.map(key).locator(".cells > g").nth(k).locator("rect")
    found = rects.evaluate_all(FILLS)
    colours = [[np.nan] * 3 if fill == "none" else re.findall(r"\d+", fill) for fill in found]
    return np.array(colours, float).reshape(*shape, 3)


def expected(
    values: NDArray[np.floating], limit: float, scale: Scale, *, weights: bool
) -> NDArray[np.float64]:
    shares = values / limit if weights else (values / limit + 1) / 2
    codes = cell_colours(np.nan_to_num(shares), scale)
    colours = np.array([[int(code[i : i + 2], 16) for i in (1, 3, 5)] for code in codes.ravel()], float)
    colours[np.isnan(values).ravel()] = np.nan
    return colours.reshape(*values.shape, 3)


def printed(picture: Locator) -> list[str]:
    return picture.locator(".numbers text").all_text_contents()


def tip(screen: Screen) -> Locator:
    return screen.page.locator(".av-map .tip:popover-open")
