"""The wheel as a release makes it, and Pythons that have it from there and not from the source tree."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("attnviz", "pages", "static", "tools", ".streamlit", "app.py", "README.md", "LICENSE", "pyproject.toml",
           "requirements.txt")  # fmt: skip
LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.egg-info")
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def build(folder: Path) -> Path:
    """The wheel of an sdist of a copy of the source tree, which a build would leave files in."""
    copy, out = folder / "source", folder / "out"
    copy.mkdir()
    out.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=LEFTOVERS)
        else:
            shutil.copy(ROOT / name, copy)
    run([sys.executable, "-c", SDIST, out], copy)
    run(pip("wheel", "--no-deps", "--no-build-isolation", "-w", out, *out.glob("*.tar.gz")), out)
    return next(out.glob("*.whl"))


def python_with(folder: Path, *arguments: str | Path) -> Path:
    """The folder of the programs of a new Python in `folder` in which `pip install *arguments` has been run."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(pip("--python", programs / "python", "install", "--quiet", *arguments), folder)
    return programs


def lend_our_packages(folder: Path) -> None:
    """Let the Python in `folder` find what is installed where the tests run, after its own."""
    place = sysconfig.get_path("purelib", vars={"base": str(folder)})
    Path(place, "ours.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")


def pip(*arguments: str | Path) -> list[str | Path]:
    """The command that runs our pip."""
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]


def run(command: list[str | Path], cwd: Path, code: int = 0) -> str:
    """All that the command says; AssertionError with it where the exit code is not `code`."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == code, done.stdout
    return done.stdout
