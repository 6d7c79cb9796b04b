"""The pictures of the page on sqrt(d_k): which measurements, on which axes, under which names."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.core.arrays import Array
from attnviz.figures.base import Figure
from attnviz.figures.curve_axes import Axis
from attnviz.figures.curve_parts import Curve, Level, Panel
from attnviz.figures.curves import curve_chart
from attnviz.figures.labels import number, token_labels
from attnviz.figures.multiples import Small, small_maps
from attnviz.figures.scaling.hardening import Hardening, Names, hardening
from attnviz.figures.scaling.spread_of_scores import Bell, bells, share_axis, weight_bars
from attnviz.lab.scaling.jacobian import jacobian_norm, softmax_jacobian
from attnviz.lab.scaling.measured import Histogram, ScoreSample, VarianceSweep, histogram
from attnviz.lab.scaling.softmax_sweep import Example, Sweep
from attnviz.lab.scaling.token_count import EntropyGrowth, PairVariance
from attnviz.ui.lessons.scaling.look import (
    Look,
    binary,
    d_k_axis,
    powers,
    short,
    significant,
    texts_of,
    ticks_to,
    tidy,
)
from attnviz.ui.lessons.scaling.sentence import SentenceSweep

MOST_JACOBIAN = 0.25  # p (1 - p) is never more


def sentence_maps(look: Look, sweep: SentenceSweep) -> go.Figure:
    """The maps of the reader's sentence with the scale and without, with a frame for each d_k."""
    n, m = sweep.scaled.shape[2:]
    rows = token_labels(sweep.tokens[:n], "query", look.words("playground.looks"))
    columns = token_labels(sweep.source[:m], "key", look.words("playground.looked_at"))
    scaled, unscaled = sweep.scaled, sweep.unscaled
    if look.settings.notation == "columns":
        scaled, unscaled = scaled.swapaxes(2, 3), unscaled.swapaxes(2, 3)
        rows, columns = columns, rows
    here = sweep.d_k.index(look.settings.d_k)
    heads = tuple(look.words("common.head_n", n=h + 1) for h in range(scaled.shape[1]))
    names = Names(
        scaled=look("scaled"),
        unscaled=look("unscaled"),
        heads=heads,
        play=look("sentence.play"),
        pause=look("sentence.pause"),
        here=look("sentence.back", d_k=sweep.d_k[here]),
        largest=look("sentence.largest"),
        weight=look.words("playground.weight"),
    )
    figures = Hardening(sweep.d_k, scaled, unscaled, sweep.largest(True), sweep.largest(False), here)
    return hardening(figures, rows=rows, columns=columns, names=names, palette=look.palette, type_=look.type_)


def score_bells(look: Look, sample: ScoreSample) -> go.Figure:
    """The histograms of q.k / sqrt(d_k) and of q.k over their normal curves."""
    parts = [
        _bell(look, histogram(sample.scaled, sample.scaled_moments.law), "cause.scaled_score", sample, True),
        _bell(look, histogram(sample.scores, sample.moments.law), "cause.score", sample, False),
    ]
    height = look.tall(340, 270)
    return bells(parts, palette=look.palette, height=height, hover=look("cause.density"), type_=look.type_)


def _bell(look: Look, shape: Histogram, title: str, sample: ScoreSample, scaled: bool) -> Bell:
    moments = sample.scaled_moments if scaled else sample.moments
    variance = look("cause.measured", variance=significant(moments.variance))
    return Bell(
        shape.edges,
        shape.density,
        shape.curve_x,
        shape.curve_y,
        f'<b><span style="color:{look.palette.ink}">{look(title)}</span></b>  {variance}',
        f"N(0, {tidy(moments.law)})",
    )


def variance_lines(look: Look, sweep: VarianceSweep) -> go.Figure:
    """The measured variances on the line of the law, and divided by d_k on theirs, both axes logarithmic."""
    # Xavier's law bends down and leaves 1 behind; the others end at 4096 and keep to 1.
    rises = int(np.argmax(sweep.law)) == len(sweep.law) - 1
    lowest = 0 if rises else 8 * math.floor(math.log2(float((sweep.law / sweep.d_k).min())) / 8)
    y = powers(look("cause.variance"), 2, lowest, 12, by=4 if rises else 8)
    called, divided = look("cause.score"), look("cause.scaled_score")
    at, side = (8, "top left") if rises else (int(np.argmax(sweep.law)), "top center")
    law = Curve(sweep.d_k, sweep.law, called, at=at, side=side, hover=look("cause.law"))
    dots = Curve(sweep.d_k, sweep.variance, hover=called, line=False, points=True, hollow=True)
    end: dict[str, Any] = {"at": 12, "side": "top left"} if rises else {"at": 9, "side": "bottom left"}
    scaled_law = replace(law, y=sweep.law / sweep.d_k, name=divided, quiet=True, width=1.5, **end)
    scaled_dots = replace(dots, y=sweep.variance / sweep.d_k, hover=divided, quiet=True)
    panel = Panel((law, scaled_law, dots, scaled_dots), d_k_axis(), y, place=look.settings.d_k)
    height = look.tall(340, 270)
    return curve_chart([panel], palette=look.palette, height=height, type_=look.type_)


