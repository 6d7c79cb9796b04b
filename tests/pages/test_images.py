"""The page about pictures: every case draws, and its numbers are those of the picture's own trace."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attnviz.lab.images.image_lesson import make_image_lesson
from attnviz.lab.images.images import IMAGES, PATCH_SIZES
from attnviz.lesson.settings import DEFAULTS
from attnviz.ui.lessons.images.pictures import apart
from attnviz.words import Words, languages
from tests.pages.app import figures, heatmaps, html, open_page, settings

CASES = [
    {},
    {"image": "stripes", "patch_size": 6, "patch": 63, "num_heads": 3, "d_k": 3, "d_v": 5, "d_model": 7},
    {"patch_size": 24, "patch": 40, "notation": "columns", "position": "sinusoidal"},
    {"mask": "causal", "score": "additive", "bias": 1, "residual": 1, "d_model": 1, "d_k": 1, "d_v": 1},
    {"mask": "padding", "padding": 64},
    {"sentence": " ", "source": "another one", "num_heads": 16, "patch_size": 12},
    {"preset": "three_linear", "num_heads": 1, "normalizer": "sigmoid"},
    {"d_model": 128, "num_heads": 8, "d_k": 16, "preset": "similarity"},
]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn_in_every_language(language: str, case: dict[str, object]) -> None:
    app = open_page("images", language=language, reveal=1, **case)
    shown = figures(app)
    assert set(shown) == {"patches", "zoom", "token", "looks", "moves"}
    assert all(figure["alt"] for figure in shown.values())
    assert not re.search(r"\b(nan|inf)\b", html(app))
    assert Words(language)("images.untrained") in html(app)


@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("patch_size", PATCH_SIZES)
def test_the_weights_of_the_chosen_patch_lie_over_the_picture(image: str, patch_size: str) -> None:
    app = open_page("images", reveal=1, image=image, patch_size=patch_size, patch=3, num_heads=3, d_k=5)
    wanted = replace(DEFAULTS, num_heads=3, d_k=5)
    lesson = make_image_lesson(wanted, IMAGES[image](), int(patch_size))
    maps = heatmaps(figures(app)["looks"])
    assert len(maps) == 3
    for head, shown in enumerate(maps):
        np.testing.assert_allclose(shown.ravel(), lesson.trace.weights[head, 3], rtol=1e-6)
    (token,) = heatmaps(figures(app)["token"])
    np.testing.assert_allclose(token[0], lesson.trace.x[3], rtol=1e-5)


def test_a_patch_outside_the_picture_is_brought_inside() -> None:
    app = open_page("images", reveal=1, patch_size=24, patch=63)
    assert "patch 3" in html(app) and settings(app)["patch"] == 63


def test_a_repainted_patch_changes_one_token_and_all_rows_of_a_head() -> None:
    text = html(open_page("images", reveal=1))
    assert "x changes in 1 of 36 places" in text and "changes in 36 of 36" in text


def test_the_numbers_of_a_pixel_stand_apart_in_their_own_colours() -> None:
    pixels = np.array([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]], np.uint8)
    assert apart(pixels)[0].tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3], [4, 0, 0], [0, 5, 0], [0, 0, 6]]


def test_nothing_is_given_away_before_a_guess() -> None:
    assert not figures(open_page("images"))
