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


def copy_source(folder: Path) -> Path:
    """A copy of the source tree in `folder`: a build leaves files where it runs."""
    folder.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=LEFTOVERS)
        else:
            shutil.copy(ROOT / name, folder)
    return folder


def build(folder: Path) -> Path:
    """The wheel of an sdist, built where an earlier build has left what is no longer there."""
    run([sys.executable, "-c", SDIST, folder], copy_source(folder / "source"))
    [sdist] = folder.glob("*.tar.gz")
    shutil.unpack_archive(sdist, folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    for gone in ("attnviz/gone.py", "attnviz/_site/pages/gone.py"):
        left = unpacked / "build" / "lib" / gone
        left.parent.mkdir(parents=True)
        left.touch()
    run(pip("wheel", "--no-deps", "--no-build-isolation", "-w", folder, unpacked), folder)
    return next(folder.glob("*.whl"))


def new_python(folder: Path) -> Path:
    """A new Python in `folder`, with nothing installed."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def lend_our_packages(folder: Path) -> None:
    """Let the Python in `folder` find what is installed where the tests run, after its own."""
    place = sysconfig.get_path("purelib", vars={"base": str(folder)})
    Path(place, "ours.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")


def install(python: Path, *arguments: str | Path) -> None:
    """`pip install` for `python`."""
    run(pip("--python", python, "install", "--quiet", *arguments), python.parent)


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
