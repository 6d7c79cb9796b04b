"""A real Chromium on a real server. Where there is none the tests skip, unless ATTNVIZ_REQUIRE_BROWSER=1."""

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

HELPERS = ("screen", "recomputed", "default_lesson", "edit_grid")
pytest.register_assert_rewrite(*(f"tests.e2e.{name}" for name in HELPERS))  # a failure there says what it saw

from tests.e2e.serve import Server, serving  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ViewportSize

    from tests.e2e.screen import Screen

# No sandbox: it does not start in containers, and the only page it opens is ours. One process for all windows of a
# profile: it reads and compiles the scripts once, which is half of what opening a page costs.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--process-per-site",
)
WINDOW: "ViewportSize" = {"width": 1440, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "e2e":
            item.add_marker(pytest.mark.browser)


def missing() -> str:
    """What these tests need and this machine has not; empty where it has all."""
    if find_spec("playwright") is None:
        return "needs the package playwright"
    return "" if shutil.which("chromium") else "needs Chromium"


class Unopened(pytest.Module):
    """A file of tests that cannot even be read without playwright."""

    def collect(self) -> NoReturn:
        _refuse()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return Unopened.from_parent(parent, path=module_path) if find_spec("playwright") is None else None


def _refuse() -> NoReturn:
    if os.environ.get("ATTNVIZ_REQUIRE_BROWSER") == "1":
        pytest.fail(missing(), pytrace=False)
    pytest.skip(missing(), allow_module_level=True)


@pytest.fixture(scope="package")
def server(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture(scope="package")
def browser() -> "Iterator[Browser]":
    if missing():
        _refuse()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def profile(browser: "Browser", server: Server) -> "Iterator[BrowserContext]":
    """What most windows share, as a reader's do: so the scripts are fetched, and compiled, once."""
    with browser.new_context(viewport=WINDOW, locale="en-US", reduced_motion="reduce") as context:
        context.new_page().goto(f"{server.base}/_stcore/health")  # runs no page, and keeps the process alive
        yield context


@pytest.fixture
def new_screen(browser: "Browser", server: Server) -> "Iterator[Callable[..., Screen]]":
    """Opens windows that share nothing, each like a browser of its own with these options."""
    from tests.e2e.screen import Screen

    screens, said = list[Screen](), server.said()

    def open_window(**options: Any) -> Screen:
        context = browser.new_context(
            **{"viewport": WINDOW, "locale": "en-US", "reduced_motion": "reduce"} | options
        )
        screens.append(Screen(context.new_page(), server.base))
        return screens[-1]

    yield open_window
    for screen in screens:
        _assert_sound(screen, server, said)
        screen.page.context.close()


@pytest.fixture
def screen(profile: "BrowserContext", server: Server) -> "Iterator[Screen]":
    """One window."""
    from tests.e2e.screen import Screen

    screen, said = Screen(profile.new_page(), server.base), server.said()
    yield screen
    _assert_sound(screen, server, said)
    screen.page.close()


def _assert_sound(screen: "Screen", server: Server, said: int) -> None:
    """Whatever a test did, the screen must be sound in the end, and the server's terminal too."""
    if screen.page.url.startswith(server.base):
        screen.assert_sound()
    assert server.tracebacks(said) == ""
