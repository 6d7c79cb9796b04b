# ruff: noqa: E402 (the repository's root comes first, so that this runs without an installation)
"""Server time of a rerun with the board open, against a bare page that only draws the same figures.

    python benchmarks/board.py            about a minute
    python benchmarks/board.py --quick    fewer repetitions, for a look

n = 16 tokens, H = 8, d_model = 64; a focus moves from query to query.
"""

import sys
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest

from benchmarks.command import is_quick

LINK = {
    "sentence": "one two three four five six seven eight nine ten eleven twelve red green blue black",
    "num_heads": "8",
    "d_model": "64",
    "d_k": "8",
    "d_v": "8",
}


def bare(query: int) -> None:
    """A page with the two figures of the weights station and nothing else."""
    import streamlit as st

    from attnviz.figures.palette import PALETTES
    from attnviz.lesson.settings import change, from_link
    from attnviz.ui.kit.page.lessons import focus_of, lesson_of
    from attnviz.ui.kit.pictures.scene import Scene
    from attnviz.ui.kit.pictures.stations import picture
    from attnviz.words import Words

    settings, _ = change(from_link(st.session_state["link"])[0], query=query)
    lesson = lesson_of(settings)
    assert lesson is not None
    shown = picture("weights", Scene(lesson, focus_of(lesson), Words("en"), PALETTES["light"]))
    st.plotly_chart(shown.main, theme=None, key="main")
    st.plotly_chart(shown.heads, theme=None, key="heads")


def seconds(app: AppTest, change: str, runs: int) -> float:
    """The median time of a rerun after the focus has moved."""
    times = []
    for run in range(runs):
        if change == "query":
            app.session_state["session"].settings = _moved(app, run % 16)
        else:
            app.args = (run % 16,)
        start = perf_counter()
        app.run(timeout=60)
        times.append(perf_counter() - start)
    assert not app.exception
    return median(times)


def _moved(app: AppTest, query: int):  # type: ignore[no-untyped-def]
    from attnviz.lesson.settings import change

    return change(app.session_state["session"].settings, query=query)[0]


def playground(**link: str) -> AppTest:
    """The playground with this link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params.update(LINK | link)
    return app.run()


def main() -> None:
    """Print the table."""
    runs = 5 if is_quick(__doc__, "a third of the repetitions") else 15
    plain = AppTest.from_function(bare, default_timeout=60, args=(0,))
    plain.session_state["link"] = LINK
    floor = seconds(plain.run(), "args", runs)
    print(f"{'page':<28}{'ms':>8}{'ratio':>8}")
    print(f"{'only the two figures':<28}{floor * 1000:>8.1f}{1:>8.2f}")
    for name, link in (("playground", {}), ("playground, board open", {"ask": "weights"})):
        took = seconds(playground(**link), "query", runs)
        print(f"{name:<28}{took * 1000:>8.1f}{took / floor:>8.2f}")


if __name__ == "__main__":
    main()
