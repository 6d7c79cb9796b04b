"""What every test shares: Keras computes with NumPy, property-based tests are the same on every run, and whole folders
run on all cores."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

import attnviz.ui.lessons  # noqa: F401  (the knobs of all pages are settings, whichever tests are run)
from tests.package.wheel import build
from tests.words.languages import words_folder  # noqa: F401  (a fixture)

os.environ["KERAS_BACKEND"] = "numpy"  # read when Keras is first imported

settings.register_profile("attnviz", derandomize=True, deadline=None)
settings.load_profile("attnviz")

pytest_plugins = ("tests.conformance.summary",)  # here, where the process that reports reads it

# Each takes about 1 GB, and more would only wait for the longest file, whose tests stay together.
MOST_WORKERS = 4


@pytest.hookimpl(tryfirst=True)  # before xdist reads its own options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Share whole folders among the cores, unless -n says otherwise; single files and tests start faster in one process."""
    if not config.pluginmanager.hasplugin("xdist") or hasattr(config, "workerinput"):
        return
    option = config.option
    whole_folders = all(Path(argument).is_dir() for argument in config.args)
    if option.numprocesses is None and option.dist == "no" and whole_folders:
        option.numprocesses, option.maxprocesses = "auto", option.maxprocesses or MOST_WORKERS
    if option.numprocesses and option.dist == "no":
        # A file's tests share what is dear to make: a server and a browser, an import of JAX, a probed interpreter.
        # In the order of collection, the browser's files come early and the quickest last.
        option.dist, option.loadscopereorder = "loadfile", False


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the source tree."""
    return build(tmp_path_factory.mktemp("wheel"))
