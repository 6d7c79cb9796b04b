"""Masks as patterns: filled where a query may look, and nowhere else."""

import numpy as np
import pytest

from attnviz.figures.masks.patterns import Pattern, mask_patterns
from attnviz.figures.palette import LIGHT, PALETTES
from tests.figures.traces import heatmaps, in_plotly

KEEPS = [np.tri(3, 5, dtype=bool), ~np.tri(3, 5, dtype=bool), np.zeros((3, 5), bool), np.ones((3, 5), bool)]
PATTERNS = [Pattern(keep, f"mask <{k}>", f"{keep.sum()}", bold=k == 1) for k, keep in enumerate(KEEPS)]


@pytest.mark.parametrize("theme", PALETTES)
def test_a_cell_is_filled_where_the_query_may_look(theme: str) -> None:
    figure = in_plotly(mask_patterns)(PATTERNS, palette=PALETTES[theme], height=300)
    for trace, keep in zip(heatmaps(figure), KEEPS, strict=True):
        np.testing.assert_array_equal(np.isfinite(trace.z), keep)


def test_every_pattern_has_axes_of_its_own_in_order_so_that_a_click_tells_it_and_its_name() -> None:
    shown = heatmaps(in_plotly(mask_patterns)(PATTERNS, palette=LIGHT, height=300))
    assert [(map.xaxis, map.name) for map in shown] == [
        ("x", "mask &lt;0&gt;"),
        ("x2", "mask &lt;1&gt;"),
        ("x3", "mask &lt;2&gt;"),
        ("x4", "mask &lt;3&gt;"),
    ]


def test_the_mask_in_force_is_framed_and_bold_and_names_are_literal() -> None:
    figure = in_plotly(mask_patterns)(PATTERNS, palette=LIGHT, height=300)
    assert [shape.line.color for shape in figure.layout.shapes] == [
        LIGHT.line,
        LIGHT.ink,
        LIGHT.line,
        LIGHT.line,
    ]
    names = [note.text for note in figure.layout.annotations][::2]
    assert names[:2] == ["mask &lt;0&gt;", "<b>mask &lt;1&gt;</b>"]


def test_patterns_stand_in_rows_that_do_not_overlap() -> None:
    figure = in_plotly(mask_patterns)(PATTERNS, palette=LIGHT, height=300, a_row=3)
    upper, lower = figure.layout.yaxis.domain, figure.layout.yaxis4.domain
    assert upper == figure.layout.yaxis3.domain
    assert lower[1] < upper[0]
    assert figure.layout.xaxis4.domain == figure.layout.xaxis.domain


def test_a_long_sentence_is_drawn_in_blocks() -> None:
    size = 224
    figure = in_plotly(mask_patterns)([Pattern(np.tri(size, dtype=bool), "", "")], palette=LIGHT, height=300)
    assert max(heatmaps(figure)[0].z.shape) <= 64
