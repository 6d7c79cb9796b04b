"""Arabic comes as a folder of words: the page is mirrored, what is mathematics runs from left to right as before."""

import re
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import Screen
from tests.e2e.serve import ROOT, Server, serving
from tests.words.languages import begin

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

PARTS = ("app.py", "attnviz", "pages", "static", ".streamlit")


@pytest.fixture(scope="module")
def arabic_server(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app in a copy of the tree that has begun Arabic and Polish."""
    tree = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tree / part)
    begin(tree / "attnviz" / "words")
    with serving(tmp_path_factory.mktemp("home"), tree) as server:
        yield server


@pytest.fixture(params=[1440, 390])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def arabic(browser: "Browser", arabic_server: Server, width: int) -> Iterator[Screen]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, locale="ar-EG", reduced_motion="reduce"
    )
    screen = Screen(context.new_page(), arabic_server.base)
    screen.open()
    yield screen
    screen.assert_sound()
    assert arabic_server.tracebacks() == ""
    context.close()


def left(part: "Locator") -> float:
    box = part.bounding_box()
    assert box is not None
    return box["x"]


def test_the_page_is_mirrored_and_nothing_sticks_out(arabic: Screen, width: int) -> None:
    page = arabic.page
    root = page.locator("html")
    expect(root).to_have_attribute("lang", "ar")
    expect(root).to_have_attribute("dir", "rtl")
    stations = arabic.of("path").get_by_role("radio")
    assert left(stations.nth(0)) > left(stations.nth(1)) > left(stations.nth(2))
    back, on = (page.locator(f".st-key-icon_{name}") for name in ("back", "on"))
    assert left(back) > left(on) >= 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    main = page.locator(".stMain")
    assert main.evaluate("part => part.scrollWidth - part.clientWidth") == 0
    if width > 1000:
        assert left(page.locator(".stSidebar")) > left(main)


def test_formulas_shapes_and_sums_run_from_left_to_right(arabic: Screen) -> None:
    page = arabic.page
    for part in (".katex", ".st-key-path button p em", ".av-sum", ".av-key"):
        found = page.locator(part).first
        assert found.evaluate("part => getComputedStyle(part).direction") == "ltr", part
    # What is seen, not only what is ruled: in "5 × 8" the 5 stands left of the 8, in the formula A left of softmax.
    first, last = page.locator(".st-key-path button p em").first.evaluate(
        """part => { const text = part.firstChild, at = (i) => { const r = document.createRange();
             r.setStart(text, i); r.setEnd(text, i + 1); return r.getBoundingClientRect().left; };
             return [at(0), at(text.length - 1)]; }"""
    )
    assert first < last
    bases = page.locator(".st-key-station .katex-html > .base")
    assert [left(base) for base in bases.all()] == sorted(left(base) for base in bases.all())
    ends = page.locator(".av-sum").first.evaluate(
        "part => [part.querySelector('bdi'), part.querySelector('.value')].map(e => e.getBoundingClientRect().left)"
    )
    top = page.locator(".av-sum").first.evaluate(
        "part => part.getBoundingClientRect().height / parseFloat(getComputedStyle(part).lineHeight)"
    )
    assert top > 1.5 or ends[0] < ends[1]


def test_what_is_typed_keeps_its_own_direction(arabic: Screen) -> None:
    box = arabic.page.locator(".st-key-w_sentence input")
    assert box.evaluate("part => getComputedStyle(part).unicodeBidi") == "plaintext"
    expect(arabic.page.locator("[lang=en][dir=ltr]").first).to_have_text(re.compile(r"^Softmax"))
