"""How fast the page on sqrt(d_k) is answered: each control's computation at its limits, time and memory.

    python benchmarks/scaling.py            about two minutes
    python benchmarks/scaling.py --quick    fewer repetitions and no training, for a look

The sweep of the variance over 13 values of d_k is also compared with NumPy drawing the same random numbers and doing
nothing with them. One BLAS thread; the fastest of a few runs counts, which take turns where two are compared. Memory is
the peak of what Python and NumPy allocate (tracemalloc), in a run of its own. Then the page itself, all its steps open and
every other setting at its limit: a rerun of the app (AppTest) for each control, at a value that it has not had before.
"""

# ruff: noqa: E402 -- the number of threads must be set before NumPy is loaded

import os

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_threads] = "1"  # before NumPy is loaded

import logging
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from attnviz.lab.scaling.components import COMPONENTS
from attnviz.lab.scaling.cures import CURES
from attnviz.lab.scaling.jacobian import softmax_jacobian
from attnviz.lab.scaling.limits import LIMIT_D_K, LIMIT_D_K_EXACT, LIMIT_DRAWS, LIMIT_KEYS, LIMIT_TOKENS
from attnviz.lab.scaling.measured import D_K_SWEEP, histogram, sample_scores, variance_sweep
from attnviz.lab.scaling.nested_draws import generator
from attnviz.lab.scaling.softmax_sweep import gradient_sweep, weight_example, weight_sweep
from attnviz.lab.scaling.token_count import entropy_by_keys, variance_by_d_k, variance_by_tokens
from attnviz.lab.scaling.training import Plan, train
from attnviz.lab.scaling.verdict import judge
from benchmarks.command import goal, is_quick

SECONDS_LIMIT, MEGABYTES_LIMIT, RATIO_LIMIT, TRAINING_LIMIT = 1.0, 200.0, 1.5, 30.0
SWEEP_DRAWS = 20_000


def main() -> None:
    quick = is_quick(__doc__, "one repetition, no training")
    goals: list[str] = []
    print(f"numpy {np.__version__}, one thread\n{'control at its limits':44} {'seconds':>8} {'MB':>7}")
    for name, answer in CONTROLS.items():
        seconds, megabytes = fastest(answer, 1 if quick else 3), peak_megabytes(answer)
        print(f"{name:44} {seconds:8.3f} {megabytes:7.1f}", flush=True)
        goals.append(goal(f"seconds {name}", seconds, SECONDS_LIMIT))
        goals.append(goal(f"MB {name}", megabytes, MEGABYTES_LIMIT))
    print(f"\n{'a rerun of the page, all at the limits':44} {'seconds':>8}")
    for name, seconds in page_answers(1 if quick else 3):
        print(f"{name:44} {seconds:8.3f}", flush=True)
        goals.append(goal(f"seconds page: {name}", seconds, SECONDS_LIMIT))
    goals.append(goal("sweep of 13 d_k / NumPy drawing", sweep_ratio(10 if quick else 60), RATIO_LIMIT))
    if not quick:
        goals.append(goal("seconds the whole training grid", fastest(train_all, 1), TRAINING_LIMIT))
    print()
    print("\n".join(goals))


def sample(distribution: str, d_k: int) -> Callable[[], object]:
    """The histograms of a sample, scaled and not, with the moments."""

    def answer() -> object:
        drawn = sample_scores(d_k, LIMIT_DRAWS, 0, distribution, d_model=512)
        return (
            histogram(drawn.scores, drawn.moments.law),
            histogram(drawn.scaled, drawn.scaled_moments.law),
        )

    return answer


def example() -> object:
    return {
        rule: softmax_jacobian(weights)
        for rule, weights in weight_example(LIMIT_D_K, num_keys=LIMIT_KEYS).weights.items()
    }


def train_all() -> object:
    progress = list(train(Plan()))[-1]
    return [judge(learned) for learned in progress.finished]


