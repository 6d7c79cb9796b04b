"""The page about heads: every case draws, and its numbers are those of an independent computation."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.lab.images.images import IMAGES, SIDE
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import from_link
from attnviz.words import Words, languages
from tests.pages.app import checked, figures, heatmaps, html, open_page, settings

HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile:"
FIGURES = {"channels", "views", "planes", "blocks_product", "blocks_sum", "muting", "shares", "one"}
ODD: dict[str, Any] = {"d_model": 7, "num_heads": 3, "d_k": 2, "d_v": 5, "sentence": "the cat sat on a mat"}
CASES: list[dict[str, Any]] = [
    {},
    {"source": "ein Stift"},
    ODD,
    ODD | {"source": HOSTILE, "notation": "columns", "bias": 1, "residual": 1},
    {"sentence": HOSTILE, "num_heads": 16, "d_model": 16, "d_k": 1, "d_v": 1},
    {"sentence": "one", "num_heads": 1, "d_model": 1, "d_k": 1, "d_v": 1},
    {"preset": "folded", "notation": "columns", "normalizer": "sigmoid"},
    {"preset": "similarity", "mask": "drawn", "drawn": "00000.00000.00000.00000.00000"},
    {"sentence": "w v " * 300, "num_heads": 16, "d_model": 32, "head": 9, "query": 300},
]
ROUNDING = re.compile(r"0|[\d.]+ × 10⁻¹[⁴-⁹]")
each_language = pytest.mark.parametrize("language", languages())


def lesson(**link: Any) -> Lesson:
    """The lesson of a link, made without the page."""
    found = make_lesson(from_link({name: str(value) for name, value in link.items()})[0])
    assert found is not None
    return found


def contributions(found: Lesson) -> NDArray[np.float64]:
    """weights x values x W_h^O, head by head, (H, n, d_model)."""
    trace = found.trace
    return np.einsum("hij,hjv,hvd->hid", trace.weights, trace.value, trace.layer.w_o)


def verdict(text: str) -> list[str]:
    """What the measurements said, step by step."""
    return re.findall(r'class="av-verdict">[^<]*<b>([^<]*)</b>', text)


@each_language
@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn_in_every_language(language: str, case: dict[str, Any]) -> None:
    app = open_page("heads", language=language, reveal=1, **case)
    shown = figures(app)
    assert set(shown) == FIGURES
    assert all(figure["alt"] for figure in shown.values())
    assert "<img" not in html(app)
    assert not re.search(r"\b(nan|inf)\b", html(app))
    assert len(verdict(html(app))) == 5


@each_language
def test_nothing_is_given_away_before_a_guess(language: str) -> None:
    app = open_page("heads", language=language)
    assert not figures(app)
    assert not verdict(html(app))


def test_a_guess_opens_its_step_and_is_compared_with_the_measurement() -> None:
    app = open_page("heads")
    app = checked(app.segmented_control(key="guess_heads.blocks").set_value(2).run())
    words = Words("en")
    assert set(figures(app)) == {"blocks_product", "blocks_sum"}
    assert words("heads.blocks.guess_2") in html(app)
    assert verdict(html(app)) == [words("heads.blocks.guess_2")]
    assert f"The measurement says: <b>{words('heads.blocks.guess_1')}</b>" in html(app)


@pytest.mark.parametrize("case", [{}, {"source": "ein Stift"}, ODD, ODD | {"bias": 1, "residual": 1}])
def test_both_ways_to_the_output_are_printed_with_their_difference(case: dict[str, Any]) -> None:
    text = html(open_page("heads", reveal=1, **case))
    (difference,) = re.findall(r"Largest difference over all [^<]*<b>([^<]*)</b>", text)
    assert ROUNDING.fullmatch(difference)
    found = lesson(**case)
    total = contributions(found).sum(axis=0)[3, :4]
    written = "(" + ", ".join(f"{v:.2f}".replace("-", "−") for v in total) + ", …)"
    assert text.count(f'<span class="output">{written}</span>') == 2


@pytest.mark.parametrize("muted", ["1", "2,3", "1,2,3", ""])
@pytest.mark.parametrize("case", [ODD, ODD | {"source": "ein Stift", "bias": 1, "residual": 1}])
def test_what_is_gone_is_what_the_muted_heads_had_added(case: dict[str, Any], muted: str) -> None:
    app = open_page("heads", reveal=1, muted=muted, **case)
    heads = [int(name) - 1 for name in muted.split(",") if name]
    output, left, gone = heatmaps(figures(app)["muting"])
    found = lesson(**case)
    np.testing.assert_allclose(output, found.trace.output, rtol=0, atol=1e-6)
    np.testing.assert_allclose(gone, contributions(found)[heads].sum(axis=0), rtol=0, atol=1e-6)
    np.testing.assert_allclose(output - gone, left, rtol=0, atol=1e-6)
    if heads:
        change = np.linalg.norm(contributions(found)[heads].sum(axis=0)[3])
        assert f"what is gone is a vector of length {change:.2f}." in html(app)


def test_heads_are_muted_and_heard_again_by_their_buttons() -> None:
    app = open_page("heads", reveal=1, **ODD)
    app = checked(app.pills(key="w_muted").set_value([1, 3]).run())
    assert settings(app)["muted"] == "1,3"
    app = checked(app.pills(key="w_muted").set_value([]).run())
    assert settings(app)["muted"] == ""
    assert "No head is muted" in html(app)
    assert not heatmaps(figures(app)["muting"])[2].any()


@pytest.mark.parametrize(("case", "share"), [(ODD, None), ({"d_k": 2}, "100%"), ({"d_k": 1}, "100%")])
def test_each_panel_says_how_much_of_the_variance_it_shows(case: dict[str, Any], share: str | None) -> None:
    found = lesson(**case)
    app = open_page("heads", reveal=1, **case)
    titles = [note["text"] for note in figures(app)["planes"]["layout"]["annotations"]]
    for h, title in enumerate(titles):
        points = np.concatenate([found.trace.query[h], found.trace.key[h]])
        variances = np.sort(np.atleast_1d(np.linalg.eigvalsh(np.atleast_2d(np.cov(points.T)))))[::-1]
        expected = f"{variances[:2].sum() / variances.sum():.0%}"
        assert f"shows {expected} of the variance" in title
        assert share is None or share == expected


def test_a_line_of_a_panel_is_as_thick_as_the_weight() -> None:
    found = lesson(**ODD)
    shapes = figures(open_page("heads", reveal=1, **ODD))["planes"]["layout"]["shapes"]
    for h, axes in enumerate(("x", "x2", "x3")):
        widths = [s["line"]["width"] for s in shapes if s["type"] == "line" and s["xref"] == axes]
        np.testing.assert_allclose(np.sort(widths), np.sort(14 * found.trace.weights[h].ravel()), rtol=1e-9)


@pytest.mark.parametrize("name", IMAGES)
def test_the_pixel_s_three_numbers_are_those_of_the_picture(name: str) -> None:
    app = open_page("heads", reveal=1, channel_image=name, pixel=17 * SIDE + 20)
    red, green, blue = IMAGES[name]()[17, 20]
    assert f"pixel (20, 17): red <b>{red}</b>, green <b>{green}</b>, blue <b>{blue}</b>" in html(app)


def test_what_comes_from_other_tokens_is_what_the_weight_on_itself_leaves() -> None:
    app = open_page("heads", reveal=1, head=2, **ODD)
    others = 1 - lesson(**ODD).trace.weights[1, 3, 3]
    assert f"{others:.0%} of what head 2 hands to" in html(app)
    assert "comes from the other sentence" in html(open_page("heads", reveal=1, source="a b", **ODD))


@pytest.mark.parametrize("bias", [0, 1])
def test_every_number_of_heads_has_as_many_parameters(bias: int) -> None:
    text = html(open_page("heads", reveal=1, d_model=12, bias=bias))
    total = 4 * 12 * 12 + bias * 4 * 12
    assert text.count(f"<td><b>{total}</b></td>") == 6  # 1, 2, 3, 4, 6, 12 heads
    assert verdict(text)[4] == Words("en")("heads.one.guess_1")


def test_one_head_is_its_own_concatenation() -> None:
    text = html(open_page("heads", reveal=1, num_heads=1))
    assert "the concatenation is the head itself (difference 0)" in text
    assert "With one head there is nothing to swap" in text


def test_without_a_sentence_the_page_asks_for_one() -> None:
    app = open_page("heads", sentence=" ", reveal=1)
    assert not figures(app)
    assert "Type a sentence" in html(app)
