"""Words on a plane: nothing is moved, labels keep clear of each other, arrows lead where they should."""

import numpy as np
import pytest

from attnviz.figures.embedding.word_map import PLACES, SIZE, Arrow, Spot, _box, place_labels, word_map
from attnviz.figures.labels import text_width
from attnviz.figures.palette import DARK, LIGHT, PALETTES

RNG = np.random.default_rng(4)
SPOTS = [
    Spot(float(x), float(y), f"word{i}", f"word{i} whole", kind)  # type: ignore[arg-type]
    for i, ((x, y), kind) in enumerate(
        zip(RNG.normal(size=(5, 2)), ("given", "given", "sum", "best", "found"), strict=True)
    )
]


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    sides = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    return float(np.prod(np.maximum(sides, 0)))


def test_every_word_stands_where_it_is_and_shows_itself_whole_on_hover() -> None:
    (words,) = word_map(SPOTS, palette=LIGHT).data
    assert list(words.x) == [spot.x for spot in SPOTS] and list(words.y) == [spot.y for spot in SPOTS]
    assert [row[0] for row in words.customdata] == [spot.whole for spot in SPOTS]


def test_text_is_never_markup() -> None:
    (words,) = word_map([Spot(0, 0, "<b>$x$", "<img>"), Spot(1, 1, "a&b", "a")], palette=LIGHT).data
    assert "<img>" not in words.customdata[0][0]
    assert "&lt;b&gt;" in words.text[0] and "&amp;" in words.text[1]


def test_both_directions_have_the_same_unit_and_hold_every_word() -> None:
    layout = word_map(SPOTS, [Arrow((0, 0), (9, -9))], palette=LIGHT, height=400, pixels=500).layout
    assert layout.yaxis.scaleanchor == "x"
    (left, right), (low, high) = layout.xaxis.range, layout.yaxis.range
    assert (right - left) / 500 == pytest.approx((high - low) / 400)
    for x, y in [*((spot.x, spot.y) for spot in SPOTS), (9, -9)]:
        assert left < x < right and low < y < high


def test_an_arrow_goes_from_its_start_to_its_end_and_a_quiet_one_is_thinner() -> None:
    loud, quiet = word_map(
        SPOTS, [Arrow((0.5, 1), (2, 3)), Arrow((0, 0), (1, 1), True)], palette=LIGHT
    ).layout.annotations
    assert (loud.ax, loud.ay, loud.x, loud.y) == (0.5, 1, 2, 3)
    assert loud.axref == "x" and loud.ayref == "y" and loud.showarrow
    assert quiet.arrowwidth < loud.arrowwidth and quiet.arrowcolor != loud.arrowcolor


@pytest.mark.parametrize("gap", [22, 40, 90])
def test_labels_of_a_row_of_words_do_not_lie_on_each_other(gap: int) -> None:
    """Four words side by side, closer than their labels are wide: two levels and the ends give room."""
    points = np.array([[gap * i, 0.0] for i in range(4)])
    widths = [50] * 4
    places = place_labels(points, widths, np.empty((0, 2)))
    boxes = [_box(p, w, PLACES[place]) for p, w, place in zip(points, widths, places, strict=True)]
    covered = sum(overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    plain = [_box(p, w, PLACES["top center"]) for p, w in zip(points, widths, strict=True)]
    stacked = sum(overlap(a, b) for i, a in enumerate(plain) for b in plain[:i])
    assert covered == 0 or covered < stacked / 2


def test_a_label_keeps_off_an_arrow_above_its_word() -> None:
    arrow = np.array([[0.0, y] for y in range(5, 60, 5)])
    assert place_labels(np.zeros((1, 2)), [40], arrow) == ["bottom center"]


def test_a_lone_word_has_its_label_above() -> None:
    assert place_labels(np.zeros((1, 2)), [text_width(["word"], SIZE)], np.empty((0, 2))) == ["top center"]


@pytest.mark.parametrize("spots", [[], SPOTS[:1], [SPOTS[0], SPOTS[0]]])
def test_few_words_or_equal_ones_are_drawn_too(spots: list[Spot]) -> None:
    figure = word_map(spots, palette=DARK)
    assert len(figure.data[0].x) == len(spots)
    assert np.isfinite(figure.layout.xaxis.range).all()


@pytest.mark.parametrize("theme", PALETTES)
def test_words_are_in_the_inks_of_the_theme(theme: str) -> None:
    palette = PALETTES[theme]
    (words,) = word_map(SPOTS, palette=palette).data
    assert set(words.textfont.color) == {palette.ink, palette.muted}
