"""A picture's lesson: the same layer as for sentences, and what is measured of it against loops."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.lab.images.image_lesson import (
    SEEDS,
    ImageLesson,
    follows_likeness,
    follows_likeness_by_seed,
    likeness,
    make_image_lesson,
    reordered,
    repainted,
    with_equal_projections,
)
from attnviz.lab.images.images import IMAGES, PATCH_SIZES, patch_layer
from attnviz.lesson.lesson import make_layer
from attnviz.lesson.settings import DEFAULTS, Settings

ODD = replace(DEFAULTS, d_model=7, num_heads=3, d_k=2, d_v=5, seed=4)


def lesson(settings: Settings = ODD, image: str = "house", patch_size: int = 8) -> ImageLesson:
    return make_image_lesson(settings, IMAGES[image](), patch_size)


@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("patch_size", PATCH_SIZES)
def test_every_built_in_picture_is_tokens_at_every_patch_size(image: str, patch_size: str) -> None:
    found = lesson(image=image, patch_size=int(patch_size))
    n = (48 // int(patch_size)) ** 2
    assert found.count == n <= 64
    assert found.trace.x.shape == (n, 7) and found.trace.weights.shape == (3, n, n)
    np.testing.assert_allclose(found.trace.weights.sum(axis=2), 1.0, rtol=0, atol=1e-12)


def test_tokens_are_pixels_times_one_matrix_and_go_through_the_layer_of_sentences() -> None:
    found = lesson(replace(ODD, score="cosine", mask="causal", residual=True))
    image, weights = IMAGES["house"]() / 255.0, patch_layer(8, 7, 4)
    for i, (row, column) in enumerate(np.ndindex(6, 6)):
        pixels = [image[row * 8 + y, column * 8 + x, c] for y in range(8) for x in range(8) for c in range(3)]
        np.testing.assert_allclose(found.trace.x[i], (2 * np.array(pixels) - 1) @ weights, rtol=0, atol=1e-12)
    ours = make_layer(ODD)(
        found.trace.x, score="cosine", beta=5.0, keep=np.tri(36, dtype=bool), residual=True
    )
    np.testing.assert_allclose(found.trace.output, ours.output, rtol=0, atol=1e-12)


def test_positions_are_added_row_by_row() -> None:
    moved = lesson(replace(ODD, position="sinusoidal")).trace.x - lesson().trace.x
    assert moved[0, 1] == pytest.approx(1.0) and moved[9, 0] == pytest.approx(np.sin(9.0))


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_weight_following_likeness_is_a_correlation_within_each_query(mask: str) -> None:
    found = lesson(replace(ODD, mask=mask, window=3))
    keep = np.ones((36, 36), bool) if found.trace.keep is None else found.trace.keep
    alike = likeness(found)
    for head, value in enumerate(follows_likeness(found)):
        a, b = [], []
        for i in range(36):
            keys = [j for j in range(36) if j != i and keep[i, j]]
            if keys:
                a += (found.trace.weights[head, i, keys] - found.trace.weights[head, i, keys].mean()).tolist()
                b += (alike[i, keys] - alike[i, keys].mean()).tolist()
        assert value == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-9)


def test_likeness_is_largest_for_equal_patches_and_0_there() -> None:
    found = likeness(lesson())
    assert (np.diag(found) == 0).all() and (found <= 0).all() and (found == found.T).all()
    blank = make_image_lesson(ODD, np.full((16, 24, 3), 90, np.uint8), 8)
    assert follows_likeness(blank) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("image", IMAGES)
def test_equal_projections_follow_likeness_and_random_ones_scatter_round_nothing(image: str) -> None:
    """Likeness of inner products, averaged over thirteen seeds: about a half and more; random layers: about 0."""
    settings = replace(DEFAULTS, num_heads=4)
    random = follows_likeness_by_seed(lesson(settings, image))
    equal = follows_likeness_by_seed(with_equal_projections(lesson(settings, image)))
    assert len(random) == len(SEEDS)
    assert abs(np.mean(random)) < 0.3 < np.mean(equal)


def test_large_layers_are_not_drawn_again_for_other_seeds() -> None:
    settings = replace(DEFAULTS, d_model=64, num_heads=8, d_k=16)
    assert len(follows_likeness_by_seed(lesson(settings, patch_size=24))) == 1


def test_a_repainted_patch_changes_one_token_and_what_every_patch_that_looks_at_it_gets() -> None:
    x, heads = repainted(lesson(), 10)
    assert np.flatnonzero(x).tolist() == [10]
    assert (heads > 0).all()
    _, masked = repainted(lesson(replace(ODD, mask="causal")), 10)
    assert (masked[:, :10] == 0).all() and (masked[:, 10:] > 0).all()


def test_channels_and_heads_may_be_reordered_with_the_matrix_behind_them() -> None:
    x, output = reordered(lesson())
    assert x < 1e-12 and output < 1e-12
