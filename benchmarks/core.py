"""How fast the core is: its whole trace against the bare matrix products, and against torch where it is installed.

    python benchmarks/core.py            every size, about two minutes
    python benchmarks/core.py --quick    fewer repetitions, for a look

The floor is the six products of the definition, each into a new array, and nothing else: x W^Q, x W^K, x W^V, Q K^T,
A V and (A V) W^O, for all heads at once. torch is nn.MultiheadAttention with the weights of every head, which returns
the weights and the output only. One BLAS thread, the runs of all contestants take turns, the fastest of many counts.
"""

# ruff: noqa: E402 -- the number of threads must be set before NumPy is loaded

import os

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_threads] = "1"  # before NumPy is loaded

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from attnviz.core import AttentionTrace, MultiHeadAttention
from benchmarks.command import goal, is_quick

SIZES = (
    (8, 16, 2, 8),
    (16, 64, 4, 16),
    (32, 128, 8, 16),
    (64, 512, 8, 64),
    (128, 512, 8, 64),
    (512, 512, 8, 64),
    (1024, 768, 12, 64),
)
FLOOR_LIMITS = {(8, 16): 2.5, (64, 512): 1.25, (128, 512): 1.25, (512, 512): 2.0, (1024, 768): 1.7}
TORCH_LIMIT = 1.0
MEMORY_LIMIT = 1.05
BATCH = 8  # sentences
BATCH_LIMIT = 1.05  # of a sentence in a batch against one alone


def main() -> None:
    seconds = 0.4 if is_quick(__doc__, "a fifth of the repetitions") else 2.0
    goals: list[str] = []
    print(f"numpy {np.__version__}, torch {torch_version() or 'not installed'}, one thread")
    print(
        f"{'n':>5} {'d_model':>7} {'H':>3} {'d_k':>4} {'type':>8} {'trace us':>9} {'floor us':>9} {'torch us':>9}",
        end="",
    )
    print(f" {'/ floor':>8} {'/ torch':>8} {'peak / returned':>16}")
    for size in SIZES:
        for dtype in (np.float32, np.float64):
            goals += measure(size, np.dtype(dtype), seconds)
    print()
    print("\n".join(goals))


def measure(size: tuple[int, int, int, int], dtype: np.dtype[Any], seconds: float) -> Iterator[str]:
    """Print one line of the table, and yield the goals of this size."""
    n, d_model, num_heads, d_k = size
    layer = MultiHeadAttention.random(d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_k, seed=0).astype(
        dtype
    )
    x = np.random.default_rng(0).standard_normal((n, d_model)).astype(dtype)
    runs = {"trace": lambda: layer(x), "floor": bare_products(layer, x)}
    if torch_version():
        runs["torch"] = torch_layer(layer, x)
    if n <= 128:
        sentences = np.stack([x] * BATCH)  # (B, n, d_model)
        runs["batch"] = lambda: layer(sentences)
    time = fastest(runs, seconds)
    peak, returned = peak_memory(layer, x)
    over_floor, over_torch = time["trace"] / time["floor"], time["trace"] / time.get("torch", np.nan)
    print(f"{n:5} {d_model:7} {num_heads:3} {d_k:4} {dtype.name:>8}", end="")
    print("".join(f" {time.get(name, np.nan) * 1e6:9.1f}" for name in ("trace", "floor", "torch")), end="")
    print(f" {over_floor:8.2f} {over_torch:8.2f} {peak / returned:16.3f}", flush=True)

    name = f"({n},{d_model},{num_heads},{d_k}) {dtype.name}"
    if (n, d_model) in FLOOR_LIMITS:
        yield goal(f"trace/floor {name}", over_floor, FLOOR_LIMITS[n, d_model])
    if "torch" in time:
        yield goal(f"trace/torch {name}", over_torch, TORCH_LIMIT)
    if "batch" in time:
        yield goal(f"a sentence of a batch/alone {name}", time["batch"] / BATCH / time["trace"], BATCH_LIMIT)
    if n >= 128:
        yield goal(f"peak/returned {name}", peak / returned, MEMORY_LIMIT)


def fastest(runs: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The shortest time of one call of each, in seconds, the contestants taking turns."""
    repetitions = {}
    for name, run in runs.items():
        run()
        repetitions[name] = max(1, int(2e-3 / timed(run, 3)))
    best = dict.fromkeys(runs, np.inf)
    end = perf_counter() + seconds * len(runs)
    while perf_counter() < end:
        for name, run in runs.items():
            best[name] = min(best[name], timed(run, repetitions[name]))
    return best


def timed(run: Callable[[], object], repetitions: int) -> float:
    start = perf_counter()
    for _ in range(repetitions):
        run()
    return (perf_counter() - start) / repetitions


def bare_products(layer: MultiHeadAttention, x: np.ndarray) -> Callable[[], object]:
    w_q, w_k, w_v, w_o = (np.ascontiguousarray(w) for w in (layer.w_q, layer.w_k, layer.w_v, layer.w_o))

    def run() -> object:
        query, key, value = np.matmul(x, w_q), np.matmul(x, w_k), np.matmul(x, w_v)
        scores = np.matmul(query, key.swapaxes(-1, -2))
        return query, key, value, scores, np.matmul(np.matmul(scores, value), w_o)

    return run


def torch_version() -> str:
    try:
        import torch
    except ImportError:
        return ""
    return str(torch.__version__)


def torch_layer(layer: MultiHeadAttention, x: np.ndarray) -> Callable[[], object]:
    """nn.MultiheadAttention with our parameters; refuses to be timed unless it gives our output."""
    import torch

    torch.set_num_threads(1)
    module = torch.nn.MultiheadAttention(layer.d_model, layer.num_heads, bias=False, batch_first=True)
    module = module.to(torch.from_numpy(x).dtype).eval()
    columns = [w.transpose(0, 2, 1).reshape(-1, layer.d_model) for w in (layer.w_q, layer.w_k, layer.w_v)]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate(columns)))
        module.out_proj.weight.copy_(torch.from_numpy(layer.w_o.reshape(-1, layer.d_model).T.copy()))
    tokens = torch.from_numpy(x)[None]

    def run() -> Any:
        with torch.inference_mode():
            return module(tokens, tokens, tokens, need_weights=True, average_attn_weights=False)

    np.testing.assert_allclose(run()[0][0].numpy(), layer(x).output, rtol=1e-3, atol=1e-4)
    return run


def peak_memory(layer: MultiHeadAttention, x: np.ndarray) -> tuple[int, int]:
    """The most bytes in use at once during a call, and the bytes of the arrays it returns."""
    tracemalloc.start()
    trace = layer(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, sum(owner.nbytes for owner in owners(trace, x))


def owners(trace: AttentionTrace, x: np.ndarray) -> list[np.ndarray]:
    """The arrays that own the memory of a trace, without x, each once."""
    found = {}
    for field in fields(trace):
        array = getattr(trace, field.name)
        if isinstance(array, np.ndarray):
            while isinstance(array.base, np.ndarray):
                array = array.base
            if array is not x:
                found[id(array)] = array
    return list(found.values())


if __name__ == "__main__":
    main()
