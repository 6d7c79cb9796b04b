"""The scripts of benchmarks/ and tools/: they start, and what they take from the house is there."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps import AppTest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py")) + sorted((ROOT / "tools").glob("*.py"))
MEASURING = [
    script for script in (ROOT / "benchmarks").glob("*.py") if "__main__" in script.read_text(encoding="utf-8")
]  # fmt: skip


def name(script: Path) -> str:
    return str(script.relative_to(ROOT))


def taken(script: Path) -> list[tuple[str, str]]:
    """Each module of ours that a script imports from, wherever in it, and what: also where it first runs much later."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "attnviz"
        for alias in node.names
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=name)
def test_what_a_script_imports_is_there(script: Path) -> None:
    for module, wanted in taken(script):
        assert hasattr(importlib.import_module(module), wanted), f"{module} has no {wanted}"


def test_the_scripts_import_at_all() -> None:
    """Or else the test above finds nothing to look for."""
    assert len({wanted for script in SCRIPTS for wanted in taken(script)}) > 20


@pytest.mark.parametrize("script", sorted(MEASURING), ids=name)
def test_a_benchmark_starts_from_any_folder_and_says_how_it_is_called(script: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, script, "--help"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert "--quick" in run.stdout


def test_the_page_that_ours_is_measured_against_draws_both_pictures() -> None:
    app = AppTest.from_file(ROOT / "benchmarks" / "bare_page.py", default_timeout=30)
    app.query_params["sentence"] = "a pen a day"
    app.run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 2
