"""One reader's browser window on the app: what a test does there, and what it sees."""

import base64
import json
import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, Position, TimeoutError, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import Settings, from_link

WAIT = 60_000  # milliseconds for the slowest answer, on cores that do much else
expect.set_options(timeout=WAIT)

# The run is over, nothing on screen is of an earlier run, every picture is drawn, every part of our own is
# filled (the board scrolls into view as it is). A control tells the server on the next frame at the latest,
# so look after two of them.
SETTLED = """async () => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const app = document.querySelector('[data-testid="stApp"]');
  return app && app.dataset.testScriptState === 'notRunning'
    && !app.querySelector('[data-stale="true"], [data-testid="stSkeleton"]')
    && [...app.querySelectorAll('[data-testid="stPlotlyChart"]')].every(
         chart => chart.querySelector('.js-plotly-plot')?._fullLayout && chart.querySelector('.main-svg'))
    && [...app.querySelectorAll('.stBidiComponent')].every(
         part => part.querySelector('.av-map')?.figure || part.querySelector('[role=none]')
           || [...part.querySelectorAll('*')].some(host => host.shadowRoot?.querySelector('[role=none], [role] *')));
}"""

# Typed arrays arrive from the server as base64; what Plotly adds to a trace is not data.
CHARTS = """() => [...document.querySelectorAll('.js-plotly-plot, .av-map')].map(plot => JSON.stringify(
  plot.data ?? plot.figure.data, (name, value) => name.startsWith('_') || name === 'uid' ? undefined : value))"""

# The left, top, width and height of one of the matrices of a picture, in pixels of that picture.
BOX = """(picture, k) => {
  const { layout, data } = picture.figure, { l, r, t, b } = layout.margin;
  const map = data.filter(trace => trace.type === 'heatmap')[k];
  const at = name => layout[name[0] + 'axis' + name.slice(1)].domain;
  const [[left, right], [low, high]] = [at(map.xaxis ?? 'x'), at(map.yaxis ?? 'y')];
  const wide = picture.clientWidth - l - r, tall = layout.height - t - b;
  return [l + left * wide, t + (1 - high) * tall, (right - left) * wide, (high - low) * tall];
}"""


@dataclass(frozen=True)
class Chart:
    """The traces of one picture as the browser holds them."""

    traces: list[dict[str, Any]]

    def maps(self) -> list[NDArray[np.floating]]:
        """The numbers of its heat maps."""
        return [_array(trace["z"]) for trace in self.traces if trace["type"] == "heatmap"]

    def texts(self) -> list[str]:
        """The numbers printed in its cells, row by row."""
        printed = [trace["text"] for trace in self.traces if trace.get("mode") == "text"]
        return printed[0] if printed else []


