"""How fast the page answers: our weights station against a bare Streamlit page with the same two Plotly figures.

    python benchmarks/page.py            every size, about six minutes
    python benchmarks/page.py --quick    fewer repetitions, for a look

The bare page computes the same lesson and builds the same figures with the same functions; around them it has one
number_input and nothing else. In one Chromium, the pages taking turns, the arrow key steps d_k up by one, which changes
every weight of every head. `drawn` is the time from the key to the frame in which every map of both pictures shows
other pixels, `server` the time from sending the browser's question once more, from here and with the browser idle, to
the message that the run is finished, `bytes` all messages of that answer. The median answer counts; run it on an idle
machine. Beside the pictures we send some 12 KiB in 60 messages, at every size the same.

`late/early` compares the server's time for one reader's last answers of many with that for the first: what the server
keeps of each answer shows there.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.command import goal, is_quick
from benchmarks.readers import Asker, Window
from benchmarks.serving import ROOT, serving

SIZES = tuple((n, heads) for n in (8, 16, 64) for heads in (2, 8))
RATIO_LIMITS = {"drawn": 0.7, "server": 0.7, "bytes": 1.1}
LATE_LIMIT, KIB_LIMIT = 1.2, 300
CHROMIUM = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking")

BARE = Path(__file__).with_name("bare_page.py")


def main() -> None:
    steps = 7 if is_quick(__doc__, "a third of the repetitions") else 21
    path = shutil.which("chromium")
    if path is None:
        sys.exit("needs Chromium")
    goals: list[str] = []
    print(f"{'n':>3} {'H':>2} {'':>9} {'ours':>9} {'bare':>9} {'ours/bare':>9}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder, "bare")
        bare.mkdir()
        shutil.copy(BARE, bare / "app.py")
        shutil.copytree(ROOT / ".streamlit", bare / ".streamlit")
        shutil.copytree(ROOT / "static", bare / "static")
        with serving(ROOT, Path(folder)) as ours, serving(bare, Path(folder)) as theirs:
            browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM))
            for n, heads in SIZES:
                goals += measure(
                    n, heads, [open_window(browser, base, n, heads) for base in (ours, theirs)], steps
                )
            goals.append(worn([open_window(browser, base, 8, 2) for base in (ours, theirs)], 10 * steps))
            browser.close()
    goals.append(goal("KiB of 12 heads of 64 x 64", spec_kib(12, 64), KIB_LIMIT, digits=2))
    print()
    print("\n".join(goals))


def open_window(browser: Any, base: str, n: int, heads: int) -> Window:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-US")
    window = Window(page, base)
    window.listen(page.context.new_cdp_session(page))
    window.open({"sentence": sentence(n), "num_heads": heads})
    return window


def sentence(n: int) -> str:
    return " ".join(f"w{i}" for i in range(n))


def measure(n: int, heads: int, windows: list[Window], steps: int) -> Iterator[str]:
    """Print the three lines of one size, and yield its goals."""
    for _ in range(steps):
        for window in windows:
            window.step()
    for window in windows:
        window.page.context.close()
    with ExitStack() as stack:
        askers = [Asker(window, stack) for window in windows]
        ask(askers, 3 * steps)
    found = {
        ("drawn", "ms"): [window.milliseconds for window in windows],
        ("server", "ms"): [asker.milliseconds for asker in askers],
        ("bytes", "KiB"): [[size / 1024 for size in window.sizes] for window in windows],
    }
    for (name, unit), pair in found.items():
        ours, bare = (median(values[1:]) for values in pair)  # the first warms caches
        print(f"{n:3} {heads:2} {name:>6} {unit:3}{ours:9.1f} {bare:9.1f} {ours / bare:9.2f}", flush=True)
        yield goal(f"{name} ours/bare n {n} H {heads}", ours / bare, RATIO_LIMITS[name], digits=2)


def ask(askers: list[Asker], steps: int) -> None:
    for _ in range(steps):
        for asker in askers:
            asker.step()
            time.sleep(0.05)


def worn(windows: list[Window], steps: int) -> str:
    """Ask one page after the other many times; the goal of the last answers against the first."""
    for window in windows:
        window.step()
        window.page.context.close()
    with ExitStack() as stack:
        askers = [Asker(window, stack) for window in windows]
        ask(askers, steps)
    tenth = steps // 10 + 1
    late, early = (
        [median(asker.milliseconds[part]) for asker in askers]
        for part in (slice(-tenth, None), slice(1, tenth + 1))
    )
    ours, bare = (after / before for after, before in zip(late, early, strict=True))
    print(
        f"late/early answer of {steps}: ours {early[0]:.1f} to {late[0]:.1f} ms, bare {early[1]:.1f} to {late[1]:.1f} ms"
    )
    return goal("late/early, ours/bare", ours / bare, LATE_LIMIT, digits=2)


def spec_kib(heads: int, n: int) -> float:
    """The size of the figure of all heads, as it is sent, in KiB."""
    from attnviz.figures.palette import PALETTES
    from attnviz.figures.vocabulary import payload
    from attnviz.lesson.lesson import make_lesson
    from attnviz.lesson.settings import from_link
    from attnviz.ui.kit.page.lessons import focus_of
    from attnviz.ui.kit.pictures.scene import Scene
    from attnviz.ui.kit.pictures.stations import picture
    from attnviz.words import Words

    settings, _ = from_link({"sentence": sentence(n), "num_heads": str(heads)})
    lesson = make_lesson(settings)
    assert lesson is not None
    shown = picture("weights", Scene(lesson, focus_of(lesson), Words("en"), PALETTES["light"]))
    assert shown.heads is not None
    return len(json.dumps(payload(shown.heads)).encode()) / 1024


if __name__ == "__main__":
    main()
