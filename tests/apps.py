"""Streamlit's AppTest: the app without a browser. Every test that runs it takes it from here.

At each start AppTest reads the metadata of every installed package, to find components; that is two thirds of what a
page costs, and the answer never changes, so it is read once a process.
"""

from functools import cache

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

__all__ = ["AppTest"]

manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