def sweep_ratio(rounds: int) -> float:
    """variance_sweep over NumPy drawing the same chi-square and normal numbers."""

    def draw() -> None:
        for d_k in D_K_SWEEP:
            source = generator(0, "variance", d_k)
            source.chisquare(d_k, SWEEP_DRAWS)
            source.standard_normal(SWEEP_DRAWS)

    ours, bare = np.inf, np.inf
    for _ in range(rounds):
        ours = min(ours, timed(lambda: variance_sweep(SWEEP_DRAWS, 0)))
        bare = min(bare, timed(draw))
    print(
        f"\nsweep of 13 d_k, {SWEEP_DRAWS} draws each: {ours * 1e3:.2f} ms; NumPy drawing: {bare * 1e3:.2f} ms"
    )
    return ours / bare


def page_answers(repetitions: int) -> Iterator[tuple[str, float]]:
    """Each control's name, and how long the whole page takes to answer it."""
    logging.disable(logging.CRITICAL)  # Streamlit's remarks on running without a browser
    page(seed=1)  # imports
    yield "opened for the first time", min(timed(lambda n=n: page(seed=2 + n)) for n in range(repetitions))  # type: ignore[misc]
    app = page(seed=0)
    for name, values in TURNED.items():
        took = []
        for value in values[:repetitions]:
            app.query_params[name] = str(value)
            took.append(timed(app.run))
            assert not app.exception
        yield name, min(took)


def page(**values: object) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    for name, value in (AT_LIMITS | values).items():
        app.query_params[name] = str(value)
    app.switch_page("pages/scaling.py")
    app.run()
    assert not app.exception
    return app


def fastest(answer: Callable[[], object], repetitions: int) -> float:
    return min(timed(answer) for _ in range(repetitions))


def timed(answer: Callable[[], object]) -> float:
    start = perf_counter()
    answer()
    return perf_counter() - start


def peak_megabytes(answer: Callable[[], object]) -> float:
    tracemalloc.start()
    answer()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


AT_LIMITS: dict[str, object] = {
    "sentence": " ".join(f"w{i}" for i in range(200)),
    **dict.fromkeys(("d_model", "d_k", "d_v"), 512),
    "num_heads": 16,
    "draws": LIMIT_DRAWS,
    "num_keys": LIMIT_KEYS,
    "many_tokens": LIMIT_TOKENS,
    "reveal": 1,
}
TURNED: dict[str, tuple[object, ...]] = {
    "draws": (199_000, 198_000, 197_000),
    "num_keys": (63, 62, 61),
    "many_tokens": (2047, 2046, 2045),
    "d_k": (511, 510, 509),
    "d_model": (511, 510, 509),
    "num_heads": (15, 14, 13),
    "distribution": ("uniform", "xavier"),
    "cure_temperature": (9, 10, 11),
    "cure_beta": (6, 7, 8),
    "vector_size": (2, 3, 4),
    "sentence": ("one two", "one two three", "one two three four"),
    "seed": (101, 102, 103),
}

CONTROLS: dict[str, Callable[[], object]] = {
    **{f"sample {name}, d_k {d_k}": sample(name, d_k) for name in COMPONENTS for d_k in (1, 512, LIMIT_D_K)},
    **{
        f"variance sweep {name}": lambda name=name: variance_sweep(LIMIT_DRAWS, 0, name)  # type: ignore[misc]
        for name in COMPONENTS
    },
    **{
        f"softmax sweep, {keys} keys": lambda keys=keys: weight_sweep(num_keys=keys, draws=LIMIT_DRAWS)  # type: ignore[misc]
        for keys in (2, 10, LIMIT_KEYS)
    },
    **{
        f"gradient sweep, {keys} keys": lambda keys=keys: gradient_sweep(num_keys=keys, draws=LIMIT_DRAWS)  # type: ignore[misc]
        for keys in (2, 10, LIMIT_KEYS)
    },
    **{
        f"all cures, {keys} keys": lambda keys=keys: weight_sweep(
            tuple(CURES), num_keys=keys, draws=LIMIT_DRAWS
        )  # type: ignore[misc]
        for keys in (2, 10, LIMIT_KEYS)
    },
    "example and its Jacobians": example,
    "variance against tokens": lambda: variance_by_tokens(LIMIT_D_K_EXACT, 0),
    "variance against d_k": lambda: variance_by_d_k(LIMIT_TOKENS, 0),
    "entropy against keys": lambda: entropy_by_keys(LIMIT_D_K_EXACT, 0),
    "first curve of the training": lambda: next(train(Plan())),
}


if __name__ == "__main__":
    main()