def example_bars(look: Look, example: Example) -> go.Figure:
    """The weights of one query over m keys with the scale and without."""
    return weight_bars(
        [example.weights["sqrt_d_k"], example.weights["none"]],
        [look("scaled"), look("unscaled")],
        palette=look.palette,
        height=look.tall(250, 260),
        key=look("softmax.key"),
        weight=look.words("playground.weight"),
        type_=look.type_,
    )


def entropy_curves(look: Look, sweep: Sweep) -> go.Figure:
    """The entropy of the weights against d_k, one standard deviation to each side, under ln m."""
    flat = sweep.flat_entropy
    top = 1.12 * flat
    y = Axis(look("softmax.entropy"), 0.0, top, ticks=ticks_to(top), texts=texts_of(ticks_to(top)))
    level = Level(flat, f"ln {sweep.num_keys} = {number(flat)}")
    return _two_curves(look, sweep, "entropy", y, (level,), rising=False)


def largest_curves(look: Look, sweep: Sweep) -> go.Figure:
    """The largest weight against d_k, one standard deviation to each side."""
    y = share_axis(look("softmax.largest"), sweep.num_keys)
    level = Level(1 / sweep.num_keys)
    return _two_curves(look, sweep, "largest", y, (level,), rising=True)


def jacobian_curves(look: Look, sweep: Sweep) -> go.Figure:
    """The Frobenius norm of the Jacobian against d_k, one standard deviation to each side."""
    y = Axis(look("gradient.norm"), 0.0, 0.62, ticks=(0, 0.25, 0.5), texts=("0", "0.25", "0.5"))
    level = Level(0.5, look("gradient.most"), right=True)
    return _two_curves(look, sweep, "jacobian_norm", y, (level,), rising=False)


def _two_curves(
    look: Look, sweep: Sweep, name: str, y: Axis, levels: tuple[Level, ...], *, rising: bool
) -> go.Figure:
    """The means of both with their bands; the names where a falling (or rising) curve leaves room."""
    unscaled = banded(sweep, name, "none", quiet=True)
    scaled = banded(sweep, name, "sqrt_d_k", quiet=False)
    curves = (
        replace(unscaled, name=look("unscaled"), at=5, side="bottom right" if rising else "top right"),
        replace(scaled, name=look("scaled"), side="top left" if rising else "bottom left"),
    )
    panel = Panel(curves, d_k_axis(), y, levels=levels, place=look.settings.d_k)
    height = look.tall(250, 230)
    return curve_chart([panel], palette=look.palette, height=height, type_=look.type_)


def banded(sweep: Sweep, name: str, rule: str, *, quiet: bool) -> Curve:
    """The mean of one rule with a band of one standard deviation."""
    spread = sweep.measured[name].spread[rule]
    band = (spread.mean - spread.sd, spread.mean + spread.sd)
    return Curve(sweep.d_k, spread.mean, quiet=quiet, dash="dash" if quiet else "solid", band=band)


def jacobians(look: Look, example: Example) -> Figure:
    """The Jacobians diag(p) - p p^T of one query's weights, with the scale and without, on one scale."""
    parts = []
    for rule, words in (("sqrt_d_k", "scaled"), ("none", "unscaled")):
        weights = example.weights[rule]
        norm = look("gradient.has_norm", norm=number(norm_of(example, rule)))
        parts.append(Small(softmax_jacobian(weights), look(words), MOST_JACOBIAN, subtitle=norm))
    return small_maps(parts, palette=look.palette, height=look.tall(224, 190))


def norm_of(example: Example, rule: str) -> float:
    """The Frobenius norm of one query's Jacobian by a rule."""
    return float(jacobian_norm(example.weights[rule]))


def gradient_panels(look: Look, sweep: Sweep, name: str) -> go.Figure:
    """Median, mean and 5 to 95 % band of a gradient's norm against d_k: with the scale and without, on one axis."""
    y = powers("", 10, -4, 2 if name == "at_query" else 1)
    panels = []
    for rule, words in (("sqrt_d_k", "scaled"), ("none", "unscaled")):
        spread = sweep.measured[name].spread[rule]
        mean = Curve(sweep.d_k, spread.mean, look("gradient.mean"), at=9, side="top center", dash="dash")
        at, band = _visible(spread.median, y), (spread.low, spread.high)
        median = Curve(
            sweep.d_k, spread.median, look("gradient.median"), at=at, side="bottom left", band=band
        )
        panels.append(Panel((median, mean), d_k_axis(sparse=True), y, look(words), place=look.settings.d_k))
    height = look.tall(270, 214)
    return curve_chart(panels, palette=look.palette, height=height, type_=look.type_, shared=True)


