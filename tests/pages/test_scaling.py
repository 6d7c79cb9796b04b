"""Why divide by sqrt(d_k)? What is on the page is what was measured, in every language and notation."""

from typing import Any

import numpy as np
import pytest

from attnviz.lab.scaling.measured import D_K_SWEEP, sample_scores, variance_sweep
from attnviz.lab.scaling.softmax_sweep import weight_example
from attnviz.lab.scaling.training import Plan
from attnviz.lesson.settings import Settings
from attnviz.ui.lessons.scaling.learning.panel import Training, Trainings
from attnviz.ui.lessons.scaling.sentence import SWEEP, sentence_sweep
from attnviz.words import Words, languages
from tests.apps import AppTest
from tests.pages.app import checked, figures, heatmaps, html, link, open_page, session, settings

CHARTS = {
    "sentence": {"sentence_maps"},
    "cause": {"bells", "variance_lines"},
    "softmax": {"bars", "entropy", "largest"},
    "gradient": {"jacobians", "jacobian_norm", "at_input", "at_query"},
    "learning": set(),  # nothing before the training
    "wrong": {"by_tokens", "by_d_k", "by_keys", "divisors"},
    "cures": {"cures"},
}
SIZES: dict[str, Any] = {
    "sentence": "the cat sat on the mat",
    "d_model": 7,
    "num_heads": 3,
    "d_k": 64,
    "d_v": 5,
}
each_language = pytest.mark.parametrize("language", languages())


def page(**values: Any) -> AppTest:
    return open_page("scaling", reveal=1, **(SIZES | {"draws": 500} | values))


def by_mode(figure: dict[str, Any], mode: str) -> list[dict[str, Any]]:
    return [trace for trace in figure["data"] if trace["type"] == "scatter" and trace.get("mode") == mode]


