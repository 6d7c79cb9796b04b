"""Who may import whom: each module is imported in a fresh interpreter, which then says what it had to load.

The arrows: core -> NumPy · figures -> NumPy, Plotly · settings -> core · lesson, formulas -> these, no pictures ·
ui -> everything, and it alone Streamlit, so only what lies below it is looked at. The package itself imports the
core, so that is always there.
"""

import ast
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "attnviz").rglob("*.py")
    if "ui" not in path.parts
)
PAGES = sorted((ROOT / "pages").glob("*.py"))


@dataclass(frozen=True)
class Layer:
    """The libraries beyond the standard one, and the parts of attnviz beyond the core, that a layer may import."""

    libraries: tuple[str, ...] = ("numpy",)
    own: tuple[str, ...] = ()


EVERYTHING = ("numpy", "regex", "markupsafe", "janome.tokenizer", "pandas", "plotly.graph_objects")
LAYERS = {
    "attnviz": Layer(),
    "attnviz.core": Layer(),
    "attnviz.figures": Layer(("numpy", "plotly.graph_objects", "regex"), ("attnviz.figures",)),
    "attnviz.kinds": Layer(own=("attnviz.kinds",)),
    "attnviz.words": Layer(("numpy", "markupsafe"), ("attnviz.words",)),
    "attnviz.text": Layer(("numpy", "regex", "janome.tokenizer"), ("attnviz.text",)),
    "attnviz.settings": Layer(
        ("numpy", "markupsafe"), ("attnviz.settings", "attnviz.edits", "attnviz.kinds", "attnviz.words")
    ),
    "attnviz.export": Layer(EVERYTHING, ("attnviz",)),
}
# Whatever else there is (lesson, formulas, ...): what a page tells, in numbers and words, without a picture.
STORY = Layer(("numpy", "regex", "markupsafe", "janome.tokenizer"), ("attnviz",))
NOT_IN_STORY = ("attnviz.ui", "attnviz.figures", "attnviz.export")

BROUGHT = {
    "numpy": ("_cython", "cython_runtime"),
    "plotly": ("_plotly_utils", "narwhals", "PIL", "packaging"),
}

# Imports the libraries (its arguments before "--"), then each module in a child of its own, and says what came in.
LOOK = """
import importlib, json, os, sys
cut = sys.argv.index("--")
for library in sys.argv[1:cut]:
    importlib.import_module(library)
there = set(sys.modules)
for module in sys.argv[cut + 1:]:
    if os.fork() == 0:
        importlib.import_module(module)
        print(json.dumps([module, sorted(set(sys.modules) - there)]), flush=True)
        os._exit(0)
    os.wait()
"""


def layer_of(module: str) -> Layer:
    """The layer of a module: the longest prefix in LAYERS that is the module or a package round it."""
    around = [module.rsplit(".", k)[0] for k in range(module.count(".") + 1)]
    named = [name for name in around if name in LAYERS and (name != "attnviz" or module == "attnviz")]
    return LAYERS[named[0]] if named else STORY


@cache
def loaded(libraries: tuple[str, ...]) -> tuple[dict[str, list[str]], str]:
    """What each module with these libraries loads besides them, and what went wrong where one is missing."""
    group = [module for module in MODULES if layer_of(module).libraries == libraries]
    run = subprocess.run(
        [sys.executable, "-c", LOOK, *libraries, "--", *group],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return dict(json.loads(line) for line in run.stdout.splitlines()), run.stderr


def companions(layer: Layer) -> set[str]:
    """The layer's libraries, which may load more of themselves and of what they bring along."""
    names = {library.split(".")[0] for library in layer.libraries}
    return names | {other for name in names for other in BROUGHT.get(name, ())}


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fresh interpreter for each module needs os.fork")
@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module: str) -> None:
    layer = layer_of(module)
    found, errors = loaded(layer.libraries)
    assert module in found, errors
    new = found[module]
    names = {name.split(".")[0] for name in new if not within(name, ("attnviz",))}
    libraries = {"_cython" if name.startswith("_cython_") else name for name in names}
    assert libraries - sys.stdlib_module_names - companions(layer) == set()
    own = [name for name in new if within(name, ("attnviz",)) and name != "attnviz"]
    assert [name for name in own if not within(name, ("attnviz.core", *layer.own))] == []
    assert [name for name in own if within(name, NOT_IN_STORY if layer is STORY else NOT_IN_STORY[:1])] == []


def test_there_is_a_module_for_every_layer_that_is_built() -> None:
    for name in ("attnviz.core", "attnviz.figures", "attnviz.settings"):
        assert [module for module in MODULES if layer_of(module) is LAYERS[name]]
    assert layer_of("attnviz.lesson") is layer_of("attnviz.formulas") is STORY


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_first_statement_of_a_page_sends_runs_without_the_frame_back(page: Path) -> None:
    body = ast.parse(page.read_text(encoding="utf-8")).body
    harmless = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    statements = [node for node in body[1:] if not isinstance(node, harmless)]
    assert ast.unparse(statements[0]) == "router.ensure()"


@pytest.mark.parametrize("script", [ROOT / "app.py", *PAGES], ids=lambda script: script.stem)
def test_scripts_import_the_upper_layers_only(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    assert {name.split(".")[0] for name in imported} <= {
        "streamlit",
        "attnviz",
        *sys.stdlib_module_names,
        *EVERYTHING,
    }
