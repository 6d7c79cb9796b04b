"""Every ink is legible on every cell, and the scales say what they are to say."""

import re
from dataclasses import asdict

import numpy as np
import pytest

from attnviz.figures.palette import DARK, LIGHT, PALETTES, Palette, Scale, cell_inks
from tests.figures.contrast import contrast, luminance, on_scale, rgb

SHARES = np.linspace(0, 1, 1001)
SCALES = {
    f"{theme}-{name}": getattr(palette, name)
    for theme, palette in PALETTES.items()
    for name in ("weights", "signed")
}
each_scale = pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
each_palette = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
ROLES = ("query", "key", "value", "output")


@each_scale
def test_numbers_have_a_contrast_of_at_least_four_and_a_half_on_every_cell(scale: Scale) -> None:
    # plotly.py#1300: numbers in dark cells were unreadable.
    inks = cell_inks(SHARES, scale)
    worst = min(contrast(rgb(ink), on_scale(share, scale)) for share, ink in zip(SHARES, inks, strict=True))
    assert worst >= 4.5


@each_scale
def test_inks_keep_the_shape_of_the_cells(scale: Scale) -> None:
    assert cell_inks(np.full((3, 5), 0.2), scale).shape == (3, 5)


@each_scale
def test_a_scale_runs_from_0_to_1_in_plain_colours(scale: Scale) -> None:
    positions = [position for position, _ in scale]
    assert positions[0] == 0
    assert positions[-1] == 1
    assert positions == sorted(set(positions))
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for _, colour in scale)


@each_palette
def test_a_larger_weight_is_farther_from_the_page(palette: Palette) -> None:
    light = [luminance(on_scale(share, palette.weights)) for share in SHARES]
    page = luminance(rgb(palette.surface))
    distances = [abs(value - page) for value in light]
    assert distances == sorted(distances)


@each_palette
def test_zero_lies_in_the_neutral_middle_of_the_signed_scale(palette: Palette) -> None:
    distances = [
        abs(luminance(on_scale(share, palette.signed)) - luminance(rgb(palette.surface))) for share in SHARES
    ]
    assert SHARES[int(np.argmin(distances))] == 0.5
    middle = on_scale(0.5, palette.signed)
    assert max(middle) - min(middle) < 0.1
    below, above = on_scale(0.0, palette.signed), on_scale(1.0, palette.signed)
    assert below[0] > below[2]
    assert above[2] > above[0]


@each_palette
@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_one_fill_and_one_legible_text_shade(palette: Palette, role: str) -> None:
    assert palette.role(role) == asdict(palette)[role]
    assert palette.role_text(role) == asdict(palette)[f"{role}_text"]
    assert contrast(rgb(palette.role_text(role)), rgb(palette.surface)) >= 4.5


@each_palette
def test_what_has_no_role_is_quiet(palette: Palette) -> None:
    assert palette.role("") == palette.muted
    assert palette.role_text("") == palette.ink
    assert contrast(rgb(palette.muted), rgb(palette.surface)) >= 4.5


def test_the_roles_on_light_are_those_of_okabe_and_ito() -> None:
    assert [LIGHT.role(role) for role in ROLES] == ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
    assert all(luminance(rgb(DARK.role(role))) > luminance(rgb(LIGHT.role(role))) for role in ROLES)
