"""A Streamlit server for a benchmark, in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def serving(folder: Path, home: Path) -> Iterator[str]:
    """A Streamlit server on a free port that runs the folder's app.py; its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= {"HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port)]
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
