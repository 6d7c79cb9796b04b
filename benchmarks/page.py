"""How fast the page answers: our weights station against a bare Streamlit page with the same two Plotly figures.

    python benchmarks/page.py            every size, about three minutes
    python benchmarks/page.py --quick    fewer repetitions, for a look

The bare page computes the same lesson and builds the same figures with the same functions; around them it has one
number_input and nothing else. In one Chromium, the pages taking turns, the arrow key steps d_k up by one, which changes
every weight of every head. `drawn` is the time from the key to the frame in which every map of both pictures shows
other pixels, `server` the time from sending the browser's question once more, from here and with the browser idle, to
the message that the run is finished. `wire` is what that answer took from the network, `frames` the same before
compression: our server compresses, the bare one is served as Streamlit serves a page when nothing is set. The median
answer counts; run it on an idle machine. Beside the pictures we send some 12 KiB of frames, at every size the same.
"""

import argparse
import base64
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

from playwright.sync_api import CDPSession, Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIZES = tuple((n, heads) for n in (8, 16, 64) for heads in (2, 8))
RATIO_LIMIT, KIB_LIMIT = 1.5, 300
UNSET = ("--server.enableWebsocketCompression", "false")  # Streamlit's own setting
CHROMIUM = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking")

BARE = """
import streamlit as st

from attnviz.figures.base import CONFIG
from attnviz.figures.palette import PALETTES
from attnviz.lesson import make_lesson
from attnviz.settings import from_link
from attnviz.ui.frame import warm_up
from attnviz.ui.lessons import focus_of
from attnviz.ui.pictures import picture
from attnviz.ui.scene import Scene
from attnviz.words import Words

st.set_page_config(layout="wide")
warm_up()  # as our page does, so that the garbage collector costs both the same
d_k = st.number_input("d_k", 1, 512, 4, key="w_d_k")
settings, _ = from_link(st.query_params.to_dict() | {"d_k": str(d_k)})
lesson = make_lesson(settings)
shown = picture("weights", Scene(lesson, focus_of(lesson), Words("en"), PALETTES["light"]))
left, right = st.columns((1.6, 1))
left.plotly_chart(shown.main, theme=None, key="main_weights", config=CONFIG, on_select="rerun", selection_mode="points")
right.plotly_chart(shown.heads, theme=None, key="heads_weights", config=CONFIG)
"""

# Where the pixels of every map of both pictures are others than before the key, the change is drawn.
WATCH = """() => {
  const images = () => [...document.querySelectorAll('.js-plotly-plot .heatmaplayer image')]
    .map(image => image.getAttribute('href') || image.getAttribute('xlink:href'));
  const before = images(), old = new Set(before);
  window.drawn = new Promise(done => addEventListener('keydown', pressed => {
    const look = () => { // a frame's own timestamp may lie before a long task that held it up
      const maps = images();
      if (maps.length === before.length && maps.every(map => map && !old.has(map)))
        done(performance.now() - pressed.timeStamp);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, {once: true, capture: true}));
}"""


@dataclass
class Window:
    """One page in the browser, what each answer took, and the last question that was asked."""

    page: Page
    base: str
    asked: BackMsg = field(default_factory=BackMsg)
    finished: bool = False
    size: int = 0
    milliseconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def open(self, link: dict[str, object]) -> None:
        self.page.goto(f"{self.base}/?{urlencode(link)}")
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        self.page.wait_for_function(
            "() => document.querySelectorAll('.js-plotly-plot .heatmaplayer').length >= 2"
        )
        self.page.wait_for_timeout(1500)

    def listen(self, session: CDPSession) -> None:
        session.send("Network.enable")
        session.on("Network.webSocketFrameSent", self._sent)
        session.on("Network.webSocketFrameReceived", self._received)

    def _sent(self, event: dict[str, Any]) -> None:
        message = BackMsg.FromString(_payload(event))
        if message.HasField("rerun_script"):
            self.asked, self.finished, self.size = message, False, 0

    def _received(self, event: dict[str, Any]) -> None:
        payload = _payload(event)
        self.size += len(payload)
        self.finished |= ForwardMsg.FromString(payload).HasField("script_finished")

    def step(self) -> None:
        """Step d_k up by one and note how the answer came."""
        self.page.bring_to_front()
        self.page.wait_for_timeout(400)
        box = self.page.locator(".st-key-w_d_k input").first
        box.focus()
        self.page.evaluate(WATCH)
        box.press("ArrowUp")
        self.milliseconds.append(self.page.evaluate("() => window.drawn"))
        while not self.finished:
            self.page.wait_for_timeout(5)
        self.sizes.append(self.size)
        self.page.wait_for_timeout(60)


class Line(socket.socket):
    """A connection that counts what comes in."""

    received = 0

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        data = super().recv(size, flags)
        self.received += len(data)
        return data


