"""What the first four steps say: sentences chosen from the measured numbers, and the numbers in them."""

import math

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import number
from attnviz.lab.scaling.components import find_components, head_scatter
from attnviz.lab.scaling.jacobian import jacobian_norm
from attnviz.lab.scaling.measured import ScoreSample, VarianceSweep
from attnviz.lab.scaling.softmax_sweep import Example, Sweep
from attnviz.lab.scaling.spread import LARGER, SMALLER, UNDECIDED
from attnviz.ui.lessons.scaling import answers
from attnviz.ui.lessons.scaling.cached import compared, component_variance, place_of, points_on_the_law
from attnviz.ui.lessons.scaling.look import Look, significant, tidy
from attnviz.ui.lessons.scaling.sentence import HARD, SentenceSweep, differences

LITTLE = 0.001  # a ratio below which its digits say nothing


def sentence_text(look: Look, sweep: SentenceSweep) -> Markup:
    """The mean largest weights at the chosen d_k and at the last one, and how many rows are all but one-hot."""
    here = sweep.d_k.index(look.settings.d_k)
    scaled, unscaled = sweep.largest(True), sweep.largest(False)
    return look.html(
        "sentence.text" if here < len(sweep.d_k) - 1 else "sentence.text_last",
        d_k=sweep.d_k[here],
        scaled=number(scaled[here]),
        unscaled=number(unscaled[here]),
        scaled_last=number(scaled[-1]),
        unscaled_last=number(unscaled[-1]),
        rows=sweep.rows,
        limit=HARD,
        hard=int(sweep.hard(False)[-1]),
        hard_scaled=int(sweep.hard(True)[-1]),
    )


def sentence_conditions(look: Look, sweep: SentenceSweep) -> Markup:
    """What the step fixes, where the playground differs, and what is not shown."""
    lines = [look.html("sentence.fixed")]
    names = [look.words(f"common.names.{name}") for name in differences(look.settings)]
    if names:
        lines.append(look.html("sentence.differs", names=look("list").join(names)))
    if sweep.capped:
        heads, n, m = sweep.scaled.shape[1:]
        sizes = {"num_heads": sweep.num_heads, "tokens": len(sweep.tokens), "source": len(sweep.source)}
        lines.append(look.html("sentence.capped", heads=heads, n=n, m=m, **sizes))
    return look.joined(lines)


def sentence_sum_up(look: Look, sweep: SentenceSweep) -> Markup:
    """Whether the weights hardened, from what to what; or why they could not."""
    scaled, unscaled = sweep.largest(True), sweep.largest(False)
    if sweep.scaled.shape[-1] == 1:
        return look.html("sentence.sum_up_one_key")
    if look.settings.d_model == 1:
        return look.html("sentence.sum_up_no_width")
    name = ("stay", "even", "harden")[answers.sentence(sweep) - 1]
    return look.html(
        f"sentence.sum_up_{name}",
        first=number(unscaled[0]),
        unscaled=number(unscaled[-1]),
        scaled=number(scaled[-1]),
    )


def cause_text(look: Look, sample: ScoreSample) -> Markup:
    """The law of the chosen components and what was measured, in standard errors."""
    moments, d_model = sample.moments, sample.d_model
    away = abs(moments.variance - moments.law) / moments.variance_error
    return look.html(
        f"cause.text_{sample.distribution}",
        d_k=sample.d_k,
        d_model=d_model,
        law=tidy(moments.law),
        variance=significant(moments.variance),
        error=significant(moments.variance_error),
        away=number(away, 1),
        scaled=significant(sample.scaled_moments.variance),
        component=significant(component_variance(sample.d_k, d_model)),
    )


def cause_notes(look: Look, sample: ScoreSample) -> Markup:
    """How the standard error comes about; what one head would do; whether there are fewer draws than wanted."""
    excess = find_components(sample.distribution).excess(sample.d_k, sample.d_model)
    lines = [look.html("cause.shape", excess=tidy(excess))]
    if sample.distribution == "xavier":
        scatter = 100.0 * head_scatter(sample.d_k, sample.d_model)
        lines.insert(0, look.html("cause.scatter", scatter=number(scatter, 0 if scatter >= 10 else 1)))
    if sample.capped:
        lines.append(look.html("capped", requested=f"{sample.requested:,}", draws=f"{sample.draws:,}"))
    return look.joined(lines)


def cause_sum_up(look: Look, sweep: VarianceSweep) -> Markup:
    """How many of the measured points lie on the law."""
    inside = points_on_the_law(sweep)
    name = "sum_up_off" if inside < len(sweep.d_k) - 1 else "sum_up"
    if name == "sum_up" and sweep.distribution == "xavier":
        name = "sum_up_xavier"
    return look.html(f"cause.{name}", inside=inside, d_model=look.settings.d_model)


def softmax_text(look: Look, example: Example, sweep: Sweep) -> Markup:
    """One query's largest weights, and the means of many queries, at the chosen d_k."""
    place = place_of(sweep.d_k, look.settings.d_k)
    values: dict[str, object] = {}
    for rule, words in (("sqrt_d_k", "scaled"), ("none", "unscaled")):
        entropy = float(sweep.measured["entropy"].spread[rule].mean[place])
        values |= {
            f"one_{words}": number(float(example.weights[rule].max())),
            words: number(float(sweep.measured["largest"].spread[rule].mean[place])),
            f"entropy_{words}": number(entropy),
            f"choice_{words}": number(math.exp(entropy), 1),
        }
    return look.html(
        "softmax.text", d_k=int(sweep.d_k[place]), draws=f"{sweep.draws:,}", m=sweep.num_keys,
        flat=number(sweep.flat_entropy), **values,
    )  # fmt: skip


