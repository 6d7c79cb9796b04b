"""The command of an installed wheel, away from the source tree: what it opens, where, and how it ends."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from attnviz.words import Words
from tests.e2e.recomputed import assert_weights_are_those_of_the_link
from tests.e2e.screen import Screen
from tests.e2e.serve import PAGES, Server, free_port, running
from tests.package.wheel import install, lend_our_packages, new_python, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WAIT = 90  # seconds until the command answers, on two busy cores
LINK = "http://localhost:1/?sentence=I have two pens.&seed=4&num_heads=3"
# What a browser is called with goes into a file; the command waits for no answer.
BROWSER = """
import sys
open(sys.argv[1], "a", encoding="utf-8").write(sys.argv[2] + "\\n")
"""


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a Python with the wheel, and with ours but attnviz for the rest."""
    folder = tmp_path_factory.mktemp("installed")
    python = new_python(folder)
    install(python, "--no-deps", wheel)
    lend_our_packages(folder)
    return python.parent


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of another Streamlit app, with settings that are not ours."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "config.toml").write_text(
        '[theme]\nbase = "dark"\nfont = "monospace"\n[server]\nbaseUrlPath = "other"\nenableStaticServing = false\n'
    )
    return folder


@contextmanager
def opened(
    programs: Path, home: Path, cwd: Path, *arguments: str
) -> Iterator[tuple[subprocess.Popen[bytes], Server, list[str]]]:
    """The command once it answers: its process, its server, and the addresses that it opened in a browser."""
    script, addresses = home / "browser.py", home / "addresses.txt"
    script.write_text(BROWSER, encoding="utf-8")
    addresses.touch()
    browser = f"{sys.executable} {script} {addresses} %s"
    with running([programs / "attnviz", *arguments], home, cwd, BROWSER=browser) as (process, log):
        end = time.monotonic() + WAIT
        while "Ctrl-C ends it" not in log.read_text(encoding="utf-8"):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < end, log.read_text(encoding="utf-8")
            time.sleep(0.1)
        said = re.search(r"^attnviz: (http://\S+:\d+)", log.read_text(encoding="utf-8"), re.MULTILINE)
        assert said is not None
        while "--no-browser" not in arguments and not addresses.read_text(encoding="utf-8"):
            assert time.monotonic() < end
            time.sleep(0.1)
        yield process, Server(said[1], log), addresses.read_text(encoding="utf-8").split()


@pytest.fixture(scope="module")
def command(
    programs: Path, elsewhere: Path, browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, int, list[str]]]:
    """The command called with a link while its port is busy: its server, the busy port, what it opened."""
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        arguments = (LINK, "--port", str(port), "--lang", "ja")
        with opened(programs, tmp_path_factory.mktemp("home"), elsewhere, *arguments) as (
            _,
            server,
            addresses,
        ):
            yield server, port, addresses


def test_it_is_the_wheels_own_code_with_all_its_pages(programs: Path, elsewhere: Path) -> None:
    look = "import attnviz; from attnviz.site import SITE; print(attnviz.__file__, SITE, *SITE.glob('pages/*.py'))"
    file, site, *pages = run([programs / "python", "-c", look], elsewhere).split()
    assert Path(file).is_relative_to(programs.parent)
    assert Path(site).is_relative_to(programs.parent)
    assert sorted(Path(page).stem for page in pages) == PAGES


def test_a_busy_port_moves_on_to_the_next_free_one_and_says_so(
    command: tuple[Server, int, list[str]],
) -> None:
    server, busy, _ = command
    port = int(server.base.rpartition(":")[2])
    assert busy < port < busy + 100
    assert f"attnviz: port {busy} is taken, {port} is free" in server.log.read_text(encoding="utf-8")


def test_the_browser_is_opened_once_on_the_page_and_state_of_the_link(
    command: tuple[Server, int, list[str]], browser: "Browser"
) -> None:
    server, _, addresses = command
    link = {"sentence": "I have two pens.", "seed": "4", "num_heads": "3", "language": "ja"}
    assert addresses == [f"{server.base}/?sentence=I%20have%20two%20pens.&seed=4&num_heads=3&language=ja"]
    with browser.new_context(locale="en-US") as context:
        screen = Screen(context.new_page(), server.base)
        screen.visit(addresses[0])
        assert screen.link == link
        expect(screen.sentence).to_have_value("I have two pens.")
        assert_weights_are_those_of_the_link(screen)
        assert Words("ja")("masks.menu") in screen.page.inner_text("body")
        screen.assert_sound()
    assert server.tracebacks() == ""


def test_the_look_is_ours_wherever_the_command_is_called(
    command: tuple[Server, int, list[str]], browser: "Browser"
) -> None:
    server, *_ = command
    with browser.new_context(color_scheme="light", locale="en-US") as context:
        screen = Screen(context.new_page(), server.base)
        screen.open("masks")
        style = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).fontFamily]"
        background, font = screen.page.get_by_test_id("stApp").evaluate(style)
        assert (background, font.split(",")[0]) == ("rgb(255, 255, 255)", "Inter")
        assert screen.page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px Inter'))")
        assert any(address.endswith("/app/static/Inter.woff2") for address in screen.requests)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_ctrl_c_ends_it_without_a_traceback_while_a_reader_looks(
    programs: Path, elsewhere: Path, browser: "Browser", tmp_path: Path
) -> None:
    arguments = ("masks", "--no-browser", "--host", "127.0.0.1", "--port", str(free_port()))
    with (
        opened(programs, tmp_path, elsewhere, *arguments) as (process, server, addresses),
        browser.new_context(locale="en-US") as context,
    ):
        # The first page that this server is asked for is not the front page.
        screen = Screen(context.new_page(), server.base)
        screen.open("masks")
        screen.assert_sound()
        assert Words("en")("masks.title") in screen.page.inner_text("body")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert addresses == []
        assert server.base.startswith("http://127.0.0.1:")
        assert server.tracebacks() == ""
