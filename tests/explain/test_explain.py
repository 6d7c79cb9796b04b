"""Every line of every explanation is recomputed from its own printed parts and compared with NumPy's."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.layer import MultiHeadAttention
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.core.written import Part, bracketed, shown, sign
from attnviz.explain import EXPLAINERS, MATRICES, Cell, matrix_names
from attnviz.explain import explain as explain_trace
from attnviz.explain import matrix as matrix_of
from attnviz.explain.in_lesson import explain_in as explain
from attnviz.explain.reference import ask, asked_at, asked_cell, from_text, moved, to_text
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import STAGES, Settings
from tests.explain.printed import printed

BASE = Settings(
    sentence="the cat sat on the mat",
    source="un chat noir",
    d_model=7,
    num_heads=3,
    d_k=3,
    d_v=5,
    seed=4,
    head=2,
)
# Every setting that changes how a number comes about, each beside sizes that are all different.
VARIANTS = {
    "plain": {},
    "self": {"source": ""},
    "biases and residual": {"bias": True, "residual": True},
    "positions": {"position": "sinusoidal", "source": ""},
    "rotary": {"rotary": True, "bias": True},
    "no scale": {"scale": "none"},
    "temperature and softcap": {"temperature": 0.5, "softcap": 3.0},
    "alibi": {"bias_kind": "alibi", "source": ""},
    "causal alibi": {"bias_kind": "alibi", "source": "", "mask": "causal"},
    "causal": {"mask": "causal"},
    "sharp": {"temperature": 0.05},
    "sparsemax": {"normalizer": "sparsemax"},
    "sigmoid": {"normalizer": "sigmoid", "mask": "window"},
    "whole numbers": {"preset": "integers"},
    **{f"score {name}": {"score": name} for name in SCORE_FUNCTIONS},
}


def lesson_of(variant: str) -> Lesson:
    """The lesson of one variant."""
    lesson = make_lesson(BASE.put(**VARIANTS[variant]))
    assert lesson is not None
    return lesson


def matrix(lesson: Lesson, name: str, head: int) -> np.ndarray:
    return matrix_of(lesson.trace, name, head)


def cells(lesson: Lesson) -> list[Cell]:
    """The corners and one middle cell of every matrix that this lesson has, in its second head."""
    found = []
    for name in matrix_names(lesson.trace):
        rows, columns = matrix(lesson, name, 1).shape
        places = {(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2), (0, columns - 1), (rows - 1, 0)}
        found += [Cell(name, row, column, 1) for row, column in sorted(places)]
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_printed_parts_of_every_line_recompute_to_its_result(variant: str) -> None:
    lesson = lesson_of(variant)
    checked = 0
    for cell in cells(lesson):
        for line in explain(lesson, cell).lines:
            if line.result is not None:
                assert line.result.value is not None
                assert printed(line) == pytest.approx(line.result.value, rel=1e-10, abs=1e-12), (cell, line)
                checked += 1
    assert checked > 40


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_last_line_ends_in_the_stored_number(variant: str) -> None:
    lesson = lesson_of(variant)
    for cell in cells(lesson):
        explanation = explain(lesson, cell)
        stored = matrix(lesson, cell.matrix, cell.head)[cell.row, cell.column]
        if np.isnan(stored):
            assert np.isnan(explanation.value)
            assert not explanation.lines
            assert "masked_hidden" in explanation.notes
        elif explanation.lines:
            last = explanation.lines[-1]
            result = last.result or last.terms[-1][-1]
            assert explanation.value == stored == result.value


def test_a_trace_alone_is_explained_with_any_bias_and_any_scale() -> None:
    """What no setting of the lesson makes: a bias of one's own, a divisor, score arrays that all heads share."""
    rng = np.random.default_rng(3)
    layer = MultiHeadAttention.random(d_model=6, num_heads=3, d_k=4, d_v=5, seed=1, bias=True)
    bias = rng.normal(size=(3, 1, 2))
    w = rng.normal(size=(4, 4))
    x, source = rng.normal(size=(5, 6)), rng.normal(size=(2, 6))
    trace = layer(
        x, source, score="general", w=w, scale=1.5, temperature=2.0, bias=bias, rotary=True, softcap=4.0
    )
    for name in matrix_names(trace):
        rows, columns = matrix_of(trace, name, 2).shape
        found = explain_trace(trace, Cell(name, rows - 1, columns - 1, 2))
        assert found.value == matrix_of(trace, name, 2)[-1, -1]
        for line in found.lines:
            if line.result is not None:
                assert printed(line) == pytest.approx(line.result.value, rel=1e-10, abs=1e-12), (name, line)
    last = explain_trace(trace, Cell("scaled", 4, 1, 2)).lines[-1]
    assert last.terms[-1][-1].value == bias[2, 0, 1]


def test_a_hidden_key_has_the_weight_zero_and_says_why() -> None:
    explanation = explain(lesson_of("causal"), Cell("weights", 0, 2, 1))
    assert explanation.value == 0
    assert explanation.notes == ("masked_weight",)
    assert explanation.sources[0] == Cell("masked", 0, 2, 1)