class Asker:
    """A reader without a browser, who asks what a browser asked before."""

    def __init__(self, window: Window, stack: ExitStack) -> None:
        self.question = window.asked.rerun_script
        address = urlsplit(window.base)
        self.counter = Line(socket.AF_INET)
        self.counter.connect((address.hostname, address.port))
        line = connect(
            f"ws://{address.netloc}/_stcore/stream",
            sock=self.counter,
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
        )
        self.line: ClientConnection = stack.enter_context(line)
        self.milliseconds: list[float] = []
        self.sizes: list[int] = []
        first = BackMsg()
        first.rerun_script.query_string = self.question.query_string
        self._ask(first)

    def step(self) -> None:
        """Step d_k up by one and note how long the server took."""
        for state in self.question.widget_states.widgets:
            if state.id.endswith("w_d_k"):
                state.double_value += 1
        message = BackMsg()
        message.rerun_script.CopyFrom(self.question)
        start, received = time.perf_counter(), self.counter.received
        self._ask(message)
        self.sizes.append(self.counter.received - received)
        self.milliseconds.append((time.perf_counter() - start) * 1e3)

    def _ask(self, message: BackMsg) -> None:
        self.line.send(message.SerializeToString())
        finished = False
        while not finished:
            answer = ForwardMsg.FromString(self.line.recv(timeout=30, decode=False))
            if answer.HasField("page_info_changed"):
                self.question.query_string = answer.page_info_changed.query_string
            finished = answer.HasField("script_finished")


def _payload(event: dict[str, Any]) -> bytes:
    data = event["response"]["payloadData"]
    return base64.b64decode(data) if event["response"]["opcode"] == 2 else b""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a third of the repetitions")
    steps = 7 if parser.parse_args().quick else 21
    path = shutil.which("chromium")
    if path is None:
        sys.exit("needs Chromium")
    goals: list[str] = []
    print(f"{'n':>3} {'H':>2} {'':>9} {'ours':>9} {'bare':>9} {'ours/bare':>9}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder, "bare")
        bare.mkdir()
        (bare / "app.py").write_text(BARE, encoding="utf-8")
        shutil.copytree(ROOT / ".streamlit", bare / ".streamlit")  # the look; how it is served is Streamlit's
        shutil.copytree(ROOT / "static", bare / "static")
        with serving(ROOT, Path(folder)) as ours, serving(bare, Path(folder), *UNSET) as theirs:
            browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM))
            for n, heads in SIZES:
                goals += measure(
                    n, heads, [open_window(browser, base, n, heads) for base in (ours, theirs)], steps
                )
            browser.close()
    goals.append(goal("KiB of 12 heads of 64 x 64", spec_kib(12, 64), KIB_LIMIT))
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
        for _ in range(steps):
            for asker in askers:
                asker.step()
                time.sleep(0.05)
    found = {
        ("drawn", "ms"): [window.milliseconds for window in windows],
        ("server", "ms"): [asker.milliseconds for asker in askers],
        ("wire", "KiB"): [[size / 1024 for size in asker.sizes] for asker in askers],
        ("frames", "KiB"): [[size / 1024 for size in window.sizes] for window in windows],
    }
    for (name, unit), pair in found.items():
        ours, bare = (median(values[1:]) for values in pair)  # the first warms caches
        print(f"{n:3} {heads:2} {name:>6} {unit:3}{ours:9.1f} {bare:9.1f} {ours / bare:9.2f}", flush=True)
        yield goal(f"{name} ours/bare n {n} H {heads}", ours / bare, RATIO_LIMIT)


def spec_kib(heads: int, n: int) -> float:
    """The size of the figure of all heads, as it is sent, in KiB."""
    import plotly.io

    from attnviz.figures.palette import PALETTES
    from attnviz.lesson import make_lesson
    from attnviz.settings import from_link
    from attnviz.ui.lessons import focus_of
    from attnviz.ui.pictures import picture
    from attnviz.ui.scene import Scene
    from attnviz.words import Words

    settings, _ = from_link({"sentence": sentence(n), "num_heads": str(heads)})
    lesson = make_lesson(settings)
    assert lesson is not None
    shown = picture("weights", Scene(lesson, focus_of(lesson), Words("en"), PALETTES["light"]))
    return len(plotly.io.to_json(shown.heads, validate=False).encode()) / 1024


def goal(name: str, value: float, limit: float) -> str:
    return f"goal {name}: {value:.2f} (wanted <= {limit}) {'met' if value <= limit else 'missed'}"


@contextmanager
def serving(folder: Path, home: Path, *options: str) -> Iterator[str]:
    """A Streamlit server on a free port that runs the folder's app.py; its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= {"HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), *options]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=quiet, stderr=quiet)
    base = f"http://localhost:{port}"
    try:
        end = time.monotonic() + 60
        while not _healthy(base):
            if time.monotonic() > end or process.poll() is not None:
                raise RuntimeError(f"{folder}/app.py did not start")
            time.sleep(0.1)
        yield base
    finally:
        process.terminate()
        process.wait(10)


def _healthy(base: str) -> bool:
    try:
        with urlopen(f"{base}/_stcore/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


if __name__ == "__main__":
    main()