def _visible(values: Array, y: Axis) -> int:
    """The last place at which a falling curve is still well inside the axis."""
    inside = np.flatnonzero(values > 30 * y.low)
    return int(inside[-1]) if len(inside) else 0


def tokens_curve(look: Look, found: PairVariance) -> go.Figure:
    """The variance against the number of tokens, with 4 standard errors, beside the law."""
    d_k = int(found.d_k[0])
    y = powers(look("cause.variance"), 2, 0, 9, by=3)
    level = Curve(found.tokens, found.law, f"dₖ = {d_k}", quiet=True, width=1.5)
    dots = replace(_dots(look, found), x=found.tokens)
    x = binary("n", (8, 32, 128, 512, 2048), 7, 2400)
    panel = Panel((level, dots), x, y, look("wrong.against_n"), place=look.knobs.many_tokens)
    return curve_chart([panel], palette=look.palette, height=look.tall(236, 208), type_=look.type_)


def widths_curve(look: Look, found: PairVariance) -> go.Figure:
    """The variance against d_k at one number of tokens, with 4 standard errors, beside the law."""
    y = powers("", 2, 0, 9, by=3)
    law = Curve(found.d_k, found.law, "dₖ", at=-2, quiet=True, width=1.5)
    dots = _dots(look, found)
    x = binary("dₖ", (1, 8, 64, 512), 0.85, 600)
    panel = Panel((law, dots), x, y, look("wrong.against_d_k"), place=look.settings.d_k)
    return curve_chart([panel], palette=look.palette, height=look.tall(236, 208), type_=look.type_)


def _dots(look: Look, found: PairVariance) -> Curve:
    """The measured variances as points with 4 standard errors to each side."""
    name = look("wrong.measured")
    errors = 4 * found.error
    return Curve(found.d_k, found.variance, hover=name, line=False, points=True, hollow=True, errors=errors)


def keys_curves(look: Look, found: EntropyGrowth) -> go.Figure:
    """The entropy against the number of keys, with the scale and without, under ln m."""
    top = 1.1 * float(found.flat[-1])
    y = Axis("", 0.0, top, ticks=ticks_to(top), texts=texts_of(ticks_to(top)))
    curves = (
        Curve(found.num_keys, found.flat, "ln m", at=-2, side="top left", quiet=True, dash="dot", width=1.5),
        Curve(
            found.num_keys, found.unscaled.mean, look("unscaled"), side="bottom left", quiet=True, dash="dash"
        ),
        Curve(found.num_keys, found.scaled.mean, look("scaled"), side="bottom left"),
    )
    x = binary("m", (2, 8, 32, 128, 512, 2048), 1.8, 2400)
    panel = Panel(curves, x, y, look("wrong.entropy"), ends=True)
    return curve_chart([panel], palette=look.palette, height=look.tall(236, 208), type_=look.type_)


def divisor_curves(look: Look, sweep: Sweep) -> go.Figure:
    """The largest weight where scores are divided by sqrt(d_k), by sqrt(d_model) and not at all."""
    y = share_axis(look("cures.largest"), sweep.num_keys)
    spread = sweep.measured["largest"].spread
    curves = (
        Curve(sweep.d_k, spread["none"].mean, look("unscaled"), quiet=True, dash="dash", width=1.5),
        Curve(sweep.d_k, spread["sqrt_d_model"].mean, look("wrong.by_d_model"), dash="dashdot"),
        Curve(sweep.d_k, spread["sqrt_d_k"].mean, look("scaled")),
    )
    level = Level(1 / sweep.num_keys)
    panel = Panel(
        curves, d_k_axis(), y, levels=(level,), place=min(max(look.settings.d_model, 1), 4096), ends=True
    )
    return curve_chart([panel], palette=look.palette, height=look.tall(236, 208), type_=look.type_)


def cure_curves(look: Look, sweep: Sweep) -> go.Figure:
    """The largest weight against d_k by every cure."""
    y = share_axis(look("cures.largest"), sweep.num_keys)
    spread = sweep.measured["largest"].spread
    values = {"t": short(look.knobs.cure_temperature), "beta": short(look.knobs.cure_beta)}
    style = {
        "none": (True, "dash"),
        "sqrt_d_k": (False, "solid"),
        "temperature": (True, "dashdot"),
        "cosine": (True, "dot"),
        "qk_norm": (False, "dash"),
    }
    curves = [
        Curve(sweep.d_k, spread[rule].mean, look(f"cures.name_{rule}", **values), quiet=quiet, dash=dash)
        for rule, (quiet, dash) in style.items()
    ]
    level = Level(1 / sweep.num_keys)
    panel = Panel(tuple(curves), d_k_axis(), y, levels=(level,), ends=True)
    return curve_chart([panel], palette=look.palette, height=look.tall(360, 380), type_=look.type_)
