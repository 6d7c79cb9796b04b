"""Serves the app with Streamlit, and opens the browser once it answers."""

import os
import sys
import webbrowser
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from threading import Thread
from time import sleep

from attnviz.cli.address import EVERYWHERE, HOME, base, browsed
from attnviz.cli.link import Link
from attnviz.site import SITE


@dataclass(frozen=True)
class Service:
    """Where the app is served, and what is opened there."""

    host: str
    port: int
    link: Link
    browser: bool

    def flags(self) -> list[str]:
        """What Streamlit is told beyond .streamlit/config.toml."""
        return [
            f"--server.address={self.host}",
            f"--server.port={self.port}",
            # We print the address and open the browser ourselves: Streamlit knows of no page and no state, and asks
            # the network for this machine's address where it opens none.
            "--server.headless=true",
            "--logger.hideWelcomeMessage=true",
            "--logger.level=warning",
            "--server.fileWatcherType=none",
        ]


def serve(service: Service) -> None:
    """Serve the app until Ctrl-C."""
    from click import Abort
    from streamlit.web import cli

    # Else a .streamlit folder where the command is called, another app's, would have its say in ours.
    os.chdir(SITE)
    Thread(target=_open, args=(service,), daemon=True).start()
    try:
        cli.main(["run", "app.py", *service.flags()], prog_name="streamlit", standalone_mode=False)
    except Abort:  # what Click makes of a Ctrl-C before Streamlit listens for it
        raise KeyboardInterrupt from None


def _open(service: Service) -> None:
    while not _is_up(service):
        sleep(0.1)
    address = service.link.at(base(service.host, service.port))
    print(f"attnviz: {address}")
    if service.host in EVERYWHERE:
        from streamlit.net_util import get_internal_ip

        print(f"on this network: {service.link.at(base(get_internal_ip() or HOME, service.port))}")
    print("Ctrl-C ends it", flush=True)
    if service.browser and _has_screen():
        webbrowser.open(address)


def _is_up(service: Service) -> bool:
    connection = HTTPConnection(browsed(service.host), service.port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _has_screen() -> bool:
    # Without one Python would open a browser of letters in the terminal.
    return sys.platform != "linux" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
