"""The command: reads its arguments, says what is wrong with them, and opens the app."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from attnviz import __version__
from attnviz.cli.address import HOME, free_port
from attnviz.cli.link import Link, read_link
from attnviz.cli.needs import unmet
from attnviz.cli.serve import Service, serve
from attnviz.site import SITE

PORT = 8501
REFUSED, INTERRUPTED = 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Open the app and serve it until Ctrl-C; returns the exit code."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: list[str] | None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    lacking = unmet((SITE / "requirements.txt").read_text(encoding="utf-8"))
    if lacking:
        _say(f'the app needs {", ".join(lacking)}: pip install "attnviz[app]"')
        return REFUSED
    try:
        service = _service(given)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if service.port != given.port != 0:
        _say(f"port {given.port} is taken, {service.port} is free")
    serve(service)
    return 0


def _service(given: Namespace) -> Service:
    """What to serve; ValueError or OSError says what cannot be."""
    link = _link(given.link) if given.link else Link()
    if given.lang:
        link = link.put("language", _language(given.lang))
    return Service(given.host, _port_on(given.host, given.port), link, given.browser)


def _link(text: str) -> Link:
    pages = [file.stem for file in (SITE / "pages").glob("*.py")]
    link = read_link(text, pages)
    if link is None:
        raise ValueError(
            f"LINK must be a link of the app or a page ({', '.join(sorted(pages))}); got {text!r}"
        )
    return link


def _language(name: str) -> str:
    from attnviz.words import languages  # not among what the core needs

    if name not in languages():
        raise ValueError(f"--lang must be one of {', '.join(languages())}; got {name!r}")
    return name


def _port_on(host: str, wanted: int) -> int:
    try:
        return free_port(host, wanted)
    except OSError as error:
        raise OSError(f"the app cannot be served on {host!r}: {error.strerror or error}") from None


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) < 2**16):
        raise ArgumentTypeError(f"must be a whole number from 0 (any) to {2**16 - 1}; got {text!r}")
    return int(text)


def _say(message: str) -> None:
    print(f"attnviz: {message}", file=sys.stderr)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "attnviz", description="Opens attnviz in the browser: every number of multi-head attention."
    )
    parser.add_argument(
        "link", nargs="?", metavar="LINK",
        help='a link of the app, or its end, in quotes ("masks?mask=causal"), or a page; else the front page',
    )  # fmt: skip
    parser.add_argument(
        "--host", default=HOME, help="the address to serve on (%(default)s; 0.0.0.0: the network)"
    )
    parser.add_argument(
        "--port", default=PORT, type=_port, help="the port, or the next free one (%(default)s; 0: any)"
    )
    parser.add_argument(
        "--lang", metavar="LANGUAGE", help="the language to open in: en, ja, ... (the browser's)"
    )
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="print the address only")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser
