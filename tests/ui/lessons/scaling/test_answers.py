"""Which guess is right follows from the numbers: turn them, and another guess is right."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.lab.scaling.cures import Knobs
from attnviz.lab.scaling.measured import variance_sweep
from attnviz.lab.scaling.softmax_sweep import gradient_sweep, weight_sweep
from attnviz.lab.scaling.token_count import variance_by_tokens
from attnviz.lab.scaling.training import Learned, Plan
from attnviz.lab.scaling.verdict import judge
from attnviz.lesson.settings import DEFAULTS
from attnviz.ui.lessons.scaling import answers
from attnviz.ui.lessons.scaling.cached import CURED
from attnviz.ui.lessons.scaling.sentence import sentence_sweep

DRAWS = 2_000


def test_a_sentence_hardens_or_stays_or_evens_out() -> None:
    found = sentence_sweep(DEFAULTS)
    assert found is not None
    assert answers.sentence(found) == answers.THIRD
    alike = sentence_sweep(replace(DEFAULTS, sentence="a a a"))
    assert alike is not None
    assert answers.sentence(alike) == answers.FIRST
    backwards = replace(found, unscaled=found.unscaled[::-1])
    assert answers.sentence(backwards) == answers.SECOND


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
@pytest.mark.parametrize(
    ("power", "answer"), [(0.0, answers.FIRST), (0.5, answers.SECOND), (1.0, answers.THIRD)]
)
def test_the_variance_goes_like_the_nearest_power(distribution: str, power: float, answer: int) -> None:
    found = variance_sweep(DRAWS, 3, distribution)
    turned = replace(found, variance=found.variance / found.d_k ** (1.0 - power))
    assert answers.cause(turned) == answer


def test_the_largest_weight_is_sorted_by_a_half_and_nine_tenths() -> None:
    ten = weight_sweep(num_keys=10, draws=DRAWS)
    assert answers.softmax(ten) == answers.THIRD  # .95 at d_k = 512 (facts: .933 at 256, .967 at 1024)
    for low, answer in ((2.0, answers.FIRST), (1.2, answers.SECOND)):
        spread = ten.measured["largest"].spread
        fewer = replace(spread["none"], mean=spread["none"].mean / low)
        measured = replace(ten.measured["largest"], spread={**spread, "none": fewer})
        assert answers.softmax(replace(ten, measured={"largest": measured})) == answer


def test_the_gradient_at_q_vanishes_typically_and_grows_on_average() -> None:
    # facts.md, d_k 512 lies between 256 and 1024: median .300 / .023 and .297 / .000, mean .323 / 1.106 and up.
    assert answers.gradient(gradient_sweep(num_keys=10, draws=DRAWS)) == answers.THIRD


def test_of_a_gradient_that_only_shrinks_it_is_said_that_it_vanishes_and_the_other_way_round() -> None:
    found = gradient_sweep(num_keys=10, draws=DRAWS)
    # At the numbers softmax receives both, median and mean, become smaller.
    measured = {"at_query": found.measured["at_input"]}
    assert answers.gradient(replace(found, measured=measured)) == answers.FIRST
    spread, difference = found.measured["at_input"].spread, found.measured["at_input"].difference["none"]
    turned = replace(
        found.measured["at_input"],
        spread={"none": spread["sqrt_d_k"], "sqrt_d_k": spread["none"]},
        difference={"none": replace(difference, mean=-difference.mean)},
    )
    assert answers.gradient(replace(found, measured={"at_query": turned})) == answers.SECOND


def learned(scaled: float, unscaled: float, d_k: int = 4) -> Learned:
    """Runs that all ended with these losses, whatever the step size."""
    plan = Plan(d_k=(d_k,))
    losses = np.empty((2, len(plan.step_sizes), plan.runs, 1))
    losses[0], losses[1] = scaled, unscaled
    return Learned(d_k, plan, np.array([plan.steps]), losses)


def test_who_learns_better_follows_from_the_losses() -> None:
    assert answers.learning(()) == 0
    better, worse = judge(learned(0.1, 0.5)), judge(learned(0.5, 0.1, 64))
    assert answers.learning((better,)) == answers.FIRST
    assert answers.learning((worse,)) == answers.SECOND
    assert answers.learning((better, worse)) == answers.THIRD
    assert answers.learning((judge(learned(0.5, 0.5)),)) == answers.THIRD


@pytest.mark.parametrize("d_k", [1, 4, 64, 512])
def test_the_variance_stays_with_the_number_of_tokens(d_k: int) -> None:
    found = variance_by_tokens(d_k, 0)
    assert answers.wrong(found) == answers.SECOND
    jump = 10.0 * found.error[0]
    assert answers.wrong(replace(found, variance=found.variance + np.linspace(0, jump, 9))) == answers.FIRST
    assert answers.wrong(replace(found, variance=found.variance - np.linspace(0, jump, 9))) == answers.THIRD


def test_the_cure_that_moves_least_is_found_whichever_it_is() -> None:
    def least(**knobs: float) -> int:
        return answers.cures(weight_sweep(CURED, draws=DRAWS, knobs=Knobs(**knobs)))  # type: ignore[arg-type]

    assert least() == answers.THIRD
    assert least(beta=0.5) == answers.SECOND  # flat at every d_k
    # With small vectors and a temperature no smaller, q.k / T is near 0 up to d_k = 4096.
    assert least(temperature=64.0, size=0.25) == answers.FIRST
