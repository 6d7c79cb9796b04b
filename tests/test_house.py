"""Who may import whom, how large a folder and a file may be, and no circle.

The arrows are read from the import statements of every module that is found below attnviz/, pages/ and app.py. What
a module loads besides is seen by importing it in a fresh interpreter.
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_FILES = 16  # Python files a folder, __init__ among them
MOST_LINES = 300

# Each room and the rooms that it may import; a module belongs to the longest name that it starts with, and may
# always import its own room. Of ui/lessons each folder is a room of its own, so is each folder of figures/ and lab/.
BELOW = (
    "attnviz.core",
    "attnviz.text",
    "attnviz.words",
    "attnviz.lesson",
    "attnviz.explain",
    "attnviz.lab",
    "attnviz.figures",
)
ARROWS: dict[str, tuple[str, ...]] = {
    "attnviz": ("attnviz.core",),
    "attnviz.__main__": ("attnviz.cli",),
    "attnviz.site": (),
    "attnviz.cli": ("attnviz", "attnviz.site", "attnviz.words"),
    "attnviz.core": (),
    "attnviz.notebook": ("attnviz.core", "attnviz.explain", "attnviz.figures"),
    "attnviz.text": (),
    "attnviz.words": (),
    "attnviz.lesson": ("attnviz.core", "attnviz.text", "attnviz.words"),
    "attnviz.explain": ("attnviz.core", "attnviz.lesson", "attnviz.words"),
    "attnviz.lab": ("attnviz.core", "attnviz.text", "attnviz.lesson"),
    "attnviz.lab.scaling": ("attnviz.core",),
    "attnviz.lab.heads": ("attnviz.core",),
    "attnviz.figures": (),
    "attnviz.ui": (),
    "attnviz.ui.kit": ("attnviz.site", *BELOW),
    "attnviz.ui.app": ("attnviz.ui.kit", *BELOW),
    "attnviz.ui.playground": ("attnviz.ui.kit", *BELOW),
    "attnviz.ui.lessons": ("attnviz.ui.kit", *BELOW),
    "pages": ("attnviz.ui.app", "attnviz.ui.playground", "attnviz.ui.lessons"),
    "app": ("attnviz.ui.app", "attnviz.ui.kit", "attnviz.ui.lessons"),
}  # fmt: skip
# The one arrow up: a trace shows itself in a notebook, by an import inside its methods, so that nothing is loaded
# before it is asked for. It is no arrow of the house, and makes no circle.
LATE = {"attnviz.core.sealed": {"attnviz.notebook"}}
# Folders whose sub-folders do not import one another: what two of them need stands in the folder itself.
APART = ("attnviz.figures", "attnviz.ui.lessons")

# The libraries beyond the standard one that a room may load, with what they bring along.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "attnviz": ("numpy",),
    "attnviz.cli": ("numpy",),
    "attnviz.core": ("numpy",),
    "attnviz.notebook": ("numpy",),
    "attnviz.text": ("numpy", "regex", "janome"),
    "attnviz.words": ("numpy", "markupsafe", "babel"),
    "attnviz.lesson": ("numpy", "regex", "janome", "markupsafe", "babel"),
    "attnviz.explain": ("numpy", "regex", "janome", "markupsafe", "babel"),
    "attnviz.lab": ("numpy", "regex", "janome", "markupsafe", "babel"),
    "attnviz.figures": ("numpy", "plotly", "regex", "_plotly_utils", "narwhals", "PIL", "packaging"),
}
COMPILED = ("_cython", "cython_runtime")  # what NumPy's own extensions leave behind
SCRIPTS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
FILES = [*sorted((ROOT / "attnviz").rglob("*.py")), *SCRIPTS]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in FILES}


def imported(module: str, source: str, modules: Mapping[str, object]) -> set[str]:
    """The modules among `modules` that a module with this source names in an import, wherever it stands."""
    return {name for name in _named(module, source) if name in modules} - {module}


def _named(module: str, source: str) -> Iterator[str]:
    package = (
        module.split(".") if MODULES.get(module, Path("x.py")).stem == "__init__" else module.split(".")[:-1]
    )
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in MODULES else base


@cache
def graph() -> dict[str, set[str]]:
    found = {
        name: imported(name, path.read_text(encoding="utf-8"), MODULES) for name, path in MODULES.items()
    }
    return {name: names - LATE.get(name, set()) for name, names in found.items()}


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def room_of(module: str) -> str:
    """The room of a module: the longest name in ARROWS that is the module or a package round it."""
    rooms = [room for room in ARROWS if within(module, room)]
    longest = max(rooms, key=len)
    return "" if longest == "attnviz" and module != "attnviz" else longest


def reaches(module: str, target: str) -> bool:
    """Whether an arrow to `target` lets a module in; one to "attnviz" means what a notebook imports, no more."""
    return module == target or (target != "attnviz" and within(module, target))


def wrong_arrows(module: str, names: set[str]) -> list[str]:
    """The imports of a module that its room may not have."""
    room = room_of(module)
    allowed = (room, *ARROWS[room])
    wrong = [name for name in names if not any(reaches(name, to) and room_of(name) != "" for to in allowed)]
    folders = [place for place in APART if within(module, place)]
    for place in folders:
        mine = folder_below(module, place)
        wrong += [n for n in names if within(n, place) and folder_below(n, place) not in ("", mine)]
    return wrong


def folder_below(module: str, place: str) -> str:
    """The folder below `place` in which a module stands, or "" where it stands in `place` itself."""
    path = MODULES.get(module)
    parts = module.removeprefix(place).strip(".").split(".")
    inside = len(parts) > 1 or (path is not None and path.stem == "__init__" and parts != [""])
    return parts[0] if inside else ""


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_room_may(module: str) -> None:
    assert room_of(module), f"{module} stands in no room: put it into one, or state its arrows here"
    assert wrong_arrows(module, graph()[module]) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("attnviz.core.masks", "from attnviz.lab.heads import heads"),
        ("attnviz.core.masks", "def f():\n    from ..lesson import settings"),
        ("attnviz.lesson.lesson", "import attnviz.lab.scaling.limits"),
        ("attnviz.lab.scaling.measured", "from attnviz.lesson.settings import Settings"),
        ("attnviz.figures.maps", "from attnviz.figures.heads.channels import channels"),
        ("attnviz.ui.lessons.heads.steps", "from attnviz.ui.lessons.masks import story"),
        ("attnviz.ui.lessons.heads.steps", "from attnviz.ui.playground.station import station"),
        ("attnviz.ui.kit.state", "from attnviz.ui.app import router"),
        ("attnviz.cli.main", "from attnviz.lesson.settings import Settings"),
        ("pages.heads", "from attnviz.core import attend"),
    ],
)
def test_a_wrong_arrow_is_found(module: str, source: str) -> None:
    assert wrong_arrows(module, imported(module, source, MODULES))


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in FILES}), ids=lambda f: str(f.relative_to(ROOT))
)
def test_a_folder_can_be_taken_in_at_a_glance(folder: Path) -> None:
    assert len(list(folder.glob("*.py"))) <= MOST_FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_can_be_read_in_one_go(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


# Tests stand where what they test stands: test_x.py beside x.py, or test_x_more.py for a part of it. These are about
# their whole room.
MIRRORED = ("core", "lab", "lesson", "explain", "figures", "ui")
OF_A_ROOM = {
    "core": {"laws", "hand_values", "cases_from_the_field", "given_functions"},
    "explain": {"explain"},
    "lesson": {"knobs"},
    "ui/lessons": {"knobs"},
}


@pytest.mark.parametrize(
    "path",
    [path for room in MIRRORED for path in sorted((ROOT / "tests" / room).rglob("test_*.py"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_test_stands_where_its_module_stands(path: Path) -> None:
    folder, subject = path.parent.relative_to(ROOT / "tests"), path.stem.removeprefix("test_")
    there = {file.stem for file in (ROOT / "attnviz" / folder).iterdir()}
    there |= OF_A_ROOM.get(str(folder), set())
    beside = any(subject == module or subject.startswith(f"{module}_") for module in there)
    assert beside, "put it beside its module, or name it in OF_A_ROOM where it is about the whole room"


# Imports the libraries (its arguments before "--") and says what came in with them; then each module in a child of its
# own, which has them already, and says what came in besides.
LOOK = """
import importlib, json, os, sys
cut = sys.argv.index("--")
for library in sys.argv[1:cut]:
    importlib.import_module(library)
