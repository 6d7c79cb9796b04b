"""What the training of scale_training.py came to: never a typed conclusion, always chosen from the losses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from attnviz.lab.scaling.training import RULES, Learned

NOTICEABLE = 1.1  # a ratio of losses that can be seen on the page's logarithmic axis
AGREEING = 0.8  # of the runs: four of five
LEARNED = 0.5  # of the loss without looking

SCALED, UNSCALED, TIE, NEITHER = "scaled", "unscaled", "tie", "neither"


@dataclass(frozen=True)
class Best:
    """The lowest median loss over the step sizes, where it is, and at how many step sizes the head learned at all."""

    loss: float
    step_size: float
    learned_at: int


@dataclass(frozen=True)
class Verdict:
    """The summary of one d_k.

    key, from the step sizes at which one of the two won: "scaled_wins", "unscaled_wins",
    "unscaled_small_scaled_large", "scaled_small_unscaled_large", "mixed" or "no_difference". best is
    "scaled", "unscaled" or "tie", by the best loss of each; wider the same, by the number of step sizes at
    which it learned. winners has one entry a step size: "scaled", "unscaled", "tie", or "neither" where no
    median is below the loss without looking.
    """

    d_k: int
    key: str
    best: str
    wider: str
    scaled: Best
    unscaled: Best
    winners: tuple[str, ...]
    step_sizes: tuple[float, ...]


def judge(learned: Learned) -> Verdict:
    """The verdict on one d_k.

    At a step size one rule wins if its median final loss is lower by more than a tenth and it is lower in
    four runs of five, run against run on the same examples.
    """
    plan = learned.plan
    winners = tuple(_winner(learned, index) for index in range(len(plan.step_sizes)))
    scaled, unscaled = (_best(learned, rule) for rule in range(len(RULES)))
    return Verdict(
        d_k=learned.d_k,
        key=_pattern(winners),
        best=_lower(scaled.loss, unscaled.loss),
        wider=_wider(scaled.learned_at, unscaled.learned_at),
        scaled=scaled,
        unscaled=unscaled,
        winners=winners,
        step_sizes=plan.step_sizes,
    )


def overall(verdicts: Sequence[Verdict]) -> str:
    """The key on which all d_k agree; "depends_on_d_k" where they do not."""
    keys = {verdict.key for verdict in verdicts}
    return keys.pop() if len(keys) == 1 else "depends_on_d_k"


def _winner(learned: Learned, index: int) -> str:
    scaled, unscaled = learned.final[:, index]  # (run,) each
    medians = learned.median_final[:, index]
    if medians.min() >= learned.plan.task.blind_loss:
        return NEITHER
    winner = _lower(float(medians[0]), float(medians[1]))
    agreeing = {SCALED: scaled < unscaled, UNSCALED: unscaled < scaled}.get(winner)
    return winner if agreeing is not None and agreeing.mean() >= AGREEING else TIE


def _lower(scaled: float, unscaled: float) -> str:
    """Whose loss is lower by a noticeable ratio."""
    if scaled * NOTICEABLE < unscaled:
        return SCALED
    return UNSCALED if unscaled * NOTICEABLE < scaled else TIE


def _wider(scaled: int, unscaled: int) -> str:
    """Who learned at more step sizes."""
    if scaled == unscaled:
        return TIE
    return SCALED if scaled > unscaled else UNSCALED


def _best(learned: Learned, rule: int) -> Best:
    medians = learned.median_final[rule]  # (step size,)
    place = int(np.argmin(medians))
    count = int((medians < LEARNED * learned.plan.task.blind_loss).sum())
    lowest = float(medians[place])
    return Best(lowest, learned.plan.step_sizes[place] if math.isfinite(lowest) else math.nan, count)


def _pattern(winners: Sequence[str]) -> str:
    """The winners from the smallest step size to the largest in one word."""
    decided = [winner for winner in winners if winner in (SCALED, UNSCALED)]
    changes = [b for a, b in pairwise(decided) if a != b]
    if not decided:
        return "no_difference"
    if not changes:
        return f"{decided[0]}_wins"
    if len(changes) == 1:
        return f"{decided[0]}_small_{decided[-1]}_large"
    return "mixed"
