"""The pictures of the training: the curves of one run, and the final losses against the step size."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from attnviz.figures.curve_axes import Axis
from attnviz.figures.curve_parts import Curve, Level, Panel
from attnviz.figures.curves import curve_chart
from attnviz.lab.scaling.training import RULES, Learned, Plan
from attnviz.ui.lessons.scaling.look import Look, short

SHOWN_RUN = 0
LOSSES = (0.001, 0.01, 0.1, 1.0)
LOWEST, HIGHEST = 4e-4, 6.0


def run_panels(look: Look, learned: Learned) -> go.Figure:
    """The held-out loss of one run against the training step, a small picture for each step size."""
    plan = learned.plan
    y = _loss_axis(look("learning.loss"))
    x = Axis(look("learning.step"), 0, plan.steps, ticks=(0, plan.steps), texts=("0", str(plan.steps)))
    panels = []
    for index, size in enumerate(plan.step_sizes):
        curves = [
            _curve(look, rule, learned.steps, learned.losses[rule, index, SHOWN_RUN], y)
            for rule in reversed(range(len(RULES)))
        ]
        gone = np.isinf(learned.losses[:, index, SHOWN_RUN, -1]).all()
        aside = look("learning.diverged") if gone else ""
        along = x if index == 0 else Axis("", x.low, x.high)
        level = Level(plan.task.blind_loss)
        panels.append(Panel(tuple(curves), along, y, short(size), aside, (level,)))
    height = look.tall(200, 196)
    return curve_chart(panels, palette=look.palette, height=height, type_=look.type_, shared=True, gap=0.022)


def final_panels(look: Look, plan: Plan, finished: Sequence[Learned]) -> go.Figure:
    """The median final loss against the step size for every d_k; empty axes where it is still to come."""
    y = _loss_axis(look("learning.loss"))
    ticks = (0.01, 0.1, 1.0, 10.0)
    x = Axis(look("learning.step_size"), 0.007, 14, log=True, ticks=ticks, texts=tuple(map(short, ticks)))
    done = {learned.d_k: learned for learned in finished}
    panels = []
    for index, d_k in enumerate(plan.d_k):
        curves = _finals(look, plan, done[d_k], y) if d_k in done else ()
        level = Level(plan.task.blind_loss, look("learning.blind") if index == 0 else "")
        panels.append(Panel(curves, x if index == 0 else _untitled(x), y, f"dₖ = {d_k}", levels=(level,)))
    height = look.tall(240, 226)
    return curve_chart(panels, palette=look.palette, height=height, type_=look.type_, shared=True, gap=0.035)


def _finals(look: Look, plan: Plan, learned: Learned, y: Axis) -> tuple[Curve, ...]:
    """The two curves of one d_k, and crosses at the top where most runs diverged."""
    curves = []
    sizes = np.array(plan.step_sizes)
    for rule in reversed(range(len(RULES))):
        medians = learned.median_final[rule]
        curves.append(_curve(look, rule, sizes, medians, y, points=True))
    gone = np.isinf(learned.median_final).all(axis=0)
    if gone.any():
        x = sizes[gone]
        curves.append(
            Curve(x, np.full(len(x), y.high * 0.7), look("learning.diverged"), at=0, side="middle left", quiet=True,
                  line=False, points=True, symbol="x-thin-open")
        )  # fmt: skip
    return tuple(curves)


def _curve(
    look: Look,
    rule: int,
    x: NDArray[np.floating],
    losses: NDArray[np.floating],
    y: Axis,
    *,
    points: bool = False,
) -> Curve:
    shown = np.where(np.isfinite(losses), losses, math.nan)
    quiet = RULES[rule] == "none"
    name = look("unscaled" if quiet else "scaled")
    dash = "dash" if quiet else "solid"
    return Curve(x, shown, hover=name, quiet=quiet, dash=dash, points=points)


def _loss_axis(title: str) -> Axis:
    return Axis(title, LOWEST, HIGHEST, log=True, ticks=LOSSES, texts=tuple(map(short, LOSSES)))


def _untitled(axis: Axis) -> Axis:
    return Axis("", axis.low, axis.high, axis.log, axis.ticks, axis.texts)
