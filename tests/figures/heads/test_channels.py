"""A picture and its channels: the pixels themselves, one of them ringed."""

import numpy as np
import pytest

from attnviz.figures.heads.channels import picture_channels
from attnviz.figures.palette import PALETTES
from attnviz.lab.images.images import IMAGES
from tests.figures.traces import heatmaps, markers

TITLES = ("picture", "red & co", "green", "blue")


@pytest.mark.parametrize("name", IMAGES)
def test_the_channels_are_those_of_the_picture(name: str) -> None:
    image = IMAGES[name]()
    figure = picture_channels(image, pixel=(3, 5), titles=TITLES, palette=PALETTES["light"])
    np.testing.assert_array_equal(np.array(figure.data[0].z), image)
    assert [trace.type for trace in figure.data[:4]] == ["image", "heatmap", "heatmap", "heatmap"]
    for channel, trace in enumerate(heatmaps(figure)):
        np.testing.assert_array_equal(trace.z, image[:, :, channel])
        assert (trace.zmin, trace.zmax) == (0, 255)


def test_every_pixel_can_be_clicked_and_the_chosen_one_is_ringed_in_all_four() -> None:
    image = np.zeros((4, 6, 3), np.uint8)
    figure = picture_channels(image, pixel=(3, 5), titles=TITLES, palette=PALETTES["dark"])
    (targets,) = markers(figure)
    assert set(zip(targets.y.tolist(), targets.x.tolist(), strict=True)) == {
        (row, column) for row in range(4) for column in range(6)
    }
    centres = {
        (shape.xref, (shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2) for shape in figure.layout.shapes
    }
    assert centres == {(f"x{k}", 5, 3) for k in ("", 2, 3, 4)}


def test_titles_are_shown_literally() -> None:
    figure = picture_channels(
        np.zeros((2, 3, 3), np.uint8), pixel=(0, 0), titles=TITLES, palette=PALETTES["light"]
    )
    assert [note.text for note in figure.layout.annotations] == ["picture", "red &amp; co", "green", "blue"]
