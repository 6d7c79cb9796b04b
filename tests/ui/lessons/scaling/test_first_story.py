"""The sentences of the page on sqrt(d_k) say what was measured, also where that is not what is usually told."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from markupsafe import Markup

from attnviz.figures.palette import LIGHT
from attnviz.lab.scaling.components import COMPONENTS, head_scatter
from attnviz.lab.scaling.cures import Knobs
from attnviz.lab.scaling.measured import sample_scores, variance_sweep
from attnviz.lab.scaling.softmax_sweep import gradient_sweep, weight_example, weight_sweep
from attnviz.lab.scaling.token_count import entropy_by_keys, variance_by_d_k, variance_by_tokens
from attnviz.lab.scaling.training import Plan, train
from attnviz.lab.scaling.verdict import judge, overall
from attnviz.lesson.settings import DEFAULTS
from attnviz.ui.lessons.scaling import first_story as says
from attnviz.ui.lessons.scaling import last_story as verdicts
from attnviz.ui.lessons.scaling.cached import CURED, DIVISORS
from attnviz.ui.lessons.scaling.look import Look, significant, tidy
from attnviz.ui.lessons.scaling.sentence import sentence_sweep
from attnviz.words import Words, languages

each_language = pytest.mark.parametrize("language", languages())


def look(language: str = "en", **values: Any) -> Look:
    return Look(Words(language), LIGHT, DEFAULTS.put(**values))


def plain(text: Markup | str) -> str:
    return re.sub(r"<[^>]+>", "", str(text))


@pytest.mark.parametrize(("m", "d_k", "verdict"), [
    (10, 2, "larger"),  # facts.md: .3387 > .3352, the trap
    (10, 4, "smaller"),  # .3370 < .3404
    (10, 64, "smaller"),  # .1602 < .3471
    (5, 2, "smaller"),  # the trap is one of ten keys, not of five
    (64, 64, "larger"),  # and with 64 keys it reaches to d_k = 64
    (10, 1, "undecided"),  # dividing by 1
])  # fmt: skip
def test_which_jacobian_norm_is_larger_is_said_as_measured(m: int, d_k: int, verdict: str) -> None:
    sweep = weight_sweep(DIVISORS, num_keys=m, draws=20_000)
    shown = look(d_k=d_k, num_keys=m)
    text = says.jacobian_text(shown, weight_example(d_k, num_keys=m), sweep)
    place = sweep.d_k.tolist().index(d_k)
    spread = sweep.measured["jacobian_norm"].spread
    scaled, unscaled = (f"{spread[rule].mean[place]:.3f}" for rule in ("sqrt_d_k", "none"))
    expected = shown.html(f"gradient.norm_{verdict}", d_k=d_k, scaled=scaled, unscaled=unscaled)
    assert expected in text
    assert text.count(shown.html("gradient.norm_larger", d_k=2, scaled="", unscaled="")[:40]) >= 1


@pytest.mark.parametrize(("m", "d_k", "typical", "mean"), [
    (10, 512, "smaller", "larger"),  # vanishing and exploding at once
    (10, 64, "undecided", "larger"),  # facts.md: medians .295 / .300
    (10, 4, "larger", "larger"),
    (2, 64, "smaller", "larger"),
])  # fmt: skip
def test_the_gradient_at_q_is_told_by_median_and_mean(m: int, d_k: int, typical: str, mean: str) -> None:
    sweep = gradient_sweep(num_keys=m, draws=20_000)
    shown = look(d_k=d_k, num_keys=m)
    place = sweep.d_k.tolist().index(d_k)
    one, other = (sweep.measured["at_query"].spread[rule] for rule in ("none", "sqrt_d_k"))
    first = says.gradient_text(shown, sweep)[0]
    pairs = {"typical": (typical, one.median, other.median), "mean": (mean, one.mean, other.mean)}
    for kind, (verdict, a, b) in pairs.items():
        values = {
            "unscaled": says.tiny(a[place]),
            "scaled": says.tiny(b[place]),
            "ratio": says.tiny(a[place] / b[place]),
        }
        assert shown.html(f"gradient.{kind}_{verdict}", d_k=d_k, **values) in first


def test_vanishing_and_exploding_together_are_the_line_to_take_home() -> None:
    sweep = gradient_sweep(num_keys=10, draws=20_000)
    shown = look()
    one, other = (sweep.measured["at_query"].spread[rule] for rule in ("none", "sqrt_d_k"))
    place = sweep.d_k.tolist().index(512)
    typical, mean = one.median[place] / other.median[place], one.mean[place] / other.mean[place]
    assert typical < 0.05 and mean > 3
    text = says.gradient_sum_up(shown, sweep)
    assert text == shown.html(
        "gradient.sum_up_both", d_k=512, typical=says.tiny(typical), mean=says.tiny(mean)
    )
    assert shown.html("gradient.ties") in says.gradient_text(shown, sweep)[-1]


def test_at_d_k_1_nothing_is_compared() -> None:
    texts = says.gradient_text(look(d_k=1), gradient_sweep(draws=500))
    assert len(texts) == 1 and "512" in texts[0]


def test_with_too_few_draws_the_page_says_that_it_cannot_tell() -> None:
    shown = look(draws=100)
    few = gradient_sweep(num_keys=10, draws=40)
    assert says.gradient_sum_up(shown, few) == shown.html("gradient.sum_up_undecided", draws="40", d_k=512)


@each_language
@pytest.mark.parametrize("distribution", COMPONENTS)
def test_the_cause_is_told_with_the_law_of_its_components(language: str, distribution: str) -> None:
    shown = look(language, d_k=64, distribution=distribution, d_model=16, draws=500)
    sample = sample_scores(64, 500, 0, distribution, d_model=16)
    law = {"xavier": 64 * (2 * 16 / (16 + 64)) ** 2}.get(distribution, 64)
    text = plain(says.cause_text(shown, sample))
    assert tidy(law) in text
    assert significant(float(np.var(sample.scores, ddof=1))) in text
    notes = plain(says.cause_notes(shown, sample))
    assert (f"{100 * head_scatter(64, 16):.0f}%" in notes) == (distribution == "xavier")


@each_language
@pytest.mark.parametrize("distribution", COMPONENTS)
def test_the_points_on_the_law_are_counted(language: str, distribution: str) -> None:
    shown = look(language, distribution=distribution)
    sweep = variance_sweep(500, 1, distribution, d_model=shown.settings.d_model)
    inside = sum(abs(sweep.variance - sweep.law) <= 4 * sweep.variance_error)
    assert inside == 13
    assert "13" in plain(says.cause_sum_up(shown, sweep))
    off = replace(sweep, variance=3.0 * sweep.variance)
    beyond = sum(abs(off.variance - off.law) <= 4 * off.variance_error)
    assert says.cause_sum_up(shown, off) == shown.html("cause.sum_up_off", inside=beyond, d_model=0)


def test_fewer_draws_than_asked_for_are_confessed() -> None:
    shown = look(d_k=512, draws=200_000)
    sample = sample_scores(512, 30_000, 0)
    assert sample.capped
    assert f"{sample.draws:,}" in plain(says.cause_notes(shown, sample))
    sweep = weight_sweep(num_keys=64, draws=5_000)
    assert f"{sweep.draws:,}" in says.sweep_notes(shown, sweep)
    assert says.sweep_notes(look(d_k=64), weight_sweep(num_keys=2, draws=200)) == ""


def test_a_d_k_between_the_measured_ones_is_said_to_stand_for_its_neighbour() -> None:
    notes = plain(says.sweep_notes(look(d_k=100), weight_sweep(num_keys=2, draws=200)))
    assert "100" in notes and "128" in notes


@each_language
@pytest.mark.parametrize(("values", "name"), [
    ({}, "harden"), ({"sentence": "a a"}, "stay"), ({"sentence": "one"}, "one_key"), ({"d_model": 1}, "no_width"),
])  # fmt: skip
def test_why_the_maps_harden_or_cannot(language: str, values: dict[str, Any], name: str) -> None:
    shown = look(language, **values)
    sweep = sentence_sweep(shown.settings)
    assert sweep is not None
    ends = {"first": f"{sweep.largest(False)[0]:.2f}", "unscaled": f"{sweep.largest(False)[-1]:.2f}"}
    expected = shown.html(f"sentence.sum_up_{name}", **ends, scaled=f"{sweep.largest(True)[-1]:.2f}")
    assert says.sentence_sum_up(shown, sweep) == expected


@each_language
def test_where_the_playground_differs_is_named_in_the_reader_s_language(language: str) -> None:
    shown = look(language, score="additive", mask="causal", num_heads=9)
    sweep = sentence_sweep(shown.settings)
    assert sweep is not None
    text = says.sentence_conditions(shown, sweep)
    names = [shown.words(f"common.names.{name}") for name in ("score", "embedding", "mask")]
    assert shown.html("sentence.differs", names=shown("list").join(names)) in text
    assert shown.html("sentence.capped", heads=4, num_heads=9, n=5, tokens=5, m=5, source=5) in text


@pytest.fixture(scope="module")
def learned() -> Any:
    plan = Plan(d_k=(4, 64), steps=40, record_every=20, runs=2, batch=8, held_out=16)
    return list(train(plan))[-1].finished


@each_language
def test_learning_is_summed_up_by_its_own_verdicts(language: str, learned: Any) -> None:
    shown = look(language)
    found = [judge(one) for one in learned]
    table = verdicts.learning_table(shown, found)
    assert table.count("<tr>") == 3
    for verdict in found:
        assert shown(f"learning.key_{verdict.key}") in table
        assert significant(verdict.scaled.loss) in table and significant(verdict.unscaled.loss) in table
    best = shown.joined([shown.html(f"learning.best_{verdict.best}", d_k=verdict.d_k) for verdict in found])
    expected = shown.html(f"learning.sum_up_{overall(found)}", best=best)
    assert verdicts.learning_sum_up(shown, found) == expected


@each_language
@pytest.mark.parametrize("key", [
    "scaled_wins", "unscaled_wins", "unscaled_small_scaled_large", "scaled_small_unscaled_large", "mixed",
    "no_difference",
])  # fmt: skip
def test_every_verdict_has_its_words(language: str, key: str, learned: Any) -> None:
    shown = look(language)
    verdict = replace(judge(learned[0]), key=key)
    assert verdicts.learning_sum_up(shown, [verdict])
    assert shown(f"learning.key_{key}") in verdicts.learning_table(shown, [verdict])
    other = replace(verdict, key="mixed" if key != "mixed" else "scaled_wins")
    assert verdicts.learning_sum_up(shown, [verdict, other])


@each_language
@pytest.mark.parametrize(("d_model", "d_k", "name"), [(64, 64, "same"), (512, 16, "flat"), (4, 256, "sharp")])
def test_what_sqrt_d_model_does_is_said_as_measured(language: str, d_model: int, d_k: int, name: str) -> None:
    shown = look(language, d_model=d_model, d_k=d_k)
    sweep = weight_sweep(DIVISORS, draws=2_000, knobs=Knobs(d_model=d_model))
    place = sweep.d_k.tolist().index(d_k)
    spread = sweep.measured["largest"].spread
    values = {"divisor": tidy(d_model**0.5), "right": tidy(d_k**0.5)}
    values |= {
        "wrong": f"{spread['sqrt_d_model'].mean[place]:.2f}",
        "good": f"{spread['sqrt_d_k'].mean[place]:.2f}",
    }
    expected = shown.html(f"wrong.d_model_{name}", d_model=d_model, d_k=d_k, **values)
    assert verdicts.d_model_text(shown, sweep) == expected


@each_language
def test_tokens_and_keys_are_told_with_the_ends_of_their_sweeps(language: str) -> None:
    shown = look(language, d_k=16)
    by_tokens, by_d_k, growth = variance_by_tokens(16, 0), variance_by_d_k(64, 0), entropy_by_keys(16, 0)
    text = plain(verdicts.tokens_text(shown, by_tokens, by_d_k))
    for value in (
        by_tokens.variance.min(),
        by_tokens.variance.max(),
        by_d_k.variance[0],
        by_d_k.variance[-1],
    ):
        assert significant(float(value)) in text
    inside = [
        v - 4 * e <= 16 <= v + 4 * e for v, e in zip(by_tokens.variance, by_tokens.error, strict=True)
    ]  # a bar is four standard errors either way, the law is d_k
    assert re.search(rf"\b{sum(inside)} (of the {len(inside)} bars|本がこの値)", text)
    keys = plain(verdicts.keys_text(shown, growth))
    for value in (growth.scaled.mean[0], growth.scaled.mean[-1], np.log(2048), growth.unscaled.mean[-1]):
        assert f"{value:.2f}" in keys
    assert verdicts.wrong_sum_up(shown, by_tokens) == shown.html("wrong.sum_up_stays")
    moved = replace(by_tokens, variance=by_tokens.variance * np.linspace(1, 9, 9))
    assert verdicts.wrong_sum_up(shown, moved) == shown.html("wrong.sum_up_moves")


@each_language
@pytest.mark.parametrize("size", [1.0, 2.0])
def test_the_cures_are_told_with_how_far_they_move(language: str, size: float) -> None:
    shown = look(language, vector_size=size)
    sweep = weight_sweep(CURED, draws=1_000)
    text = plain(verdicts.cures_text(shown, sweep))
    for rule in CURED:
        assert f"{np.ptp(sweep.measured['largest'].spread[rule].mean):.2f}" in text
    assert (tidy(size**4) in text) or size == 1.0
    assert verdicts.cures_sum_up(shown, sweep)
    assert len(verdicts.cure_uses(shown)) == 3
    assert verdicts.cure_ranges(shown, sweep).count("→") == len(CURED)


@pytest.mark.parametrize(("value", "text"), [
    (0.5, "0.500"), (62.42, "62.4"), (1234.6, "1235"), (0.012, "0.0120"), (0.000123, "0.000123"), (-0.5, "−0.500"),
    (0.0, "0.00"),
])  # fmt: skip
def test_three_digits_are_enough(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1e-9, "< 0.001"), (0.0057, "0.00570"), (3.63, "3.63"), (np.nan, "—")]
)
def test_next_to_nothing_is_called_so(value: float, text: str) -> None:
    assert says.tiny(value) == text
