"""What the worst links cost: CPU seconds and memory of whole pages, and of lessons against their formula.

    python benchmarks/cost.py            every page, three sizes, two score functions: about two minutes
    python benchmarks/cost.py --quick    one of the sizes

512 different words at the size limits, every answer shown. CPU seconds (user and system) of this process, one BLAS
thread; the most memory by tracemalloc in a second run. "/ formula" is the measured time over that of lesson/cost.py.
"""

# ruff: noqa: E402 -- the number of threads must be set before NumPy is loaded

import os

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_threads] = "1"  # before NumPy is loaded

import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from streamlit.testing.v1 import AppTest

from attnviz.lesson.budget import token_limit
from attnviz.lesson.cost import lesson_cost
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import DEFAULTS
from attnviz.ui.kit.kept import STORE
from benchmarks.command import goal, is_quick

PAGES = ("playground", "masks", "heads", "embedding", "scores")
WORDS = " ".join(f"w{i}" for i in range(512))
SIZES = {
    "many heads": {"num_heads": 16, "d_model": 128, "d_k": 512, "d_v": 512},
    "wide": {"num_heads": 4, "d_model": 512, "d_k": 512, "d_v": 512},
    "flat": {"num_heads": 16, "d_model": 512, "d_k": 128, "d_v": 128},
}
SECONDS, MEGABYTES, FORMULA = 1.0, 200.0, 2.0


def main() -> None:
    sizes = list(SIZES)[:1] if is_quick(__doc__, "one of the sizes") else list(SIZES)
    links = [(name, score) for name in sizes for score in ("additive", "gaussian")]
    goals = [line for name, score in links for line in lesson(name, score)]
    for page in PAGES:
        opened(page, {})  # what is imported and read once
        goals += [line for name, score in links for line in whole_page(page, name, score)]
    print()
    print("\n".join(goals))


def lesson(name: str, score: str) -> list[str]:
    """One lesson alone: its time over that of the formula."""
    settings = DEFAULTS.put(sentence=WORDS, score=score, **SIZES[name])
    n = token_limit(settings)
    formula = lesson_cost(settings, n, n).seconds
    started = process_time()
    make_lesson(replace(settings, seed=1))
    seconds = process_time() - started
    print(
        f"{'lesson':11} {name:11} {score:9} {n:4} tokens {seconds:6.2f} s, / formula {seconds / formula:.2f}"
    )
    ratio = max(seconds / formula, formula / seconds)
    return [goal(f"lesson {name} {score} formula", ratio, FORMULA, 2)]


def whole_page(page: str, name: str, score: str) -> list[str]:
    """One page, its seconds and its memory."""
    link = {"sentence": WORDS, "score": score, "reveal": "1"} | {n: str(v) for n, v in SIZES[name].items()}
    started = process_time()
    opened(page, link | {"seed": "1"})
    seconds = process_time() - started
    tracemalloc.start()
    opened(page, link | {"seed": "2"})
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"{page:11} {name:11} {score:9} {seconds:6.2f} s {peak:6.0f} MB", flush=True)
    title = f"{page} {name} {score}"
    return [goal(f"{title} s", seconds, SECONDS, 2), goal(f"{title} MB", peak, MEGABYTES, 0)]


def opened(page: str, link: dict[str, str]) -> None:
    """The page as a new session gets it, nothing kept from before."""
    for key in list(STORE._entries):
        del STORE._entries[key]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    if page != "playground":
        app.switch_page(f"pages/{page}.py")
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [exception.message for exception in app.exception]


if __name__ == "__main__":
    main()
