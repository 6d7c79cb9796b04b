"""Every page file in every language, both themes, and a phone."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from attnviz.words import Words, languages
from tests.e2e.screen import Screen
from tests.e2e.serve import PAGES

PHONE = {"width": 390, "height": 844}

# Every visible run of text with the colour it has and the one behind it, both as the browser computes them. Numbers
# inside a picture's cells lie on colours of their own, and what is switched off may be faint, or not yet pointed at.
TEXTS = """async () => {
  await Promise.all(document.getAnimations().map(fading => fading.finished.catch(() => 0)));
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255];
  };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
  };
  const faded = element => {
    let opacity = 1;
    for (let e = element; e; e = e.parentElement) opacity *= getComputedStyle(e).opacity;
    return opacity;
  };
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    const box = element.getBoundingClientRect();
    if (!text || box.width < 2 || box.height < 2 || !element.checkVisibility({visibilityProperty: true})) continue;
    if (element.closest('.textpoint, .av-map .numbers, .av-map .save, [disabled], [aria-disabled="true"], kbd, ' +
        '[data-testid="stIconMaterial"], ' +
        '.katex-mathml, style, script, [class*="st-key-icon_"], [data-testid="stTooltipIcon"]')) continue;
    const style = getComputedStyle(element), svg = element.closest('svg');
    const under = behind(element);
    const ink = rgba(svg ? style.fill : style.color);
    ink[3] *= faded(element);
    found.push({text: text.slice(0, 40), ink: over(ink, under), under});
  }
  return found;
}"""


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast ratio of two sRGB colours (WCAG 2.1)."""

    def luminance(rgb: list[float]) -> float:
        r, g, b = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def faint(screen: Screen) -> list[str]:
    """The texts on screen that stand out too little from what is behind them."""
    texts: list[dict[str, Any]] = screen.page.evaluate(TEXTS)
    assert len(texts) > 60
    found = [(contrast(text["ink"], text["under"]), text["text"]) for text in texts]
    return [f"{text}: {ratio:.2f}" for ratio, text in found if ratio < 4.5]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("page", PAGES)
def test_the_page_loads_with_all_answers_shown(screen: Screen, page: str, language: str) -> None:
    screen.open("" if page == "playground" else page, language=language, reveal=1)
    assert screen.charts()
    words = Words(language)
    current = screen.pages.filter(has=screen.page.locator("strong"))
    expect(current).to_have_text(words(f"{page}.menu"))
    assert screen.page.title().startswith(words(f"{page}.menu"))
    screen.assert_sound()


def test_every_page_is_in_the_list_of_pages(screen: Screen) -> None:
    screen.open()
    assert screen.pages.count() == len(PAGES)


def test_loading_asks_nothing_of_any_other_machine(screen: Screen) -> None:
    screen.open()
    assert len(screen.requests) > 10
    screen.assert_sound()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_legible(new_screen: Callable[..., Screen], scheme: str) -> None:
    screen = new_screen(color_scheme=scheme)
    screen.open(mask="causal")
    background = screen.page.evaluate(
        "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    )
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 21, 28)"}[scheme]
    assert faint(screen) == []
    for stage in ("qkv", "output"):
        screen.of("path").get_by_role("radio").nth({"qkv": 1, "output": 8}[stage]).click()
        screen.wait_for_link(stage=stage)
        assert faint(screen) == []


@pytest.mark.parametrize("language", languages())
def test_a_phone_shows_all_stations_and_scrolls_only_down(
    new_screen: Callable[..., Screen], language: str
) -> None:
    screen = new_screen(viewport=PHONE, is_mobile=True, has_touch=True)
    screen.open(language=language, sentence="The animal did not cross the street because it was too tired.")
    stations = screen.of("path").get_by_role("radio")
    assert stations.count() == 9
    for station in stations.all():
        box = station.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    for position in (0, 1, 4, 8):
        stations.nth(position).tap()
        screen.wait_for_link(stage=("x", "qkv", "scores", "scaled", "masked", "", "", "", "output")[position])
        wide, window = screen.page.evaluate(
            "() => { const m = document.querySelector('.stMain'); return ["
            "Math.max(m.scrollWidth, document.documentElement.scrollWidth), m.clientWidth]; }"
        )
        assert wide <= window == PHONE["width"]
    screen.assert_sound()
