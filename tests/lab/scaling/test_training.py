"""The experiment on learning: fair, nested, deterministic, and it learns."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from attnviz.lab.scaling.nested_draws import generator
from attnviz.lab.scaling.retrieval import Examples, Head, Task, forward, gradients
from attnviz.lab.scaling.training import RULES, Learned, Plan, Progress, examples_of, first_head, train

SMALL = Plan(
    d_k=(3, 5),
    step_sizes=(0.1, 0.7),
    runs=4,
    steps=7,
    record_every=3,
    batch=6,
    held_out=9,
    task=Task(num_keys=5, content=3, value=2),
)


def last(plan: Plan) -> Progress:
    return list(train(plan))[-1]


def test_progress_comes_at_every_recorded_step_and_ends_at_1() -> None:
    seen = list(train(SMALL))
    assert SMALL.recorded == (0, 3, 6, 7)
    assert [one.current.d_k for one in seen] == [3] * 4 + [5] * 4
    assert [one.current.steps.tolist() for one in seen[:4]] == [[0], [0, 3], [0, 3, 6], [0, 3, 6, 7]]
    assert [one.current.losses.shape for one in seen[:4]] == [(2, 2, 4, count) for count in (1, 2, 3, 4)]
    assert [len(one.finished) for one in seen] == [0, 0, 0, 1, 1, 1, 1, 2]
    fractions = [one.fraction for one in seen]
    assert fractions == sorted(fractions)
    assert (fractions[3], fractions[-1]) == (0.5, 1.0)


def test_what_was_seen_stays_as_it_was() -> None:
    seen = list(train(SMALL))
    for early, late in itertools.pairwise(seen[:4]):
        assert np.array_equal(late.current.losses[..., :-1], early.current.losses)


def test_it_can_be_stopped_at_any_time() -> None:
    steps = train(SMALL)
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert list(steps) == []


def test_the_same_seed_gives_the_same_losses_and_another_one_others() -> None:
    first, again, other = (last(replace(SMALL, seed=seed)).current.losses for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.isin(first, other).any()


def test_all_step_sizes_begin_from_the_same_loss() -> None:
    start = last(SMALL).current.losses[..., 0]  # (rule, step size, run)
    assert np.array_equal(start[:, 0], start[:, 1])
    assert len(np.unique(start[:, 0])) == 8


def test_a_larger_d_k_has_further_columns_and_one_more_run_leaves_the_others() -> None:
    small, large = first_head(SMALL, 3), first_head(replace(SMALL, runs=5), 5)
    for name in ("w_q", "w_k"):
        assert np.array_equal(getattr(large, name)[:4, :, :3], getattr(small, name))
    assert np.array_equal(large.w_v[:4], small.w_v)
    assert not np.isin(small.w_q, small.w_k).any()


def test_queries_and_keys_begin_with_components_of_variance_1() -> None:
    plan = replace(SMALL, runs=9)
    numbers = first_head(plan, 512).w_q * math.sqrt(plan.task.d_model)
    assert abs((numbers**2).mean() - 1.0) <= 4 * math.sqrt(2.0 / numbers.size)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("run", [0, 3])
def test_a_run_is_sgd_by_hand(rule: str, size: int, run: int) -> None:
    """Each run alone, with only the gradients of the tested head: W <- W - step * gradient on new examples."""
    learned = last(SMALL).current
    start = first_head(SMALL, 5)
    head = Head(*(matrix[run].copy() for matrix in (start.w_q, start.w_k, start.w_v)))
    divisor = np.array({"sqrt_d_k": math.sqrt(5), "none": 1.0}[rule])
    lessons, held_out = generator(0, "learn_task", run), generator(0, "learn_held_out", run)

    def one(chance: np.random.Generator, count: int) -> Examples:
        drawn = examples_of(SMALL, [chance], count)
        return Examples(drawn.query[0], drawn.source[0], drawn.target[0])

    for _ in range(SMALL.steps):
        batch = one(lessons, SMALL.batch)
        slope = gradients(head, batch, divisor, forward(head, batch, divisor))
        step = SMALL.step_sizes[size]
        head = Head(head.w_q - step * slope.w_q, head.w_k - step * slope.w_k, head.w_v - step * slope.w_v)
    expected = forward(head, one(held_out, SMALL.held_out), divisor).loss
    assert math.isclose(learned.final[RULES.index(rule), size, run], expected, rel_tol=1e-10)


def test_a_run_that_diverges_is_infinite_from_then_on_and_disturbs_no_other() -> None:
    wild = last(replace(SMALL, step_sizes=(0.1, 1e6, 0.7), steps=30))
    calm = last(replace(SMALL, steps=30))
    for with_wild, without in zip(wild.finished, calm.finished, strict=True):
        assert np.isinf(with_wild.losses[:, 1, :, 1:]).all()
        assert np.isfinite(with_wild.losses[:, 1, :, 0]).all()
        assert with_wild.diverged.tolist() == [[0, 4, 0], [0, 4, 0]]
        assert np.isinf(with_wild.median_final[:, 1]).all()
        np.testing.assert_allclose(with_wild.losses[:, [0, 2]], without.losses, rtol=1e-10)


def test_a_run_stays_diverged_when_another_one_follows() -> None:
    losses = last(replace(SMALL, d_k=(5,), step_sizes=(1e6, 8.0), steps=30, record_every=1)).current.losses
    diverged = np.isinf(losses)
    assert not (diverged[..., :-1] & ~diverged[..., 1:]).any()
    first = diverged.argmax(axis=-1)  # (rule, step size, run)
    assert (first[:, 0] < first[:, 1]).all()
    assert diverged[..., -1].all()


def test_medians_are_over_the_runs() -> None:
    losses = np.zeros((2, 1, 3, 1))
    losses[:, 0, :, 0] = [[3.0, 1.0, np.inf], [np.inf, 2.0, np.inf]]
    learned = Learned(4, replace(SMALL, step_sizes=(0.1,), runs=3), np.array([0]), losses)
    assert learned.median_final.tolist() == [[3.0], [np.inf]]
    assert learned.diverged.tolist() == [[1], [2]]


def test_a_head_learns_to_retrieve() -> None:
    """Below the loss of whoever does not look, in every run, with the scale and without."""
    plan = Plan(d_k=(16,), step_sizes=(0.3,), runs=3, steps=300, record_every=300)
    learned = last(plan).current
    assert (learned.losses[..., 0] > plan.task.blind_loss).all()
    assert (learned.final < plan.task.blind_loss).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"d_k": (0,)}, "d_k must be a whole number from 1 to 512; got 0"),
        ({"runs": 10}, "runs must be a whole number from 1 to 9; got 10"),
        ({"step_sizes": ()}, "number_of_step_sizes must be a whole number from 1 to 9; got 0"),
        ({"step_sizes": (0.1, -1.0)}, r"step_sizes must be positive numbers; got \(0.1, -1.0\)"),
        ({"steps": 0}, "steps must be a whole number from 1 to 2000; got 0"),
        ({"record_every": 1000}, "record_every must be a whole number from 1 to 600; got 1000"),
        ({"batch": 513}, "batch must be a whole number from 1 to 512; got 513"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Plan(**settings)  # type: ignore[arg-type]