there = set(sys.modules)
print(json.dumps(["", sorted(there)]), flush=True)
for module in sys.argv[cut + 1:]:
    if os.fork() == 0:
        importlib.import_module(module)
        print(json.dumps([module, sorted(set(sys.modules) - there)]), flush=True)
        os._exit(0)
    os.wait()
"""
BELOW_THE_SCREEN = [
    module for module in MODULES if within(module, "attnviz") and not within(module, "attnviz.ui")
]


def libraries_of(module: str) -> tuple[str, ...]:
    room = room_of(module)
    return LIBRARIES.get(room) or LIBRARIES[room.rsplit(".", 1)[0]]


@cache
def loaded(libraries: tuple[str, ...]) -> tuple[dict[str, list[str]], str]:
    """What each module that may load these libraries loads besides, under "" the libraries, and what went wrong."""
    named = [name for name in libraries if not name.startswith("_")]
    # What a library loads besides (Plotly looks for pandas, IPython, ...) is its own affair where it is allowed at all.
    named = ["plotly.graph_objects" if name == "plotly" else name for name in named]
    modules = [module for module in BELOW_THE_SCREEN if libraries_of(module) == libraries]
    run = subprocess.run(
        [sys.executable, "-c", LOOK, *named, "--", *modules],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return dict(json.loads(line) for line in run.stdout.splitlines()), run.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fresh interpreter for each module needs os.fork")
@pytest.mark.parametrize("module", BELOW_THE_SCREEN)
def test_a_module_loads_only_the_libraries_of_its_room(module: str) -> None:
    found, errors = loaded(libraries_of(module))
    assert module in found, errors
    brought, names = ({name.split(".")[0] for name in found[key]} for key in ("", module))
    foreign = {name for name in names if not name.startswith(COMPILED)} - sys.stdlib_module_names
    assert sorted(foreign - {"attnviz"} - set(libraries_of(module)) - brought) == []


@pytest.mark.parametrize("page", SCRIPTS[1:], ids=lambda page: page.stem)
def test_the_first_statement_of_a_page_sends_runs_without_the_frame_back(page: Path) -> None:
    body = ast.parse(page.read_text(encoding="utf-8")).body
    statements = [node for node in body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in statements] == ["router.ensure()", "page()"]