@each_language
@pytest.mark.parametrize("source", ["", "a dog sleeps here"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_the_maps_and_all_their_frames_are_those_of_the_sentence(
    language: str, source: str, notation: str
) -> None:
    app = page(language=language, source=source, notation=notation)
    shown = figures(app)
    assert set(shown) == set.union(*CHARTS.values())
    assert all(figure["alt"] for figure in shown.values())
    sweep = sentence_sweep(Settings(**SIZES, source=source))
    assert sweep is not None
    figure = shown["sentence_maps"]
    frames = {frame["name"]: frame["data"] for frame in figure["frames"]}
    assert list(frames) == [str(d_k) for d_k in SWEEP]
    maps = {d_k: [t["z"] for t in data if t["type"] == "heatmap"] for d_k, data in frames.items()}
    for place, d_k in enumerate(SWEEP):
        expected = [*sweep.scaled[place], *sweep.unscaled[place]]
        turned = [m.T for m in expected] if notation == "columns" else expected
        np.testing.assert_allclose(maps[str(d_k)], turned, atol=1e-6)
    np.testing.assert_array_equal(heatmaps(figure), maps["64"])


@each_language
@pytest.mark.parametrize("distribution", ["normal", "uniform", "xavier"])
def test_the_histograms_are_those_of_real_vectors_and_the_points_lie_on_the_law(
    language: str, distribution: str
) -> None:
    app = page(language=language, distribution=distribution)
    sample = sample_scores(64, 500, 0, distribution, d_model=7)
    shown = figures(app)
    law = 64 * (2 * 7 / (7 + 64)) ** 2 if distribution == "xavier" else 64.0
    bars = [trace for trace in shown["bells"]["data"] if trace["type"] == "bar"]
    for bar, scores, variance in zip(
        bars, (sample.scores / 8.0, sample.scores), (law / 64, law), strict=True
    ):
        reach = 4.0 * np.sqrt(variance)
        counts, edges = np.histogram(scores, 61, (-reach, reach))
        np.testing.assert_allclose(bar["y"], counts / (500 * np.diff(edges)))
    sweep = variance_sweep(500, 0, distribution, d_model=7)
    measured, scaled = by_mode(shown["variance_lines"], "markers")
    np.testing.assert_array_equal(measured["x"], D_K_SWEEP)
    np.testing.assert_array_equal(measured["y"], sweep.variance)
    np.testing.assert_allclose(scaled["y"], sweep.variance / sweep.d_k)
    assert f"{np.var(sample.scores, ddof=1):.2f}"[:4] in html(app)


def test_the_bars_and_the_jacobians_are_those_of_one_query() -> None:
    shown = figures(page(num_keys=5, seed=3))
    example = weight_example(64, num_keys=5, seed=3)
    bars = [trace["y"] for trace in shown["bars"]["data"] if trace["type"] == "bar"]
    for weights, scale, bar, matrix in zip(
        (example.weights["sqrt_d_k"], example.weights["none"]), (8.0, 1.0), bars, heatmaps(shown["jacobians"]),
        strict=True,
    ):  # fmt: skip
        scores = example.key @ example.query / scale
        expected = np.exp(scores - scores.max())
        expected /= expected.sum()
        np.testing.assert_allclose(weights, expected)
        np.testing.assert_allclose(bar, expected)
        np.testing.assert_allclose(matrix, np.diag(expected) - np.outer(expected, expected), atol=1e-7)


def test_the_limits_and_levels_are_drawn() -> None:
    shown = figures(page(num_keys=5))
    (level,) = [t for t in by_mode(shown["entropy"], "lines") if t["line"].get("dash") == "dot"]
    assert level["y"][0] == pytest.approx(np.log(5))
    (flat,) = [t for t in by_mode(shown["largest"], "lines") if t["line"].get("dash") == "dot"]
    assert flat["y"][0] == pytest.approx(0.2)
    (most,) = [t for t in by_mode(shown["jacobian_norm"], "lines") if t["line"].get("dash") == "dot"]
    assert most["y"][0] == 0.5


def test_nothing_is_measured_before_a_guess_and_a_guess_opens_only_its_own_step() -> None:
    app = open_page("scaling", draws=500)
    assert figures(app) == {}
    guess = {group.key: group for group in app.button_group}["guess_scaling.softmax"]
    checked(guess.set_value(1).run())
    assert set(figures(app)) == CHARTS["softmax"]
    words = Words("en")
    assert words("scaling.softmax.guess_1") in html(app)
    assert words("scaling.softmax.guess_3") in html(app)  # the answer


SLIDERS = [
    ("d_k_cause", "d_k", 128), ("d_k_wrong", "d_k", 1), ("draws_softmax", "draws", 100),
    ("num_keys_gradient", "num_keys", 64), ("many_tokens", "many_tokens", 2048),
    ("cure_temperature", "cure_temperature", 2.0), ("cure_beta", "cure_beta", 20.0), ("vector_size", "vector_size", 2.0),
]  # fmt: skip


@pytest.mark.parametrize(("key", "name", "value"), SLIDERS)
def test_every_control_is_a_setting_and_lives_in_the_link(key: str, name: str, value: float) -> None:
    app = page()
    checked(app.select_slider(key=f"w_{key}").set_value(value).run())
    assert settings(app)[name] == value
    assert link(app)[name] == f"{value:g}"
    assert settings(open_page("scaling", **link(app)))[name] == value


def test_a_value_between_the_stops_of_a_slider_is_one_of_them() -> None:
    app = page(d_k=100, draws=777, num_keys=7)
    for key, value in (("d_k_sentence", 100), ("draws_cause", 777), ("num_keys_softmax", 7)):
        assert app.select_slider(key=f"w_{key}").value == value
    assert "100" in [frame["name"] for frame in figures(app)["sentence_maps"]["frames"]]


def test_one_click_takes_the_sizes_of_the_paper() -> None:
    app = open_page("scaling")
    checked(app.button(key="paper_sizes").click().run())
    found = settings(app)
    assert (found.d_model, found.num_heads, found.d_k) == (512, 8, 64)


def test_the_language_may_change_under_every_choice() -> None:
    app = page(distribution="uniform", num_keys=5)
    language = {group.key: group for group in app.button_group}["w_language"]
    checked(language.set_value("ja").run())
    checked(app.select_slider(key="w_d_k_cause").set_value(8).run())
    found = settings(app)
    assert (found.language, found["distribution"], found["num_keys"], found.d_k) == ("ja", "uniform", 5, 8)


@pytest.fixture(scope="module")
def finished() -> Training:
    """A training with the page's d_k and step sizes, cut short."""
    found = Training(Plan(steps=20, record_every=10, runs=2, batch=4, held_out=8), running=True)
    while not found.done:
        found.advance(1.0)
    return found


@each_language
def test_a_finished_training_shows_its_losses_and_its_verdicts(language: str, finished: Training) -> None:
    app = open_page("scaling")
    session(app).of(Trainings).by_seed = {0: finished}
    app.query_params["language"] = language
    app.query_params["present"] = "1"
    app.query_params["reveal"] = "1"
    app.query_params["step"] = "5"
    checked(app.run())
    shown = figures(app)
    assert set(shown) == {"run", "final"}
    assert finished.progress is not None
    learned = {one.d_k: one for one in finished.progress.finished}
    lines = by_mode(shown["final"], "lines+markers")
    medians = [
        np.median(learned[d_k].losses[rule, :, :, -1], axis=-1) for d_k in (4, 64, 512) for rule in (1, 0)
    ]
    for line, expected in zip(lines, medians, strict=True):
        np.testing.assert_allclose(
            np.asarray(line["y"], float), np.where(np.isinf(expected), np.nan, expected)
        )
    curves = [t for t in by_mode(shown["run"], "lines") if t["line"].get("dash") != "dot"]
    assert len(curves) == 14
    first = learned[64].losses[1, 0, 0]
    np.testing.assert_allclose(curves[0]["y"], first)
    words = Words(language)
    for verdict in finished.verdicts:
        assert words(f"scaling.learning.key_{verdict.key}") in html(app)
    # Another d_k of the curves is another picture of the same training.
    group = {group.key: group for group in app.button_group}["w_learned_d_k"]
    checked(group.set_value("512").run())
    curves = [t for t in by_mode(figures(app)["run"], "lines") if t["line"].get("dash") != "dot"]
    np.testing.assert_allclose(curves[0]["y"], learned[512].losses[1, 0, 0])


def test_training_begins_stops_and_goes_on_by_one_button() -> None:
    app = open_page("scaling", present=1, reveal=1, step=5)
    found = session(app).of(Trainings).by_seed
    assert found[0].fraction == 0 and not found[0].running
    checked(app.button(key="training").click().run())
    assert found[0].running and found[0].progress is not None
    assert set(figures(app)) == {"run", "final"}
    checked(app.button(key="training").click().run())
    assert not found[0].running
    before = found[0].fraction
    checked(app.run())
    assert found[0].fraction == before < 1
    checked(app.button(key="training").click().run())
    assert found[0].running and found[0].fraction > before


def test_another_seed_is_another_training_and_lets_go_of_one_that_is_not_finished() -> None:
    app = open_page("scaling", present=1, reveal=1, step=5)
    checked(app.button(key="training").click().run())
    app.query_params["seed"] = "1"
    checked(app.run())
    assert list(session(app).of(Trainings).by_seed) == [1]
    assert session(app).of(Trainings).by_seed[1].progress is None
