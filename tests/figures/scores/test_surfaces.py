"""Landscapes of a score: the scores as given, the query as an arrow, one unit in both directions."""

import numpy as np

from attnviz.figures.labels import number
from attnviz.figures.palette import LIGHT
from attnviz.figures.scores.surfaces import Landscape, score_surfaces

AXIS = np.linspace(-3, 3, 7)
RNG = np.random.default_rng(3)
LANDSCAPES = [
    Landscape(f"<f{i}>", f"level on <{i}>", AXIS, scale * RNG.normal(size=(7, 7)))
    for i, scale in enumerate((1, 30))
]


def drawn(**values: object) -> object:
    how = {"query": (1.2, -0.5), "keys": None, "names": (), "palette": LIGHT, "chosen": 0}
    return score_surfaces(LANDSCAPES, **(how | values))  # type: ignore[arg-type]


def contours(figure: object) -> list[object]:
    return [trace for trace in figure.data if trace.type == "contour"]  # type: ignore[attr-defined]


def test_every_landscape_holds_its_scores_on_a_scale_of_its_own_round_zero() -> None:
    for trace, landscape in zip(contours(drawn()), LANDSCAPES, strict=True):
        np.testing.assert_array_equal(trace.z, landscape.scores.astype(np.float32))  # type: ignore[attr-defined]
        limit = np.abs(landscape.scores).max()
        assert (trace.zmin, trace.zmax) == (-limit, limit)  # type: ignore[attr-defined]


def test_the_level_lines_lie_inside_the_scores() -> None:
    for trace, landscape in zip(contours(drawn()), LANDSCAPES, strict=True):
        lines = trace.contours  # type: ignore[attr-defined]
        assert landscape.scores.min() < lines.start and lines.end <= landscape.scores.max()
        assert lines.size > 0


def test_a_flat_landscape_is_drawn_too() -> None:
    flat = Landscape("flat", "", AXIS, np.zeros((7, 7)))
    figure = score_surfaces([flat], query=(0, 0), keys=None, names=(), palette=LIGHT, chosen=0)
    assert figure.data[0].contours.size > 0 and figure.data[0].zmax == 1


def test_the_arrow_is_the_query_in_every_landscape() -> None:
    arrows = [a for a in drawn().layout.annotations if a.showarrow]  # type: ignore[attr-defined]
    assert len(arrows) == 2
    for arrow in arrows:
        assert (arrow.ax, arrow.ay, arrow.x, arrow.y) == (0, 0, 1.2, -0.5)
        assert arrow.arrowcolor == LIGHT.query


def test_both_directions_have_the_same_unit() -> None:
    layout = drawn().layout  # type: ignore[attr-defined]
    assert (layout.yaxis.scaleanchor, layout.yaxis2.scaleanchor) == ("x", "x2")
    assert layout.xaxis.range == layout.yaxis.range == (-3, 3)


def test_the_keys_are_points_with_their_names() -> None:
    keys = np.array([[0.5, 1.0], [-2.0, 0.3], [9.0, 9.0]])
    figure = drawn(keys=keys, names=["a", "<b>", "c"])
    points = [t for t in figure.data if t.type == "scatter" and t.marker.color == LIGHT.key]  # type: ignore[attr-defined]
    assert len(points) == 2
    np.testing.assert_array_equal(np.stack([points[0].x, points[0].y], axis=1), keys)
    assert [row[0] for row in points[0].customdata] == ["a", "&lt;b&gt;", "c"]


def test_titles_bounds_and_captions_are_written_and_escaped() -> None:
    texts = [a.text for a in drawn(chosen=1).layout.annotations]  # type: ignore[attr-defined]
    assert "&lt;f0&gt;" in texts and "<b>&lt;f1&gt;</b>" in texts and "level on &lt;1&gt;" in texts
    for landscape in LANDSCAPES:
        assert f"±{number(float(np.abs(landscape.scores).max()))}" in texts
