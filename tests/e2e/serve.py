"""The app in a process of its own, as a reader starts it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py"))
START_SECONDS = 90


@dataclass(frozen=True)
class Server:
    """A running app: its address, and what it has written to its terminal."""

    base: str
    log: Path

    def tracebacks(self, since: int = 0) -> str:
        """What the terminal shows from the first traceback on, `since` so many characters; empty for none."""
        _, found, rest = self.log.read_text(encoding="utf-8")[since:].partition("Traceback")
        return found + rest

    def said(self) -> int:
        """How many characters the terminal shows."""
        return len(self.log.read_text(encoding="utf-8"))


@contextmanager
def serving(folder: Path, tree: Path = ROOT) -> Iterator[Server]:
    """Start the app that stands in `tree` on a free port, its home in `folder`, and stop it in the end."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    with running([*command, "--server.port", str(port)], folder, tree) as (process, log):
        server = Server(f"http://localhost:{port}", log)
        _wait_until_healthy(server, process)
        yield server


@contextmanager
def running(
    command: Sequence[str | Path], home: Path, cwd: Path, **variables: str
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """The process of a command with what it writes, in a file; stopped in the end."""
    log = home / "server.log"
    # The home is empty, so that no one's own Streamlit settings decide how the app looks.
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= {"HOME": str(home), "USERPROFILE": str(home), "PYTHONUNBUFFERED": "1"} | variables
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield process, log
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(server: Server, process: subprocess.Popen[bytes]) -> None:
    # The health path runs no page: the first page a test opens is the first the server ever runs.
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"{server.base}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start:\n{server.log.read_text(encoding='utf-8')}")
