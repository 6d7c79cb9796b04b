"""Masks as patterns: filled where a query may look, and nowhere else."""

import numpy as np
import pytest

from attnviz.figures.masks.patterns import MOST_CLICKED, Pattern, mask_patterns
from attnviz.figures.palette import LIGHT, PALETTES
from tests.figures.traces import heatmaps, markers

KEEPS = [np.tri(3, 5, dtype=bool), ~np.tri(3, 5, dtype=bool), np.zeros((3, 5), bool), np.ones((3, 5), bool)]
PATTERNS = [Pattern(keep, f"mask <{k}>", f"{keep.sum()}", bold=k == 1) for k, keep in enumerate(KEEPS)]


@pytest.mark.parametrize("theme", PALETTES)
def test_a_cell_is_filled_where_the_query_may_look(theme: str) -> None:
    figure = mask_patterns(PATTERNS, palette=PALETTES[theme], height=300)
    for trace, keep in zip(heatmaps(figure), KEEPS, strict=True):
        np.testing.assert_array_equal(np.isfinite(trace.z), keep)


def test_a_click_on_any_cell_tells_the_pattern() -> None:
    figure = mask_patterns(PATTERNS, palette=LIGHT, height=300)
    assert [(t.xaxis, len(t.x)) for t in markers(figure)] == [("x", 15), ("x2", 15), ("x3", 15), ("x4", 15)]


def test_the_mask_in_force_is_framed_and_bold_and_names_are_literal() -> None:
    figure = mask_patterns(PATTERNS, palette=LIGHT, height=300)
    assert [shape.line.color for shape in figure.layout.shapes] == [
        LIGHT.line,
        LIGHT.ink,
        LIGHT.line,
        LIGHT.line,
    ]
    names = [note.text for note in figure.layout.annotations][::2]
    assert names[:2] == ["mask &lt;0&gt;", "<b>mask &lt;1&gt;</b>"]


def test_patterns_stand_in_rows_that_do_not_overlap() -> None:
    figure = mask_patterns(PATTERNS, palette=LIGHT, height=300, a_row=3)
    upper, lower = figure.layout.yaxis.domain, figure.layout.yaxis4.domain
    assert upper == figure.layout.yaxis3.domain
    assert lower[1] < upper[0]
    assert figure.layout.xaxis4.domain == figure.layout.xaxis.domain


def test_a_long_sentence_is_drawn_in_blocks_and_not_clicked() -> None:
    size = MOST_CLICKED + 200
    figure = mask_patterns([Pattern(np.tri(size, dtype=bool), "", "")], palette=LIGHT, height=300)
    assert not markers(figure)
    assert max(heatmaps(figure)[0].z.shape) <= 64
