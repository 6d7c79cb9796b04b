"""Two readers of a page, who step d_k up and note how the answer came: in a browser, and without one."""

import base64
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import CDPSession, Page
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

# Where the pixels of every map of both pictures are others than before the key, the change is drawn.
WATCH = """() => {
  const plotly = () => [...document.querySelectorAll('.js-plotly-plot .heatmaplayer image')]
    .map(image => image.getAttribute('href') || image.getAttribute('xlink:href'));
  // Ours are rectangles, or painted in one go with what the element holds.
  const ours = () => [...document.querySelectorAll('.av-map')].flatMap(picture => {
    const maps = [...picture.querySelectorAll('.cells > g')]
      .map(map => [...map.children].map(rect => rect.getAttribute('fill')).join());
    return maps.length ? maps : (picture.figure?.data ?? []).filter(trace => trace.z).map(trace => trace.z.bdata);
  });
  const images = () => [...plotly(), ...ours()];
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
            "() => document.querySelectorAll('.js-plotly-plot .heatmaplayer, .av-map > svg').length >= 2"
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


class Asker:
    """A reader without a browser, who asks what a browser asked before."""

    def __init__(self, window: Window, stack: ExitStack) -> None:
        self.question = window.asked.rerun_script
        address = f"ws{window.base.removeprefix('http')}/_stcore/stream"
        line = connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None)
        self.line: ClientConnection = stack.enter_context(line)
        self.milliseconds: list[float] = []
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
        start = time.perf_counter()
        self._ask(message)
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
