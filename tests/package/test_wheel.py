"""What is in the wheel, and what it needs."""

from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import attnviz
from attnviz.site import SITE
from tests.package.wheel import ROOT

pytestmark = pytest.mark.package
BESIDE_THE_MAIN_SCRIPT = ("app.py", "requirements.txt", ".streamlit/config.toml", "pages", "static")


def files_below(place: Path) -> list[Path]:
    found = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    return [path for path in found if "__pycache__" not in path.parts]


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(contents: dict[str, bytes]) -> Message:
    [name] = [name for name in contents if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(contents[name])


def test_the_wheel_holds_the_package_and_the_apps_files_each_as_it_is_and_nothing_else(
    contents: dict[str, bytes],
) -> None:
    package = {path.relative_to(ROOT).as_posix(): path for path in files_below(ROOT / "attnviz")}
    site = [path for name in BESIDE_THE_MAIN_SCRIPT for path in files_below(ROOT / name)]
    laid = {f"attnviz/_site/{path.relative_to(ROOT).as_posix()}": path for path in site}
    expected = {name: path.read_bytes() for name, path in (package | laid).items()}
    found = {name: data for name, data in contents.items() if ".dist-info/" not in name}
    assert sorted(found) == sorted(expected)
    assert [name for name in found if found[name] != expected[name]] == []
    assert {"attnviz/py.typed", "attnviz/_site/app.py", "attnviz/_site/static/Inter.woff2"} <= found.keys()


def test_in_the_source_tree_the_apps_files_are_where_they_stand() -> None:
    assert SITE == ROOT


def test_the_core_needs_numpy_alone_and_the_app_what_requirements_txt_lists(metadata: Message) -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = {Requirement(line.partition("#")[0]) for line in lines if line.partition("#")[0].strip()}
    needed = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    core = {need for need in needed if need.marker is None}
    app = {Requirement(str(need).partition(";")[0]) for need in needed if need.marker is not None}
    assert {need.name for need in core} == {"numpy"}
    assert core <= listed
    assert app == listed
    assert metadata.get_all("Provides-Extra") == ["app"]


def test_the_version_is_the_packages_own(metadata: Message, wheel: Path) -> None:
    assert metadata["Version"] == attnviz.__version__
    assert wheel.name.startswith(f"attnviz-{attnviz.__version__}-py3-none-any")


def test_each_licence_of_what_is_inside_goes_along(metadata: Message, contents: dict[str, bytes]) -> None:
    assert metadata["License-Expression"] == "MIT AND OFL-1.1 AND PDDL-1.0"
    named = metadata.get_all("License-File", [])
    assert sorted(named) == ["LICENSE", "attnviz/data/PDDL-1.0.txt", "static/Inter-LICENSE.txt"]
    for name in named:
        [data] = [data for path, data in contents.items() if path.endswith(f".dist-info/licenses/{name}")]
        assert data == (ROOT / name).read_bytes()
