"""docs/notebook.md: each block of Python runs after those before it, and prints what stands below it."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

TEXT = (Path(__file__).parents[1] / "docs/notebook.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_every_example_prints_what_stands_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(EXAMPLES) == TEXT.count("```python") > 0
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code, expected in EXAMPLES:
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "docs/notebook.md", "exec"), names)
        assert out.getvalue() == expected
