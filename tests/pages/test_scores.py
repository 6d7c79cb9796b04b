"""How alike are a query and a key? Every number on the page, computed anew."""

import re
from html import unescape

import numpy as np
import pytest

from attnviz.core.scores import SCORE_FUNCTIONS, random_score_parameters
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import Settings
from attnviz.words import languages
from tests.pages.app import checked, figures, heatmaps, html, link, markdown, open_page, settings

CHARTS = {"score_maps", "length_curves", "angle_curves", "surfaces", "self_and_cross"}
SIZES: dict[str, object] = {
    "sentence": "the cat sat on the mat",
    "d_model": 7,
    "num_heads": 3,
    "d_k": 4,
    "d_v": 5,
}
each_language = pytest.mark.parametrize("language", languages())


def lesson(**values: object) -> Lesson:
    made = make_lesson(Settings().put(**(SIZES | values)))
    assert made is not None
    return made


@each_language
@pytest.mark.parametrize("source", ["", "a dog sleeps here today"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_the_maps_are_the_scores_and_weights_of_five_layers(
    language: str, source: str, notation: str
) -> None:
    app = open_page("scores", language=language, source=source, notation=notation, head=2, reveal=1, **SIZES)
    shown = figures(app)
    assert set(shown) == CHARTS and all(figure["alt"] for figure in shown.values())
    maps = heatmaps(shown["score_maps"])
    for k, score in enumerate(SCORE_FUNCTIONS):
        trace = lesson(score=score, source=source).trace
        for found, expected in ((maps[k], trace.scores[1]), (maps[5 + k], trace.weights[1])):
            turned = expected.T if notation == "columns" else expected
            np.testing.assert_allclose(found, turned, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("source", ["", "a dog sleeps here today"])
def test_self_and_cross_are_drawn_with_the_same_functions(source: str) -> None:
    app = open_page("scores", source=source, reveal=1, **SIZES)
    maps = heatmaps(figures(app)["self_and_cross"])
    example = source or "私はペンを持っています。"
    for k, score in enumerate(SCORE_FUNCTIONS):
        np.testing.assert_allclose(maps[k], lesson(score=score).trace.scores[0], rtol=1e-5, atol=1e-6)
        cross = lesson(score=score, source=example).trace.scores[0]
        np.testing.assert_allclose(maps[5 + k], cross, rtol=1e-5, atol=1e-6)
    assert "<b>any of them</b>" in html(app)


def test_the_table_tells_formula_parameters_source_and_the_key_that_gets_most() -> None:
    app = open_page("scores", query=1, reveal=1, beta=7, **SIZES)
    (table,) = (text for text in markdown(app) if text.startswith("| score"))
    rows = dict(zip(SCORE_FUNCTIONS, table.splitlines()[2:], strict=True))
    for score, row in rows.items():
        trace = lesson(score=score, beta=7).trace
        assert SCORE_FUNCTIONS[score].row_formula in row and SCORE_FUNCTIONS[score].source in row
        best = int(trace.weights[0, 1].argmax())
        assert f"weight {trace.weights[0, 1, best]:.2f}" in row
    arrays = random_score_parameters("additive", d_k=4, num_heads=1, seed=0).values()
    assert f"{sum(array[0].size for array in arrays)} to be learnt" in rows["additive"]
    assert "β = 7" in rows["cosine"]


def cells(app: object) -> dict[str, list[str]]:
    """The table of changes: what is said in each cell, by function."""
    (table,) = re.findall(r'<table class="av-table av-tight">.*?</table>', html(app))  # type: ignore[arg-type]
    rows = re.findall(r"<tr><th scope='row'>(.*?)</th>(.*?)</tr>", unescape(table))
    return {name: re.findall(r"<td>(.*?)</td>", row) for name, row in rows}


def test_doubling_turning_and_swapping_are_measured_on_the_readers_own_vectors() -> None:
    app = open_page("scores", query=2, key=4, stretch=3, turn=40, reveal=1, **SIZES)
    trace = lesson().trace
    query, key = trace.query[0], trace.key[0]
    found = cells(app)
    assert [len(row) for row in found.values()] == [5] * 5
    longer, both, turned, _, swapped = found["dot"]
    score = float(query[2] @ key[4])
    for cell, factor in ((longer, 3), (both, 9), (turned, 1), (swapped, 1)):
        before, after = cell.split('av-muted">')[1].removesuffix("</span>").replace("−", "-").split(" → ")
        assert float(before) == pytest.approx(score, abs=0.005)
        if cell is not swapped:
            assert float(after) == pytest.approx(factor * score, abs=0.005)
    assert "× 3" in longer and "× 9" in both and "unchanged" in turned and "unchanged" in swapped
    distance = float(((3 * query[2] - key[4]) ** 2).sum())
    assert f"→ {-distance / 2:.2f}".replace("-", "−") in found["gaussian"][0]
    assert all("unchanged" in found["cosine"][i] for i in (0, 1, 2, 4))


def test_the_curves_pass_through_the_pair_in_focus() -> None:
    app = open_page("scores", query=2, key=4, reveal=1, **SIZES)
    shown = figures(app)
    curves = [t for t in shown["length_curves"]["data"] if t["mode"] == "lines" and len(t["x"]) > 2]
    for curve, score in zip(curves, SCORE_FUNCTIONS, strict=True):
        at = int(np.argmin(np.abs(curve["x"] - 1.0)))
        assert curve["x"][at] == pytest.approx(1.0)
        assert curve["y"][at] == pytest.approx(lesson(score=score).trace.scores[0, 2, 4], rel=1e-6)


def test_the_landscapes_follow_the_sliders_and_the_sliders_stand_in_the_link() -> None:
    app = open_page("scores", query_angle=90, query_length=2, reveal=1)
    surface = figures(app)["surfaces"]
    dot = surface["data"][0]
    keys = np.stack(np.meshgrid(dot["x"], dot["y"]), axis=-1)
    np.testing.assert_allclose(dot["z"], keys @ np.array([0.0, 2.0]), rtol=0, atol=1e-5)
    app = checked(app.slider(key="w_query_length").set_value(1.0).run())
    assert link(app)["query_length"] == "1" and settings(app)["query_length"] == 1.0
    halved = figures(app)["surfaces"]["data"][0]["z"]
    np.testing.assert_allclose(halved, dot["z"] / 2, rtol=0, atol=1e-5)


def test_the_sentence_s_own_keys_stand_in_the_plane_where_d_k_is_2() -> None:
    app = open_page("scores", reveal=1, **(SIZES | {"d_k": 2}))
    points = [t for t in figures(app)["surfaces"]["data"] if t["type"] == "scatter" and len(t["x"]) == 6]
    key = lesson(d_k=2).trace.key[0]
    assert len(points) == 5
    np.testing.assert_allclose(np.stack([points[0]["x"], points[0]["y"]], axis=1), key, rtol=1e-6)


def test_the_answers_are_those_of_the_numbers() -> None:
    said = html(open_page("scores", reveal=1, **SIZES))
    assert "<b>only some</b>" in said and "<b>on lines at right angles to q</b>" in said
    best = {int(lesson(score=score).trace.weights[0, 3].argmax()) for score in SCORE_FUNCTIONS}
    expected = {1: "yes, all 5 agree", 5: "all 5 differ"}.get(len(best), "some agree")
    assert f"<b>{expected}</b>" in said


def test_one_token_makes_all_functions_agree() -> None:
    assert "<b>yes, all 5 agree</b>" in html(open_page("scores", sentence="cat", reveal=1))


def test_a_query_that_may_look_at_nothing_chooses_no_key() -> None:
    app = open_page("scores", mask="padding", padding=9, reveal=1)
    assert "may look at nothing" in html(app)
    (table,) = (text for text in markdown(app) if text.startswith("| score"))
    assert "score" not in "".join(table.splitlines()[2:])


def test_of_a_long_sentence_the_queries_round_the_focus_are_compared() -> None:
    app = open_page("scores", sentence="w1 " * 300, query=200, d_model=4, num_heads=1, reveal=1)
    assert "those from 168 to 231 are compared" in html(app)
    assert heatmaps(figures(app)["score_maps"])[0].shape[0] == 64


def test_hostile_tokens_are_text_in_the_table() -> None:
    app = open_page("scores", sentence="| <b> $x$ ` [a](b)", query=1, reveal=1)
    (table,) = (text for text in markdown(app) if text.startswith("| score"))
    for line in table.splitlines():
        assert len(re.findall(r"(?<!\\)\|", line)) == 7
    assert "<b>" not in table and "$x$" not in table


def test_without_a_sentence_the_page_asks_for_one() -> None:
    app = open_page("scores", sentence=" ", reveal=1)
    assert figures(app) == {} and "Type a sentence" in html(app)


def test_nothing_is_given_away_before_a_guess() -> None:
    app = open_page("scores")
    assert figures(app) == {} and "av-sumup" not in html(app) and "av-tight" not in html(app)
