"""What the app needs and this Python has not."""

from pathlib import Path

import pytest

from attnviz.cli.needs import unmet

ROOT = Path(__file__).parents[2]


def test_where_the_tests_run_the_app_can_run() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert "streamlit" in text
    assert unmet(text) == []


@pytest.mark.parametrize(
    "line", ["attnviz-needs-no-such-package>=1", "numpy>=999", "streamlit[performance]>=999"]
)
def test_what_is_missing_or_too_old_is_named(line: str) -> None:
    assert unmet(f"# what is met\nnumpy>=2\n\n{line}  # why\n") == [line]