def test_a_head_output_has_no_term_for_a_hidden_key() -> None:
    lesson = lesson_of("causal")
    m = lesson.trace.weights.shape[2]
    for query in range(3):
        explanation = explain(lesson, Cell("head_outputs", query, 1, 1))
        assert len(explanation.lines[0].terms) == min(query + 1, m)
        assert explanation.value == lesson.trace.head_outputs[1, query, 1]


def test_every_denominator_has_one_exponential_for_each_key_that_is_kept() -> None:
    lesson = lesson_of("causal")
    for query in range(3):
        total = explain(lesson, Cell("weights", query, 0, 1)).lines[0]
        assert len(total.terms) == query + 1


def test_large_scores_are_shifted_so_that_no_exponential_overflows() -> None:
    explanation = explain(lesson_of("sharp"), Cell("weights", 0, 0, 1))
    assert explanation.notes in (("softmax_shifted",), ("softmax",))
    assert all(
        p.value is None or math.isfinite(p.value) for line in explanation.lines for t in line.terms for p in t
    )
    shifted = make_lesson(replace(BASE, temperature=0.05, d_k=64, scale="none"))
    assert shifted is not None
    assert explain(shifted, Cell("weights", 1, 1, 0)).notes == ("softmax_shifted",)


@pytest.mark.parametrize("variant", ["plain", "self", "rotary", "score general", "score additive"])
def test_sources_and_targets_are_cells_of_the_lesson_one_station_apart(variant: str) -> None:
    lesson = lesson_of(variant)
    for cell in cells(lesson):
        if cell.matrix == "x_source" and not lesson.cross:
            continue  # it is x then, and goes by that name
        explanation = explain(lesson, cell)
        for other in (*explanation.sources, *explanation.targets):
            assert from_text(to_text(other), lesson.trace) == other
        for target in explanation.targets:
            back = explain(lesson, target).sources
            assert any(source.matrix == cell.matrix for source in back), (cell, target)


def test_the_first_source_of_a_weight_is_its_own_score_and_the_way_back_leads_to_it_again() -> None:
    lesson = lesson_of("plain")
    for cell in cells(lesson):
        if cell.matrix in ("weights", "masked", "scaled"):
            source = explain(lesson, cell).sources[0]
            assert (source.row, source.column, source.head) == (cell.row, cell.column, cell.head)
            assert explain(lesson, source).targets[0] == cell


def test_a_part_that_names_a_cell_carries_that_cells_number() -> None:
    lesson = lesson_of("biases and residual")
    for cell in cells(lesson):
        for line in explain(lesson, cell).lines:
            for part in (p for term in line.terms for p in term if p.cell is not None):
                assert part.cell is not None
                stored = matrix(lesson, part.cell.matrix, part.cell.head)[part.cell.row, part.cell.column]
                assert part.value == stored


@pytest.mark.parametrize(
    "bad", [Cell("x", 99, 0), Cell("w_q", 0, 3), Cell("scores", 0, 0, 3), Cell("x", -1, 0)]
)
def test_a_place_outside_its_matrix_is_refused(bad: Cell) -> None:
    with pytest.raises(IndexError, match=bad.matrix):
        explain(lesson_of("plain"), bad)


def test_numbers_have_four_digits_and_a_true_minus_sign() -> None:
    assert [shown(v) for v in (0.123456, -1.0, 1234.5678, -0.0, 1e-9, 3.0)] == [
        "0.1235", "−1", "1235", "0", "1e−09", "3",
    ]  # fmt: skip
    assert [p.text for p in bracketed((Part("−2", value=-2.0), sign(" − "), Part("3", value=3.0)))] == [
        "(−2)", " − ", "3",
    ]  # fmt: skip


# --- the asked cell as text ---------------------------------------------------------------------


def test_every_cell_survives_the_way_through_the_settings_and_back() -> None:
    lesson = lesson_of("plain")
    for cell in cells(lesson):
        values = ask(cell)
        focus = {"query": 0, "key": 0} | {n: v for n, v in values.items() if n in ("query", "key")}
        assert (
            asked_cell(values["ask"], lesson.trace, values["head"] - 1, focus["query"], focus["key"]) == cell
        )
        assert values["stage"] in STAGES


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "x.-1", "x.9999999", "x.a", "scores.", "score_w.0.0", "w_q.٣.0", "x.1e3", "__class__"],
)
def test_text_that_means_no_cell_is_none_or_inside(text: str) -> None:
    lesson = lesson_of("plain")
    found = asked_cell(text, lesson.trace, 1, 2, 1)
    assert found is None or explain(lesson, found).cell == found
    assert from_text(text, lesson.trace) is None


@pytest.mark.parametrize("text", ["x.0.99.0", "w_q.3.0.0", "x.0.0", "x.0.0.0.0", "y.0.0.0", "scores.0.0.x"])
def test_what_the_browser_sends_back_is_checked(text: str) -> None:
    assert from_text(text, lesson_of("plain").trace) is None


def test_an_open_board_goes_along_to_another_station_and_a_closed_one_stays_closed() -> None:
    for stage in STAGES:
        assert moved("", stage) == ""
        assert moved("weights", stage) == asked_at(stage)


def test_every_matrix_can_be_asked_about() -> None:
    assert set(EXPLAINERS) == set(MATRICES)
