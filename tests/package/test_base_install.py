"""`pip install attnviz` into an empty Python: the core, NumPy, and nothing else."""

import re
import sys
from pathlib import Path

import pytest

from tests.package.wheel import ROOT, install, new_python, pip, run

pytestmark = pytest.mark.package
[SNIPPET] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
NO_INDEX = re.compile(
    r"ERROR: (No matching distribution|Could not find a version|.*[Cc]onnection)", re.MULTILINE
)


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = new_python(tmp_path_factory.mktemp("base"))
    try:
        install(python, wheel)
    except AssertionError as error:
        if NO_INDEX.search(str(error)):
            pytest.skip(f"NumPy cannot be had here: {str(error).strip().splitlines()[-1]}")
        raise
    return python.parent


def test_it_brings_numpy_alone(programs: Path, tmp_path: Path) -> None:
    listed = run(pip("--python", programs / "python", "list", "--format=freeze"), tmp_path)
    assert sorted(line.partition("==")[0] for line in listed.split()) == ["attnviz", "numpy"]


def test_the_readmes_notebook_runs(programs: Path, tmp_path: Path) -> None:
    shown = re.search(r"print\(.*#\s*(.*)", SNIPPET)
    assert shown is not None
    assert run([programs / "python", "-c", SNIPPET], tmp_path).strip() == shown[1].strip()


def test_it_comes_from_the_wheel_and_loads_no_other_library(programs: Path, tmp_path: Path) -> None:
    look = "import sys, attnviz; print(attnviz.__file__, *{name.split('.')[0] for name in sys.modules})"
    file, *loaded = run([programs / "python", "-c", look], tmp_path).split()
    assert Path(file).is_relative_to(programs.parent)
    foreign = {name for name in loaded if not name.startswith("_")} - sys.stdlib_module_names
    assert foreign - {"cython_runtime", "sitecustomize"} == {"attnviz", "numpy"}


@pytest.mark.parametrize("command", [["attnviz"], ["python", "-m", "attnviz"]], ids=" ".join)
def test_the_command_says_how_to_get_the_app(programs: Path, tmp_path: Path, command: list[str]) -> None:
    said = run([programs / command[0], *command[1:], "masks"], tmp_path, code=2)
    assert said.startswith("attnviz: the app needs streamlit[performance]")
    assert said.endswith('pip install "attnviz[app]"\n')


def test_the_command_knows_its_version_and_its_help_without_the_app(programs: Path, tmp_path: Path) -> None:
    assert re.fullmatch(r"attnviz \d+\.\d+\.\d+\n", run([programs / "attnviz", "--version"], tmp_path))
    assert "--port" in run([programs / "attnviz", "--help"], tmp_path)
