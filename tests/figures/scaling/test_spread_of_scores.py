"""Histograms on one axis, and bars coloured as the maps are."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attnviz.figures.palette import LIGHT, PALETTES
from attnviz.figures.scaling.spread_of_scores import Bell, bells, share_axis, weight_bars
from attnviz.lab.scaling.measured import histogram, sample_scores

SAMPLE = sample_scores(64, 2_000, 0)


def bell(scaled: bool) -> Bell:
    scores, moments = (SAMPLE.scaled, SAMPLE.scaled_moments) if scaled else (SAMPLE.scores, SAMPLE.moments)
    shape = histogram(scores, moments.law)
    return Bell(shape.edges, shape.density, shape.curve_x, shape.curve_y, f"title {scaled}", "N")


def drawn() -> go.Figure:
    return bells([bell(True), bell(False)], palette=LIGHT, height=300, hover="density")


def test_the_bars_have_the_area_of_the_draws_between_the_edges() -> None:
    for bars in (trace for trace in drawn().data if trace.type == "bar"):
        area = float(np.sum(np.asarray(bars.y) * np.asarray(bars.width)))
        assert 0.99 <= area <= 1.0 + 1e-12


def test_both_histograms_stand_on_one_axis_the_narrower_one_narrower() -> None:
    figure = drawn()
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    scaled, unscaled = (trace for trace in figure.data if trace.type == "bar")
    assert np.sum(unscaled.width) == pytest.approx(8.0 * np.sum(scaled.width))  # sqrt(64)
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert [note.text for note in figure.layout.annotations] == ["title True", "title False"]


def test_the_normal_curve_lies_over_each() -> None:
    curves = [trace for trace in drawn().data if trace.type == "scatter"]
    assert [float(max(curve.y)) for curve in curves] == pytest.approx(
        [1 / np.sqrt(2 * np.pi), 1 / np.sqrt(2 * np.pi * 64)]
    )


@pytest.mark.parametrize("reach", [0.3, 4.0, 17.0, 90.5, 256.0])
def test_the_ticks_of_the_axis_are_round_and_inside(reach: float) -> None:
    edges = np.linspace(-reach, reach, 5)
    part = Bell(edges, np.ones(4), edges, np.ones(5), "", "")
    axis = bells([part], palette=LIGHT, height=200, hover="").layout.xaxis
    assert len(axis.tickvals) == 5 and 0.0 in axis.tickvals
    assert max(axis.tickvals) <= reach <= 3 * max(axis.tickvals)
    assert [float(text.replace("−", "-")) for text in axis.ticktext] == pytest.approx(
        axis.tickvals, abs=0.051
    )


@pytest.mark.parametrize("palette", PALETTES.values())
@pytest.mark.parametrize("m", [2, 10, 64])
def test_bars_are_the_weights_on_the_scale_of_the_maps(palette: object, m: int) -> None:
    rows = [np.random.default_rng(k).dirichlet(np.ones(m)) for k in range(2)]
    figure = weight_bars(rows, ["with", "without"], palette=palette, height=260, key="key", weight="weight")  # type: ignore[arg-type]
    bars = [trace for trace in figure.data if trace.type == "bar"]
    for bar, row in zip(bars, rows, strict=True):
        np.testing.assert_array_equal(bar.y, row)
        np.testing.assert_array_equal(bar.marker.color, row)
        assert (bar.marker.cmin, bar.marker.cmax) == (0, 1)
        assert [text for text in bar.text if text] == [f"{row.max():.2f}"]
        assert bar.text[int(row.argmax())]
    level = next(trace for trace in figure.data if trace.type == "scatter")
    assert list(level.y) == [1 / m, 1 / m]


@pytest.mark.parametrize("m", [2, 3, 64])
def test_the_axis_of_weights_names_the_equal_share_once(m: int) -> None:
    axis = share_axis("weight", m)
    assert axis.texts.count(f"1/{m}") == 1
    assert len(set(axis.ticks)) == len(axis.ticks)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
