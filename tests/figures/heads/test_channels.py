"""A picture and its channels: the pixels themselves, one of them ringed."""

from functools import partial

import numpy as np
import pytest

from attnviz.figures.heads.channels import picture_channels
from attnviz.figures.palette import PALETTES
from attnviz.lab.images.images import IMAGES
from tests.figures.traces import heatmaps, in_plotly

SOURCE = "data:image/png;base64,AAAA"
TITLES = ("picture", "red & co", "green", "blue")
drawn = partial(in_plotly(picture_channels), source=SOURCE)


@pytest.mark.parametrize("name", IMAGES)
def test_the_channels_are_those_of_the_picture(name: str) -> None:
    image = IMAGES[name]()
    figure = drawn(image, pixel=(3, 5), titles=TITLES, palette=PALETTES["light"])
    assert (figure.data[0].type, figure.data[0].source) == ("image", SOURCE)
    _, *channels = heatmaps(figure)
    assert len(channels) == 3
    for channel, trace in enumerate(channels):
        np.testing.assert_array_equal(trace.z, image[:, :, channel])
        assert (trace.zmin, trace.zmax) == (0, 255)


def test_every_pixel_can_be_clicked_and_the_chosen_one_is_ringed_in_all_four() -> None:
    image = np.zeros((4, 6, 3), np.uint8)
    figure = drawn(image, pixel=(3, 5), titles=TITLES, palette=PALETTES["dark"])
    assert [(map.z.shape, map.xaxis) for map in heatmaps(figure)] == [
        ((4, 6), "x"),
        ((4, 6), "x2"),
        ((4, 6), "x3"),
        ((4, 6), "x4"),
    ]
    assert heatmaps(figure)[0].opacity == 0  # the picture itself is seen
    centres = {
        (shape.xref, (shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2) for shape in figure.layout.shapes
    }
    assert centres == {(f"x{k}", 5, 3) for k in ("", 2, 3, 4)}


def test_titles_are_shown_literally() -> None:
    figure = drawn(np.zeros((2, 3, 3), np.uint8), pixel=(0, 0), titles=TITLES, palette=PALETTES["light"])
    assert [note.text for note in figure.layout.annotations] == ["picture", "red &amp; co", "green", "blue"]
