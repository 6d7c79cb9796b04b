"""The command's arguments: what is wrong with them is said, with exit code 2, and nothing is served."""

import subprocess
import sys
from pathlib import Path

import pytest

import attnviz
from attnviz.cli.main import main
from attnviz.words import languages

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "x"], "--port: must be a whole number from 0 (any) to 65535; got 'x'"),
        (["--port", "65536"], "got '65536'"),
        (["--port", "-1"], "--port"),
        (["--lang", "xx"], f"--lang must be one of {', '.join(languages())}; got 'xx'"),
        (["--host", "no such host"], "the app cannot be served on 'no such host'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["I have a pen."], "got 'I have a pen.'"),
        (["nosuch?mask=causal"], "the page must be one of "),
        (["masks", "heads"], "unrecognized arguments: heads"),
    ],
)
def test_a_bad_argument_is_refused_with_a_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    said = capsys.readouterr()
    assert (refused.value.code, said.out) == (2, "")
    assert message in said.err.splitlines()[-1]


def test_the_module_is_the_command_and_knows_its_version() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "attnviz", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == f"attnviz {attnviz.__version__}\n"


# Ctrl-C at the very moment when the command begins to load a module.
INTERRUPTED = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from attnviz.cli.main import main
sys.exit(main(["--no-browser", "--port", "0"]))
"""


@pytest.mark.parametrize("module", ["streamlit.web.cli", "streamlit.web.server.app_discovery"])
def test_ctrl_c_before_the_app_is_up_ends_the_command_in_silence(module: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.returncode, run.stdout, run.stderr.strip()) == (130, "", "")
