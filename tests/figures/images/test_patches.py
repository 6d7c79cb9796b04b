"""Pictures in patches: one unit of the axes a patch, right way up, numbers where their patches are."""

import numpy as np
import pytest

from attnviz.figures.images.patches import Overlay, Picture, overlays, patch_picture, pixel_numbers
from attnviz.figures.palette import LIGHT
from tests.figures.traces import heatmaps, in_plotly, markers

PICTURE = Picture("data:image/png;base64,AAAA", 3, 5, 4)
VALUES = np.random.default_rng(2).random((6, 15))


def test_pixels_fill_the_patches_exactly() -> None:
    figure = in_plotly(patch_picture)(
        PICTURE, chosen=7, palette=LIGHT, height=300, hover="row %{y}<extra></extra>"
    )
    (image,) = [trace for trace in figure.data if trace.type == "image"]
    edges = [image.x0 - image.dx / 2, image.x0 + image.dx * (5 * 4 - 0.5)]
    assert edges == pytest.approx([-0.5, 4.5])
    assert [image.y0 - image.dy / 2, image.y0 + image.dy * (3 * 4 - 0.5)] == pytest.approx([-0.5, 2.5])
    low, high = figure.layout.yaxis.range
    assert low > high  # the first row is on top
    assert figure.layout.xaxis.scaleanchor == "y"  # square pixels


def test_each_patch_can_be_clicked_and_the_chosen_one_is_outlined() -> None:
    figure = in_plotly(patch_picture)(
        PICTURE, chosen=7, palette=LIGHT, height=300, hover="row %{y}<extra></extra>"
    )
    (patches,) = heatmaps(figure)
    assert (patches.z.shape, patches.opacity) == ((3, 5), 0)
    assert patches.hovertemplate == "row %{y}<extra></extra>"
    ring = figure.layout.shapes[-1]
    assert (ring.y0, ring.y1, ring.x0, ring.x1) == (0.5, 1.5, 1.5, 2.5)  # row 1, column 2
    assert ring.line.color == LIGHT.query
    assert len(figure.layout.shapes) == 2 + 2 + 4  # the ring, and the lines between 3 x 5 patches


def test_every_overlay_lies_over_a_picture_of_its_own_with_its_scale() -> None:
    maps = [Overlay(v, f"<i>{k}</i>", k + 1.0, k == 2) for k, v in enumerate(VALUES)]
    figure = in_plotly(overlays)(PICTURE, maps, chosen=0, palette=LIGHT, height=200, hover="%{z}")
    shown = heatmaps(figure)
    assert len([trace for trace in figure.data if trace.type == "image"]) == len(shown) == 6
    for k, trace in enumerate(shown):
        np.testing.assert_allclose(trace.z, VALUES[k].reshape(3, 5), rtol=1e-6)
        assert (trace.zmin, trace.zmax) == (0, k + 1.0)
        assert trace.xaxis == ("x" if k == 0 else f"x{k + 1}")
        assert trace.hovertemplate == "%{z}"
    titles = [note.text for note in figure.layout.annotations]
    assert titles[0] == "&lt;i&gt;0&lt;/i&gt;" and titles[2] == "<b>&lt;i&gt;2&lt;/i&gt;</b>"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 6])
def test_panels_do_not_overlap(count: int) -> None:
    maps = [Overlay(v, "", 1.0) for v in VALUES[:count]]
    layout = in_plotly(overlays)(PICTURE, maps, chosen=0, palette=LIGHT, height=200, hover="").layout
    boxes = [(*layout[f"xaxis{k}"].domain, *layout[f"yaxis{k}"].domain) for k in ["", *range(2, count + 1)]]
    for i, (left, right, bottom, top) in enumerate(boxes):
        assert 0 <= left < right <= 1 and 0 <= bottom < top <= 1
        for other in boxes[i + 1 :]:
            assert right <= other[0] or other[1] <= left or top <= other[2] or other[3] <= bottom


def test_pictures_side_by_side_have_pixels_of_one_size() -> None:
    layout = in_plotly(pixel_numbers)([("data:a", 8, 8), ("data:b", 8, 24)], palette=LIGHT, height=100).layout
    one, three = (axis.domain[1] - axis.domain[0] for axis in (layout.xaxis, layout.xaxis2))
    assert three == pytest.approx(3 * one) and layout.xaxis.domain[1] < layout.xaxis2.domain[0]


def test_a_hidden_patch_is_bare_and_says_so() -> None:
    values = VALUES[0].copy()
    values[7] = np.nan  # row 1, column 2
    how = {"chosen": 0, "palette": LIGHT, "height": 200, "hover": "%{z}", "hidden": "masked"}
    bare, whole = (in_plotly(overlays)(PICTURE, [Overlay(v, "", 1.0)], **how) for v in (values, VALUES[0]))
    assert np.isnan(heatmaps(bare)[0].z[1, 2])
    (unseen,) = markers(bare)
    assert (unseen.y.tolist(), unseen.x.tolist(), unseen.opacity) == ([1], [2], 0)
    assert unseen.hovertemplate == "masked"
    assert not markers(whole)