def sweep_notes(look: Look, sweep: Sweep, *, placed: bool = True) -> Markup:
    """Where the numbers are not for just the d_k, the draws or the components that were chosen.

    `placed`: whether the step shows the numbers of the chosen d_k.
    """
    lines = []
    place = int(sweep.d_k[place_of(sweep.d_k, look.settings.d_k)])
    if placed and place != look.settings.d_k:
        lines.append(look.html("nearest", d_k=look.settings.d_k, place=place))
    if sweep.capped:
        lines.append(look.html("capped", requested=f"{sweep.requested:,}", draws=f"{sweep.draws:,}"))
    if look.knobs.distribution != "normal":
        lines.append(look.html("normal_only"))
    return look.joined(lines)


def softmax_sum_up(look: Look, sweep: Sweep) -> Markup:
    """Where the two ends of the sweep lie."""
    spread = sweep.measured["largest"].spread
    found = compared(sweep, "largest", int(sweep.d_k[-1])).mean
    return look.html(
        f"softmax.sum_up_{found}",
        last=int(sweep.d_k[-1]),
        scaled=number(float(spread["sqrt_d_k"].mean[-1])),
        unscaled=number(float(spread["none"].mean[-1])),
        first=number(float(spread["sqrt_d_k"].mean[0])),
        draws=f"{sweep.draws:,}",
    )


def jacobian_text(look: Look, example: Example, sweep: Sweep) -> Markup:
    """The Jacobian of one query, and which mean norm is larger: at d_k = 2, and at the chosen d_k."""
    one = {rule: float(jacobian_norm(weights)) for rule, weights in example.weights.items()}
    lines = [
        look.html(
            "gradient.jacobian_text", one_scaled=number(one["sqrt_d_k"]), one_unscaled=number(one["none"])
        )
    ]
    chosen = int(sweep.d_k[place_of(sweep.d_k, look.settings.d_k)])
    spread = sweep.measured["jacobian_norm"].spread
    for d_k in dict.fromkeys((chosen, 2)):
        place = place_of(sweep.d_k, d_k)
        lines.append(
            look.html(
                f"gradient.norm_{compared(sweep, 'jacobian_norm', d_k).mean}",
                d_k=d_k,
                scaled=number(float(spread["sqrt_d_k"].mean[place]), 3),
                unscaled=number(float(spread["none"].mean[place]), 3),
            )
        )
    return look.joined(lines)


def gradient_text(look: Look, sweep: Sweep) -> list[Markup]:
    """Typical and mean gradient at q: a paragraph for the chosen d_k, one for the d_k of the question."""
    chosen = int(sweep.d_k[place_of(sweep.d_k, look.settings.d_k)])
    # Dividing by the square root of 1 is not dividing: there is nothing to compare.
    paragraphs = [_gradient_at(look, sweep, d_k) for d_k in dict.fromkeys((chosen, answers.ASKED)) if d_k > 1]
    if _both(sweep):
        paragraphs[-1] = look.joined((paragraphs[-1], look.html("gradient.ties")))
    return paragraphs


def _gradient_at(look: Look, sweep: Sweep, d_k: int) -> Markup:
    place, found = place_of(sweep.d_k, d_k), compared(sweep, "at_query", d_k)
    one, other = (sweep.measured["at_query"].spread[rule] for rule in ("none", "sqrt_d_k"))
    parts = (
        ("typical", found.typical, found.median_ratio, one.median, other.median),
        ("mean", found.mean, found.mean_ratio, one.mean, other.mean),
    )
    return look.joined(
        look.html(
            f"gradient.{kind}_{verdict}",
            d_k=d_k,
            ratio=tiny(ratio),
            unscaled=tiny(float(a[place])),
            scaled=tiny(float(b[place])),
        )
        for kind, verdict, ratio, a, b in parts
    )


def gradient_alt(look: Look, sweep: Sweep, name: str) -> str:
    """The picture of a gradient in words."""
    place = place_of(sweep.d_k, answers.ASKED)
    values: dict[str, str] = {}
    for rule, words in (("sqrt_d_k", "scaled"), ("none", "unscaled")):
        spread = sweep.measured[name].spread[rule]
        values |= {
            f"median_{words}": tiny(float(spread.median[place])),
            f"mean_{words}": tiny(float(spread.mean[place])),
        }
    return look("gradient.alt_gradient", **values)


def gradient_sum_up(look: Look, sweep: Sweep) -> Markup:
    """Vanishing, exploding, or both at once, at the d_k of the question."""
    found = compared(sweep, "at_query", answers.ASKED)
    if UNDECIDED in (found.typical, found.mean):
        name = "undecided"
    elif _both(sweep):
        name = "both"
    else:
        name = "vanish" if found.typical == SMALLER else "explode"
    values = {"typical": tiny(found.median_ratio), "mean": tiny(found.mean_ratio)}
    return look.html(f"gradient.sum_up_{name}", d_k=answers.ASKED, draws=f"{sweep.draws:,}", **values)


def tiny(value: float) -> str:
    """Three digits; what is next to nothing as "less than 0.001"."""
    if not np.isfinite(value):
        return "—"
    return significant(value) if value >= LITTLE or value == 0.0 else f"< {LITTLE:g}"


def _both(sweep: Sweep) -> bool:
    found = compared(sweep, "at_query", answers.ASKED)
    return found.typical == SMALLER and found.mean == LARGER
