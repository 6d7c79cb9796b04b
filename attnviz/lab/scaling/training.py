"""Learning with the scale and without it: one head trained at many step sizes, seed by seed, as a generator."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from attnviz.core.arrays import Array
from attnviz.lab.scaling.limits import LIMIT_D_K_EXACT, require_whole
from attnviz.lab.scaling.nested_draws import generator
from attnviz.lab.scaling.retrieval import Examples, Forward, Head, Task, draw_examples, forward, gradients

RULES = ("sqrt_d_k", "none")  # the first axis of every loss array
STEP_SIZES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
DIVERGED = 1e6  # mean squared error; a head begins below 3


@dataclass(frozen=True)
class Plan:
    """What is trained: for each d_k, with and without the scale, each step size on `runs` seeds, `steps` steps of SGD.

    Each step sees `batch` new examples; every `record_every` steps the loss on `held_out` other examples is
    recorded.
    """

    d_k: tuple[int, ...] = (4, 64, 512)
    step_sizes: tuple[float, ...] = STEP_SIZES
    runs: int = 5
    steps: int = 600
    record_every: int = 20
    batch: int = 32
    held_out: int = 256
    seed: int = 0
    task: Task = field(default_factory=Task)

    def __post_init__(self) -> None:
        for width in self.d_k:
            require_whole(1, LIMIT_D_K_EXACT, d_k=width)
        require_whole(
            1, 9, runs=self.runs, number_of_step_sizes=len(self.step_sizes), number_of_d_k=len(self.d_k)
        )
        require_whole(1, 2000, steps=self.steps)
        require_whole(1, self.steps, record_every=self.record_every)
        require_whole(1, 512, batch=self.batch, held_out=self.held_out)
        if not all(0.0 < size < math.inf for size in self.step_sizes):
            raise ValueError(f"step_sizes must be positive numbers; got {self.step_sizes}")

    @property
    def recorded(self) -> tuple[int, ...]:
        """The steps after which the loss is recorded: 0, and the last one always."""
        return (*range(0, self.steps, self.record_every), self.steps)


@dataclass(frozen=True, eq=False)
class Learned:
    """Held-out losses at one d_k so far: steps (t,), losses (rule, step size, run, t), inf where a run diverged."""

    d_k: int
    plan: Plan
    steps: Array
    losses: Array

    @property
    def final(self) -> Array:
        """The last losses, shape (rule, step size, run)."""
        return self.losses[..., -1]

    @property
    def median_final(self) -> Array:
        """Median over the runs, shape (rule, step size); inf where most of them diverged."""
        return np.asarray(np.median(self.final, axis=-1))

    @property
    def diverged(self) -> Array:
        """How many runs diverged, shape (rule, step size)."""
        return np.asarray(np.isinf(self.final).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Progress:
    """fraction of the whole grid that is done (0 to 1), the d_k at work, and the d_k that are finished."""

    fraction: float
    current: Learned
    finished: tuple[Learned, ...]


def train(plan: Plan) -> Iterator[Progress]:
    """Train the grid of the plan, yielding at every recorded step; stop by not asking for more.

    All runs of one d_k go side by side. Those with and without the scale, and those of all step sizes, begin
    from the same matrices and see the same examples; so do all d_k, a larger one having more columns of W_q
    and W_k.
    """
    finished: tuple[Learned, ...] = ()
    for number, d_k in enumerate(plan.d_k):
        for current in _train_one(plan, d_k):
            done = (number + current.steps[-1] / plan.steps) / len(plan.d_k)
            if current.steps[-1] == plan.steps:
                finished = (*finished, current)
            yield Progress(float(done), current, finished)


def first_head(plan: Plan, d_k: int) -> Head:
    """The matrices from which run after run begins, entries N(0, 1/d_model): w_q, w_k (run, d_model, d_k), w_v.

    The components of q and k then have variance 1 at the start.
    """
    d_model = plan.task.d_model

    def columns(stream: str, size: int) -> Array:
        drawn = [
            generator(plan.seed, stream, run).standard_normal((size, d_model)) for run in range(plan.runs)
        ]
        return np.array(drawn).swapaxes(-1, -2) / math.sqrt(d_model)

    return Head(columns("learn_w_q", d_k), columns("learn_w_k", d_k), columns("learn_w_v", plan.task.value))


def examples_of(plan: Plan, chances: Sequence[np.random.Generator], count: int) -> Examples:
    """The next `count` examples of each run: query (run, count, d_model) and so on."""
    drawn = [draw_examples(plan.task, chance, count) for chance in chances]
    return Examples(
        *(np.stack([getattr(one, name) for one in drawn]) for name in ("query", "source", "target"))
    )


class _Grid:
    """The heads of all runs at one d_k, arrays with the leading axes (rule, step size, run), trained side by side."""

    def __init__(self, plan: Plan, d_k: int) -> None:
        shape = (len(RULES), len(plan.step_sizes), plan.runs)
        start = first_head(plan, d_k)
        matrices = (
            np.broadcast_to(w, (*shape, *w.shape[1:])).copy() for w in (start.w_q, start.w_k, start.w_v)
        )
        self.head = Head(*matrices)
        self.divisor = np.broadcast_to(np.array([math.sqrt(d_k), 1.0])[:, None, None], shape)
        self.step = np.broadcast_to(np.array(plan.step_sizes)[:, None], shape).copy()
        self.diverged = np.zeros(shape, dtype=bool)

    def descend(self, examples: Examples) -> None:
        """One step of SGD."""
        slope = gradients(self.head, examples, self.divisor, self._forward(examples))
        for name in ("w_q", "w_k", "w_v"):
            gradient, matrix = getattr(slope, name), getattr(self.head, name)
            gradient *= self.step[..., None, None]
            matrix -= gradient

    def losses(self, examples: Examples) -> Array:
        """The loss of each run, inf for those that have diverged."""
        loss = self._forward(examples).loss
        return np.where(self.diverged, np.inf, loss)

    def _forward(self, examples: Examples) -> Forward:
        """The forward pass; runs that turn out to have diverged are put to 0 and stay there."""
        with np.errstate(over="ignore", invalid="ignore"):
            done = forward(self.head, examples, self.divisor)
            broken = ~(done.loss < DIVERGED)  # NaN too
        if not broken.any():
            return done
        self.diverged |= broken
        self.step[broken] = 0.0
        for matrix in (self.head.w_q, self.head.w_k, self.head.w_v):
            matrix[broken] = 0.0
        return forward(self.head, examples, self.divisor)


def _train_one(plan: Plan, d_k: int) -> Iterator[Learned]:
    """The training at one d_k, after every recorded step."""
    lessons = [generator(plan.seed, "learn_task", run) for run in range(plan.runs)]
    tests = [generator(plan.seed, "learn_held_out", run) for run in range(plan.runs)]
    held_out = examples_of(plan, tests, plan.held_out)
    grid = _Grid(plan, d_k)
    recorded = plan.recorded
    losses = np.empty((*grid.step.shape, len(recorded)))
    for index, until in enumerate(recorded):
        for _ in range(until - recorded[max(index - 1, 0)]):
            grid.descend(examples_of(plan, lessons, plan.batch))
        losses[..., index] = grid.losses(held_out)
        yield Learned(d_k, plan, np.array(recorded[: index + 1]), losses[..., : index + 1].copy())
