"""The last three steps of the page on sqrt(d_k): learning, the wrong ideas, the other cures."""

import streamlit as st
from markupsafe import Markup

from attnviz.figures.labels import number
from attnviz.lab.scaling.training import RULES, Plan
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import label, note, prose, sum_up
from attnviz.ui.lessons.scaling import cached as measures
from attnviz.ui.lessons.scaling import controls, pictures, tables
from attnviz.ui.lessons.scaling import last_story as verdicts
from attnviz.ui.lessons.scaling.first_story import sweep_notes
from attnviz.ui.lessons.scaling.learning.panel import learning_panel, training
from attnviz.ui.lessons.scaling.look import Look, significant
from attnviz.ui.lessons.scaling.parts import controls_row, end, paragraphs


def learning(look: Look, plan: Plan) -> None:
    """The training, and once it is finished what it came to."""
    task = verdicts.learning_text(look, plan)
    if not look.settings.present:
        prose(task)
    learning_panel(look)
    found = training(look.settings.seed)
    if found.progress is None:
        runs = len(plan.d_k) * len(RULES) * len(plan.step_sizes) * plan.runs
        note(look.html("learning.not_yet", runs=runs))
    if found.done:
        sum_up(verdicts.learning_sum_up(look, found.verdicts))
        st.html(verdicts.learning_table(look, found.verdicts))
        note(verdicts.learning_rule(look, plan))
    if look.settings.present:
        prose(task)


def wrong(look: Look) -> None:
    """d_k is not the number of tokens, and d_model is not d_k."""
    s = look.settings
    by_tokens, by_d_k, growth = measures.by_tokens(s), measures.by_d_k(s), measures.entropies(s)
    sweep = measures.weights(s)
    controls_row(lambda: controls.many_tokens(look), lambda: controls.d_k(look, "wrong"))
    label(look("wrong.idea_tokens"))
    columns = st.columns(3, gap="medium")
    with columns[0]:
        low, high = (significant(float(v)) for v in (by_tokens.variance.min(), by_tokens.variance.max()))
        alt = look("wrong.alt_tokens", d_k=s.d_k, low=low, high=high)
        chart(pictures.tokens_curve(look, by_tokens), key="by_tokens", alt=alt)
    with columns[1]:
        low, high = (significant(float(by_d_k.variance[k])) for k in (0, -1))
        alt = look("wrong.alt_d_k", n=look.knobs.many_tokens, low=low, high=high)
        chart(pictures.widths_curve(look, by_d_k), key="by_d_k", alt=alt)
    with columns[2]:
        low, high = (number(float(growth.scaled.mean[k])) for k in (0, -1))
        alt = look("wrong.alt_entropy", d_k=s.d_k, low=low, high=high)
        chart(pictures.keys_curves(look, growth), key="by_keys", alt=alt)
    texts = [verdicts.tokens_text(look, by_tokens, by_d_k), verdicts.keys_text(look, growth)]
    if not s.present:
        paragraphs(texts)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        label(look("wrong.idea_d_model"))
        chart(
            pictures.divisor_curves(look, sweep),
            key="divisors",
            alt=look("wrong.alt_d_model", d_model=s.d_model),
        )
    with right:
        prose(verdicts.d_model_text(look, sweep))
    line, later = verdicts.wrong_sum_up(look, by_tokens), texts if s.present else []
    end(look, "wrong", later, line, [], lambda: tables.pair_columns(by_tokens, by_d_k))


def cures(look: Look) -> None:
    """Temperature, cosine and QK normalisation on the same axes."""
    sweep = measures.cures(look.settings)
    controls.cures(look)
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        alt = look("cures.alt", ranges=verdicts.cure_ranges(look, sweep))
        chart(pictures.cure_curves(look, sweep), key="cures", alt=alt, least=440)
    with right:
        items = Markup("").join(Markup("<li>{}</li>").format(line) for line in verdicts.cure_uses(look))
        st.html(Markup('<ul class="av-list">{}</ul>').format(items))
    line, texts = verdicts.cures_sum_up(look, sweep), [verdicts.cures_text(look, sweep)]
    end(
        look,
        "cures",
        texts,
        line,
        [sweep_notes(look, sweep, placed=False)],
        lambda: tables.sweep_columns(sweep, ("largest",)),
    )
