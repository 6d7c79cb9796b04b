"""Where the app is served: a port that is free, and what a browser on this machine calls the host."""

import errno
import socket

TRIES = 100  # ports
HOME = "localhost"
EVERYWHERE = ("0.0.0.0", "::")
_TAKEN = (errno.EADDRINUSE, errno.EACCES)  # EACCES: kept by the system


def free_port(host: str, wanted: int) -> int:
    """The first port from `wanted` on that is free on `host`; 0 is any. OSError where there is none, or no such host."""
    ports = range(wanted, min(wanted + TRIES, 2**16))
    for port in ports:
        if host in (HOME, *EVERYWHERE) and _answers(port):
            continue
        try:
            return _listened(host, port)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
    raise OSError(f"no port from {ports[0]} to {ports[-1]} is free")


def base(host: str, port: int) -> str:
    """The address of the app for a browser on this machine."""
    name = browsed(host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def browsed(host: str) -> str:
    """The name under which this machine reaches what listens on `host`."""
    return HOME if host in EVERYWHERE else host


def _listened(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        return int(listener.getsockname()[1])


def _answers(port: int) -> bool:
    # Some systems let two programs listen on one port, one on an address, one on all; a browser finds either.
    try:
        socket.create_connection((HOME, port), timeout=0.5).close()
    except OSError:
        return False
    return True
