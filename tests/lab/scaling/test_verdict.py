"""The verdict follows the losses, whoever wins."""

import math

import numpy as np
import pytest

from attnviz.lab.scaling.retrieval import Task
from attnviz.lab.scaling.training import Learned, Plan
from attnviz.lab.scaling.verdict import judge, overall

STEP_SIZES = (0.01, 0.1, 1.0)


def learned(scaled: list[float], unscaled: list[float]) -> Learned:
    """Losses of five runs round these, which keep their order run by run; the blind loss is .8."""
    spread = np.array([0.9, 0.95, 1.0, 1.05, 1.1])
    losses = np.array([scaled, unscaled])[:, :, None, None] * spread[:, None]  # (rule, step size, run, 1)
    plan = Plan(step_sizes=STEP_SIZES, task=Task(num_keys=5))
    return Learned(64, plan, np.array([0]), losses)


@pytest.mark.parametrize(
    ("scaled", "unscaled", "winners", "key"),
    [
        ([0.2, 0.2, 0.2], [0.4, 0.4, 0.4], "sss", "scaled_wins"),
        ([0.4, 0.4, 0.4], [0.2, 0.2, 0.2], "uuu", "unscaled_wins"),
        ([0.4, 0.2, 0.1], [0.2, 0.2, 0.4], "uts", "unscaled_small_scaled_large"),
        ([0.1, 0.2, math.inf], [0.2, 0.2, 0.4], "stu", "scaled_small_unscaled_large"),
        ([0.1, 0.4, 0.1], [0.2, 0.2, 0.2], "sus", "mixed"),
        ([0.2, 0.21, 0.9], [0.2, 0.2, 1.5], "ttn", "no_difference"),
        ([0.9, 0.2, math.inf], [1.5, 0.4, math.inf], "nsn", "scaled_wins"),
        ([0.9, 0.9, math.inf], [1.5, 0.9, math.inf], "nnn", "no_difference"),
    ],
)
def test_the_winner_at_each_step_size_and_the_pattern(
    scaled: list[float], unscaled: list[float], winners: str, key: str
) -> None:
    verdict = judge(learned(scaled, unscaled))
    assert "".join(winner[0] for winner in verdict.winners) == winners
    assert verdict.key == key


def test_swapping_the_two_swaps_the_verdict() -> None:
    one, other = (
        judge(learned([0.4, 0.2, 0.1], [0.2, 0.3, 0.4])),
        judge(learned([0.2, 0.3, 0.4], [0.4, 0.2, 0.1])),
    )
    assert (one.key, other.key) == ("unscaled_small_scaled_large", "scaled_small_unscaled_large")
    assert (one.best, other.best) == ("scaled", "unscaled")
    assert (one.scaled, one.unscaled) == (other.unscaled, other.scaled)


def test_best_losses_step_sizes_and_widths_are_reported() -> None:
    verdict = judge(learned([0.5, 0.3, 0.02], [0.3, 0.03, math.inf]))
    assert (verdict.scaled.loss, verdict.scaled.step_size, verdict.scaled.learned_at) == (0.02, 1.0, 2)
    assert (verdict.unscaled.loss, verdict.unscaled.step_size, verdict.unscaled.learned_at) == (0.03, 0.1, 2)
    assert (verdict.best, verdict.wider) == ("scaled", "tie")
    assert judge(learned([0.3, 0.3, 0.02], [0.3, 0.03, 0.9])).wider == "scaled"
    assert judge(learned([0.3, 0.9, 0.02], [0.3, 0.03, 0.3])).wider == "unscaled"


def test_a_difference_nobody_could_see_is_a_tie() -> None:
    assert judge(learned([0.2, 0.2, 0.2], [0.21, 0.21, 0.21])).best == "tie"


def test_runs_that_disagree_decide_nothing() -> None:
    """The medians differ by far, but only three runs of five are lower."""
    shown = learned([0.2, 0.2, 0.2], [0.4, 0.4, 0.4])
    shown.losses[0, 0, :, 0] = [0.1, 0.1, 0.1, 0.7, 0.7]
    assert judge(shown).winners == ("tie", "scaled", "scaled")


def test_where_every_run_diverged_there_is_no_best_step_size() -> None:
    verdict = judge(learned([math.inf] * 3, [0.2, 0.2, 0.2]))
    assert math.isinf(verdict.scaled.loss)
    assert math.isnan(verdict.scaled.step_size)
    assert (verdict.scaled.learned_at, verdict.best, verdict.key) == (0, "unscaled", "unscaled_wins")


def test_over_several_d_k_only_one_common_pattern_is_a_pattern() -> None:
    wins, loses = judge(learned([0.2] * 3, [0.4] * 3)), judge(learned([0.4] * 3, [0.2] * 3))
    assert overall([wins, wins]) == "scaled_wins"
    assert overall([wins, loses]) == "depends_on_d_k"
