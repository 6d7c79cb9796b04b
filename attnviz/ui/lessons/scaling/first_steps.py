"""The first four steps of the page on sqrt(d_k): sentence, cause, softmax, gradient."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.figures.labels import number
from attnviz.lab.scaling.measured import ScoreSample
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import label, notices, prose
from attnviz.ui.lessons.scaling import cached as measures
from attnviz.ui.lessons.scaling import controls, pictures, tables
from attnviz.ui.lessons.scaling import first_story as says
from attnviz.ui.lessons.scaling.look import Look, significant, tidy
from attnviz.ui.lessons.scaling.parts import controls_row, end

WIDE = 620  # pixels of the slider that moves the maps


def sentence(look: Look) -> None:
    """The maps of the reader's sentence, playing from d_k = 1 to 512, and what became of the weights."""
    sweep = measures.sentence(look.settings)
    if sweep is None:
        notices([look.words.html("playground.empty")])
        return
    with st.container(width=WIDE):
        controls.d_k(look, "sentence")
    here = sweep.d_k.index(look.settings.d_k)
    alt = look(
        "sentence.alt",
        d_k=sweep.d_k[here],
        scaled=number(sweep.largest(True)[here]),
        unscaled=number(sweep.largest(False)[here]),
    )
    chart(pictures.sentence_maps(look, sweep), key="sentence_maps", alt=alt, least=700)
    end(
        look,
        "sentence",
        [says.sentence_text(look, sweep)],
        says.sentence_sum_up(look, sweep),
        [says.sentence_conditions(look, sweep)],
        lambda: tables.sentence_columns(sweep),
    )


def cause(look: Look) -> None:
    """The histograms of q.k on the normal curve, and the variance on the line of its law."""
    s = look.settings
    sample, sweep = measures.sample(s), measures.variances(s)
    controls_row(
        lambda: controls.d_k(look, "cause"),
        lambda: controls.draws(look, "cause"),
        lambda: controls.distribution(look),
    )
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        alt = look(
            "cause.alt_bells",
            scaled=significant(sample.scaled_moments.variance),
            variance=significant(sample.moments.variance),
        )
        chart(pictures.score_bells(look, sample), key="bells", alt=alt)
    with right:
        alt = look("cause.alt_lines", inside=measures.points_on_the_law(sweep))
        chart(pictures.variance_lines(look, sweep), key="variance_lines", alt=alt)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        prose(says.cause_text(look, sample))
    with right:
        st.html(_moments_table(look, sample))
    line, conditions = says.cause_sum_up(look, sweep), [says.cause_notes(look, sample)]
    end(look, "cause", [], line, conditions, lambda: tables.variance_columns(sweep))


def _moments_table(look: Look, sample: ScoreSample) -> Markup:
    """Mean and variance of q.k and of q.k / sqrt(d_k), each with its standard error, and the law of the variance."""
    found = (sample.moments, sample.scaled_moments)
    rows = (
        ("", look("cause.score"), look("cause.scaled_score")),
        (look("cause.mean"), *(_measured(m.mean, m.mean_error) for m in found)),
        (look("cause.variance"), *(_measured(m.variance, m.variance_error) for m in found)),
        (look("cause.law"), *(tidy(m.law) for m in found)),
    )
    lines = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in rows
    )
    caption = look("cause.pairs", draws=f"{sample.draws:,}")
    return Markup('<table class="av-table"><caption class="av-note">{}</caption>{}</table>').format(
        caption, lines
    )


def _measured(value: float, error: float) -> str:
    """A value with as many digits as its standard error deserves: two of the error's own."""
    digits = min(max(0, 1 - int(np.floor(np.log10(error)))), 8)
    return f"{number(value, digits)} ± {number(error, digits)}"


def softmax(look: Look) -> None:
    """The weights of one query, and entropy and largest weight of many against d_k."""
    s = look.settings
    example, sweep = measures.example(s), measures.weights(s)
    controls_row(
        lambda: controls.d_k(look, "softmax"),
        lambda: controls.num_keys(look, "softmax"),
        lambda: controls.draws(look, "softmax"),
    )
    ends = {
        name: {rule: float(found.mean[-1]) for rule, found in sweep.measured[name].spread.items()}
        for name in ("entropy", "largest")
    }
    columns = st.columns([1.25, 1, 1], gap="medium")
    with columns[0]:
        most = {rule: number(float(w.max())) for rule, w in example.weights.items()}
        alt = look(
            "softmax.alt_bars",
            m=look.knobs.num_keys,
            d_k=s.d_k,
            scaled=most["sqrt_d_k"],
            unscaled=most["none"],
        )
        chart(pictures.example_bars(look, example), key="bars", alt=alt)
    for column, name, draw in (
        (columns[1], "entropy", pictures.entropy_curves),
        (columns[2], "largest", pictures.largest_curves),
    ):
        with column:
            scaled, unscaled = (number(ends[name][rule]) for rule in ("sqrt_d_k", "none"))
            flat = number(sweep.flat_entropy)
            alt = look(f"softmax.alt_{name}", scaled=scaled, unscaled=unscaled, flat=flat)
            chart(draw(look, sweep), key=name, alt=alt)
    end(
        look,
        "softmax",
        [says.softmax_text(look, example, sweep)],
        says.softmax_sum_up(look, sweep),
        [says.sweep_notes(look, sweep)],
        lambda: tables.sweep_columns(sweep, ("entropy", "largest")),
    )


def gradient(look: Look) -> None:
    """The Jacobian of one query and its norm against d_k, then the gradients that come through it."""
    s = look.settings
    example, weights, sweep = measures.example(s), measures.weights(s), measures.gradients(s)
    controls_row(
        lambda: controls.d_k(look, "gradient"),
        lambda: controls.num_keys(look, "gradient"),
        lambda: controls.draws(look, "gradient"),
    )
    maps, curve, words = st.columns(3, gap="medium")
    with maps:
        label(look("gradient.jacobian"))
        norms = {rule: number(pictures.norm_of(example, rule)) for rule in ("sqrt_d_k", "none")}
        alt = look("gradient.alt_jacobian", d_k=s.d_k, scaled=norms["sqrt_d_k"], unscaled=norms["none"])
        chart(pictures.jacobians(look, example), key="jacobians", alt=alt)
    with curve:
        spread = weights.measured["jacobian_norm"].spread
        ends = {rule: number(float(spread[rule].mean[-1])) for rule in ("sqrt_d_k", "none")}
        alt = look("gradient.alt_norm", scaled=ends["sqrt_d_k"], unscaled=ends["none"])
        chart(pictures.jacobian_curves(look, weights), key="jacobian_norm", alt=alt)
    with words:
        prose(says.jacobian_text(look, example, weights))
    for column, name in zip(st.columns(2, gap="medium"), ("at_input", "at_query"), strict=True):
        with column:
            label(look(f"gradient.{name}"))
            chart(
                pictures.gradient_panels(look, sweep, name),
                key=name,
                alt=says.gradient_alt(look, sweep, name),
            )
    end(
        look,
        "gradient",
        says.gradient_text(look, sweep),
        says.gradient_sum_up(look, sweep),
        [says.sweep_notes(look, sweep)],
        lambda: tables.sweep_columns(sweep, ("at_input", "at_query")),
    )
