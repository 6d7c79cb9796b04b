"""What every test shares: Keras computes with NumPy, and property-based tests are the same on every run."""

import os

from hypothesis import settings

from tests.words.languages import words_folder  # noqa: F401  (a fixture)

os.environ["KERAS_BACKEND"] = "numpy"  # read when Keras is first imported

settings.register_profile("attnviz", derandomize=True, deadline=None)
settings.load_profile("attnviz")
