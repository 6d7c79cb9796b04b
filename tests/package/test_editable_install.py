"""`pip install -e .`: the code and the app's files are those of the source tree."""

from pathlib import Path

import pytest

from tests.package.wheel import copy_source, install, lend_our_packages, new_python, run

pytestmark = pytest.mark.package
LOOK = (
    "import attnviz.site as s; print(s.__file__, s.SITE / 'app.py', s.SITE / 'pages' / 'masks.py', sep='\\n')"
)


@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_an_editable_install_finds_every_file_in_the_source_tree(mode: str, tmp_path: Path) -> None:
    source, folder = copy_source(tmp_path / "source"), tmp_path / "python"
    python = new_python(folder)
    lend_our_packages(folder)  # the build runs there
    install(
        python,
        "--no-deps",
        "--no-build-isolation",
        "--config-settings",
        f"editable_mode={mode}",
        "-e",
        source,
    )
    found = [Path(line) for line in run([python, "-c", LOOK], tmp_path).splitlines()]
    there = [source / "attnviz/site.py", source / "app.py", source / "pages/masks.py"]
    assert all(one.samefile(other) for one, other in zip(found, there, strict=True)), found
    assert run([python.parent / "attnviz", "--version"], tmp_path).startswith("attnviz ")
