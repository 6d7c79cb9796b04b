"""Contrast as WCAG 2.1 defines it, written out anew for the tests."""

import itertools

from attnviz.figures.palette import Scale

Colour = tuple[float, float, float]


def rgb(colour: str) -> Colour:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def luminance(colour: Colour) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def on_scale(share: float, scale: Scale) -> Colour:
    """The colour at `share` (0 to 1), linear between the two stops around it, as Plotly paints it."""
    for (left, low), (right, high) in itertools.pairwise(scale):
        if share <= right:
            t = (share - left) / (right - left)
            red, green, blue = ((1 - t) * a + t * b for a, b in zip(rgb(low), rgb(high), strict=True))
            return red, green, blue
    return rgb(scale[-1][1])