class Screen:
    """A page with everything it asks for, says and throws on record."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self.answered = False
        page.set_default_timeout(WAIT)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", self._listen)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", self._refuse)

    def _listen(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        socket.on("framesent", self.sent)
        socket.on("framereceived", self.received)

    def sent(self, frame: str | bytes) -> None:
        """Note whether a message of the browser asks for an answer."""
        if isinstance(frame, bytes) and BackMsg.FromString(frame).HasField("rerun_script"):
            self.answered = False

    def received(self, frame: str | bytes) -> None:
        """Note whether a message to the browser ends an answer."""
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            if message.HasField("script_finished"):
                self.answered = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _refuse(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def open(self, path: str = "", **link: object) -> None:
        """Go to a page of the app with these link parameters."""
        self.visit(f"{self.base}/{path}" + (f"?{urlencode(link)}" if link else ""))

    def visit(self, address: str) -> None:
        """Go to an address, as one pastes a link."""
        self.answered = False
        self.page.goto(address)
        self.settle()

    def settle(self) -> None:
        """Wait until the answer to what was done is on screen."""
        end = time.monotonic() + WAIT / 1000
        before = False  # once more after the answer's end has been heard: the browser may be behind it
        while not (self.page.evaluate(SETTLED) and before):
            before = self.answered
            assert time.monotonic() < end, "the page does not come to rest"

    def wait_for_link(self, **expected: object) -> None:
        """Wait until the address has these parameters (None: has it not), then until all is on screen."""
        wanted = {name: None if value is None else str(value) for name, value in expected.items()}
        try:
            self.page.wait_for_url(lambda url: all(_link(url).get(n) == v for n, v in wanted.items()))
        except TimeoutError as error:
            raise AssertionError(f"wanted a link with {wanted}; got {self.link}") from error
        self.settle()

    def back(self) -> None:
        """The browser's Back button."""
        self.answered = False
        self.page.go_back(wait_until="commit")
        self.settle()

    def forward(self) -> None:
        """The browser's Forward button."""
        self.answered = False
        self.page.go_forward(wait_until="commit")
        self.settle()

    # --- what is seen ---------------------------------------------------------------------------

    @property
    def link(self) -> dict[str, str]:
        """The parameters of the address."""
        return _link(self.page.url)

    @property
    def settings(self) -> Settings:
        """The settings that the address stands for."""
        return from_link(self.link)[0]

    def lesson(self) -> Lesson:
        """The lesson that the address stands for, computed here and not there."""
        lesson = make_lesson(self.settings)
        assert lesson is not None
        return lesson

    def charts(self) -> list[Chart]:
        """All pictures, in the order of the page."""
        return [Chart(json.loads(text)) for text in self.page.evaluate(CHARTS)]

    def of(self, key: str) -> Locator:
        """The part of the page with this Streamlit key."""
        return self.page.locator(f".st-key-{key}")

    @property
    def pages(self) -> Locator:
        """The links of the list of pages."""
        return self.of("controls").get_by_test_id("stPageLink-NavLink")

    @property
    def sentence(self) -> Locator:
        """The sentence box."""
        return self.of("w_sentence").get_by_role("textbox")

    @property
    def tokens(self) -> list[str]:
        """The strip of tokens as a reader sees it."""
        return [_seen(text) for text in self.of("tokens").get_by_role("radio").all_inner_texts()]

    @property
    def query(self) -> str:
        """The token in focus as a reader sees it."""
        return _seen(self.of("tokens").get_by_role("radio", checked=True).inner_text())

    @property
    def station(self) -> str:
        """The number of the open station, counted from 0, and the names of all."""
        return str(self.of("path").get_by_role("radio", checked=True).inner_text().splitlines()[0])

    @property
    def sum_line(self) -> str:
        """The arithmetic of the focus, written out."""
        return str(self.page.locator(".av-sum").inner_text())

    def number(self, key: str) -> Locator:
        """The field of a number with steppers."""
        return self.of(key).get_by_test_id("stNumberInputField")

    # --- what is done ---------------------------------------------------------------------------

    def say(self, sentence: str) -> None:
        """Type a sentence and press Enter."""
        self.sentence.fill(sentence)
        self.sentence.press("Enter")

    def set_number(self, key: str, value: int) -> None:
        """Type a number into its field; the steppers come and go with the width of the sidebar."""
        self.number(key).fill(str(value))
        self.number(key).press("Enter")

    def click_cell(self, key: str, row: int, column: int, shape: tuple[int, int], matrix: int = 0) -> None:
        """Click a cell of one of the matrices of the picture of this key."""
        self.map(key).click(
            position=self.cell(key, row, column, shape, matrix)
        )  # which waits until it does not move

    def map(self, key: str) -> Locator:
        """The picture of matrices of this key."""
        return self.of(key).locator(".av-map")

    def cell(self, key: str, row: int, column: int, shape: tuple[int, int], matrix: int = 0) -> Position:
        """The middle of a cell, in the picture of this key."""
        left, top, width, height = self.map(key).evaluate(BOX, matrix)
        return {"x": left + (column + 0.5) / shape[1] * width, "y": top + (row + 0.5) / shape[0] * height}

    # --- what must hold on every screen ---------------------------------------------------------

    def assert_sound(self) -> None:
        """No traceback, no script error, no dialog, and nothing asked of any other machine."""
        assert self.page.get_by_test_id("stException").all_inner_texts() == []
        assert "Traceback" not in self.page.locator("body").inner_text()
        assert self.errors == []
        assert self.dialogs == []
        own = urlsplit(self.base).netloc
        asked = [urlsplit(url) for url in self.requests]
        assert [
            url.geturl() for url in asked if url.scheme not in ("data", "blob") and url.netloc != own
        ] == []


def _link(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def _array(value: Any) -> NDArray[np.floating]:
    if isinstance(value, dict):
        shape = [int(size) for size in str(value["shape"]).split(",")]
        return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).reshape(shape)
    return np.array(value, dtype=float)


def _seen(label: str) -> str:
    """A token's label without what nobody sees: word joiners, and the space that our CSS takes back."""
    return re.sub(" (?=[₀-₉]+$)", "", label.replace("\u2060", ""))
