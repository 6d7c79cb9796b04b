"""What every test shares: Keras computes with NumPy, and property-based tests are the same on every run."""

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


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the source tree."""
    return build(tmp_path_factory.mktemp("wheel"))
