"""A page is a folder, its words and one thin file: added to a copy of the tree it opens, in its place and any language."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.pages.app import ROOT

PARTS = ("app.py", "attnviz", "pages", ".streamlit")
FILES = {
    "attnviz/ui/lessons/twins/__init__.py": '"""Do equal words get equal weights?"""\n\nPLACE = 25\n',
    "attnviz/ui/lessons/twins/page.py": (
        "from attnviz.ui.kit.page.lesson_page import lesson_page\n"
        "from attnviz.ui.kit.page.steps import Step\n"
        "from attnviz.ui.kit.text.prose import prose\n\n\n"
        "def page():\n"
        '    lesson_page("twins", lambda scene: [Step("first", lambda: prose(scene.words.html("twins.first.text")))],\n'
        '                terms=("token",))\n'
    ),
    "attnviz/words/en/twins.toml": (
        'menu = "Equal words"\ntitle = "Do equal words get equal weights?"\n\n'
        '[first]\ntitle = "Two of them"\ntext = "They do."\n'
    ),
    "pages/twins.py": (
        '"""Do equal words get equal weights?"""\n\nfrom attnviz.ui.app import router\n'
        "from attnviz.ui.lessons.twins.page import page\n\nrouter.ensure()\npage()\n"
    ),
}
# In a process of its own, which has the copy's modules.
OPEN = """
import sys
from streamlit.testing.v1 import AppTest
for language in ("en", "ja"):
    app = AppTest.from_file("app.py", default_timeout=60)
    app.query_params["language"] = language
    app.switch_page("pages/twins.py")
    app.run()
    assert not app.exception, [error.message for error in app.exception]
    print(*[link.proto.label for link in app.get("page_link")], sep="|")
    print(app.title[0].value, *[header.value for header in app.header], sep="|")
    print("They do." in "".join(str(element.proto.body) for element in app.get("html")))
"""


def test_a_page_is_a_folder_its_words_and_one_thin_file(tmp_path: Path) -> None:
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", OPEN],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    english, title, said, japanese, *other = run.stdout.splitlines()
    assert english.split("|")[:5] == [
        "Playground",
        "Words to vectors",
        "Score functions",
        "**Equal words**",
        "Why √dₖ?",
    ]
    assert japanese.split("|")[2:4] == ["スコア関数", "**Equal words**"]
    assert [title, said] == other == ["Do equal words get equal weights?|1. Two of them", "True"]
