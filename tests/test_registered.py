"""A score function and a normalizer put into the registries at run time are everywhere, with no other line changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention, attend
from attnviz.core.arrays import Array
from attnviz.core.normalizers import NORMALIZERS, Normalizer
from attnviz.core.scores import SCORE_FUNCTIONS, Parameter, ScoreFunction, random_score_parameters
from attnviz.core.written import Cell, Line, Pair, Row, Written, sign
from attnviz.explain import explain
from attnviz.explain.formulas import Ink, formulas
from attnviz.lesson.budget import SECONDS, token_limit
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, Settings, from_link, to_link
from attnviz.words import languages
from tests.explain.printed import printed
from tests.pages.app import figures, heatmaps, html, link, markdown, open_more, open_page

N, M, H, D_MODEL, D_K, D_V = 6, 4, 3, 7, 5, 2
SIZES = {
    "sentence": "the cat sat on the mat",
    "source": "a dog sleeps here",
    "d_model": D_MODEL,
    "num_heads": H,
    "d_k": D_K,
    "d_v": D_V,
}
GENERATOR = np.random.default_rng(11)
QUERY, KEY, VALUE = (GENERATOR.normal(size=(H, *shape)) for shape in ((N, D_K), (M, D_K), (M, D_V)))
INK = Ink(query="#000001", key="#000002", value="#000003", output="#000004")
each_language = pytest.mark.parametrize("language", languages())


def taxi(query: Array, key: Array, *, u: Array, width: float = 2.0) -> Array:
    """-sum_c u_c abs(q_c - k_c) / width, every pair at once."""
    distance = np.abs(query[..., :, None, :] - key[..., None, :, :])  # (..., n, m, d_k)
    return -(u[..., None, None, :] * distance).sum(axis=-1) / width


def taxi_written(pair: Pair) -> Written:
    terms = tuple(
        (sign("−"), u, sign(" × abs("), q, sign(" − "), k, sign(") / "), pair.number("width"))
        for u, q, k in zip(pair.entries("u"), pair.query, pair.key, strict=True)
    )
    return Written((Line((sign("s"),), terms, pair.score),))


def relu(scores: Array, keep: Array | None = None) -> Array:
    """max(s, 0) where the mask keeps something: rows sum to anything."""
    return np.where(True if keep is None else keep, np.maximum(scores + 2.0, 0.0), 0.0)


def relu_written(row: Row) -> Written:
    return Written((Line((sign("a"),), ((sign("max("), row.score, sign(" + 2, 0)")),), row.weight),))


TAXI = ScoreFunction(
    "taxi",
    taxi,
    row_formula=r"s_{ij} = -\sum_c u_c\,|q_i - k_j|_c / \omega",
    column_formula=r"s_{ji} = -\sum_c u_c\,|k_j - q_i|_c / \omega",
    source="Minkowski 1910",
    parameters={
        "u": Parameter(axes=("d_k",)),
        "width": Parameter(2.0, 0.5, 8.0, symbol=r"\omega", letter="ω"),
    },
    products_per_second=1_000_000,
    written=taxi_written,
)
RELU = Normalizer(
    "relu",
    relu,
    row_formula=r"a_{ij} = \max(m_{ij} + 2, 0)",
    column_formula=r"a_{ji} = \max(m_{ji} + 2, 0)",
    written=relu_written,
)
SILENT = {"taxi": ScoreFunction("taxi", taxi, parameters=TAXI.parameters), "relu": Normalizer("relu", relu)}


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCORE_FUNCTIONS, "taxi", TAXI)
    monkeypatch.setitem(NORMALIZERS, "relu", RELU)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same two, saying nothing of how they compute."""
    monkeypatch.setitem(SCORE_FUNCTIONS, "taxi", SILENT["taxi"])
    monkeypatch.setitem(NORMALIZERS, "relu", SILENT["relu"])


def taxi_settings(**values: Any) -> Settings:
    return DEFAULTS.put(**(SIZES | {"score": "taxi", "width": 3.0, "normalizer": "relu"} | values))


def lesson(**values: Any) -> Lesson:
    made = make_lesson(taxi_settings(**values))
    assert made is not None
    return made


def oracle(query: Array, key: Array, u: Array, width: float) -> Array:
    """The scores of one head, number by number."""
    return np.array([[-sum(u * abs(q - k)) / width for k in key] for q in query])


# --- the core -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("registered")
def test_attend_and_a_layer_take_them_by_name_with_their_parameters() -> None:
    u = GENERATOR.normal(size=(H, D_K))
    made = attend(QUERY, KEY, VALUE, score="taxi", u=u, width=3.0, normalizer="relu")
    layer = MultiHeadAttention.random(d_model=D_MODEL, num_heads=H, d_k=D_K, d_v=D_V, seed=2)
    x = GENERATOR.normal(size=(N, D_MODEL))
    trace = layer(x, score="taxi", u=u, normalizer="relu")  # the width is that of the record
    for h in range(H):
        expected = oracle(QUERY[h], KEY[h], u[h], 3.0)
        np.testing.assert_allclose(made.scores[h], expected, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(made.weights[h], np.maximum(expected + 2.0, 0.0), rtol=0.0, atol=1e-12)
        in_layer = oracle(trace.query[h], trace.key[h], u[h], 2.0)
        np.testing.assert_allclose(trace.scores[h], in_layer, rtol=0.0, atol=1e-12)
    assert made.scale == trace.scale == 1.0
    assert trace.recipe.score is TAXI
    assert trace.recipe.normalizer is RELU


def test_without_them_the_names_are_unknown() -> None:
    with pytest.raises(ValueError, match=r"score must be one of dot.*; got 'taxi'"):
        attend(QUERY, KEY, VALUE, score="taxi")
    with pytest.raises(ValueError, match=r"normalizer must be one of softmax.*; got 'relu'"):
        attend(QUERY, KEY, VALUE, normalizer="relu")


def test_a_second_record_of_the_same_name_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    for factor in (2.0, 5.0):
        function: Callable[..., Array] = lambda q, k, c=factor: c * (q @ k.mT)  # noqa: E731
        weigh: Callable[..., Array] = lambda s, keep=None, c=factor: np.full(s.shape, c)  # noqa: E731
        monkeypatch.setitem(SCORE_FUNCTIONS, "twice", ScoreFunction("twice", function))
        monkeypatch.setitem(NORMALIZERS, "flat", Normalizer("flat", weigh))
        made = attend(QUERY, KEY, VALUE, score="twice", normalizer="flat")
        np.testing.assert_allclose(made.scores, factor * (QUERY @ KEY.mT), rtol=1e-15)
        assert (made.weights == factor).all()


@pytest.mark.usefixtures("registered")
def test_its_arrays_are_drawn_in_streams_of_their_own_that_a_larger_d_k_extends() -> None:
    small, large = (
        random_score_parameters("taxi", d_k=d_k, num_heads=heads, seed=3)["u"]
        for d_k, heads in ((3, 2), (9, 4))
    )
    np.testing.assert_allclose(large[:2, :3] * 3.0, small * np.sqrt(3.0), rtol=1e-15)
    assert len(np.unique(large)) == large.size


# --- the lesson ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("registered")
def test_the_link_carries_them_and_reads_their_parameter_within_the_records_limits() -> None:
    settings = taxi_settings()
    read, problems = from_link(to_link(settings))
    assert read == settings
    assert not problems
    assert read["width"] == 3.0
    clamped, (problem,) = from_link({"score": "taxi", "width": "100"})
    assert clamped["width"] == 8.0
    assert (problem.name, problem.problem) == ("width", "clamped")


def test_a_link_that_names_what_is_not_registered_falls_back() -> None:
    read, problems = from_link({"score": "taxi", "normalizer": "relu", "width": "3"})
    assert read == DEFAULTS
    assert [problem.name for problem in problems] == ["score", "normalizer"]


@pytest.mark.usefixtures("registered")
def test_the_lesson_computes_with_the_parameter_that_is_set() -> None:
    trace = lesson().trace
    u = np.asarray(trace.score_parameters["u"])
    expected = oracle(trace.query[1], trace.key[1], u[1], 3.0)
    np.testing.assert_allclose(trace.scores[1], expected, rtol=0.0, atol=1e-12)


@pytest.mark.usefixtures("registered")
def test_the_budget_counts_what_it_costs() -> None:
    wide = {"d_k": 64, "num_heads": 8, "d_model": 64}
    most = int(np.sqrt(SECONDS * 1_000_000 / (8 * 64)))  # where nothing else would take time
    assert most - 2 <= token_limit(taxi_settings(**wide)) <= most
    assert token_limit(taxi_settings(**wide, score="dot")) == 512


# --- explanation and formulas ---------------------------------------------------------------------------


@pytest.mark.usefixtures("registered")
def test_the_board_writes_out_their_own_arithmetic() -> None:
    trace = lesson().trace
    for cell in (Cell("scores", 4, 3, 2), Cell("weights", 4, 3, 2)):
        found = explain(trace, cell)
        line = found.lines[-1]
        assert line.result is not None
        assert printed(line) == pytest.approx(found.value, rel=1e-12, abs=1e-12)
        assert "not_written" not in found.notes
    (line,) = explain(trace, Cell("scores", 4, 3, 2)).lines
    assert len(line.terms) == D_K
    assert [o.matrix for o in explain(trace, Cell("scores", 4, 3, 2)).operands] == [
        "query", "key", "score_u", "scores",
    ]  # fmt: skip
    assert explain(trace, Cell("score_u", 0, 2, 1)).value == np.asarray(trace.score_parameters["u"])[1, 2]


@pytest.mark.usefixtures("registered")
def test_the_formulas_are_their_own_in_both_notations_with_the_number_that_is_set() -> None:
    trace = lesson().trace
    rows, columns = (formulas("scores", trace, INK, columns=c)[0] for c in (False, True))
    assert rows == r"S_{ij} = -\sum_c u_c\,|\textcolor{#000001}{q_i} - \textcolor{#000002}{k_j}|_c / 3"
    assert columns.startswith("S_{ji} = ")
    assert formulas("weights", trace, INK)[0].endswith(r"\max(m_{ij} + 2, 0)")


@pytest.mark.usefixtures("silent")
def test_what_says_nothing_of_how_it_computes_gets_an_honest_line_and_no_other_ones_formula() -> None:
    trace = lesson().trace
    score, weight = (explain(trace, Cell(name, 4, 3, 2)) for name in ("scores", "weights"))
    for found, call in ((score, "taxi(q, k)"), (weight, "relu(m)")):
        assert found.notes == ("not_written",)
        last = found.lines[-1]
        assert last.terms[0][0].text == call
        assert last.result is not None
        assert last.result.value == found.value
    assert [[p.value for (p,) in line.terms] for line in score.lines[:2]] == [
        trace.query[2, 4].tolist(),
        trace.key[2, 3].tolist(),
    ]
    assert [p.value for (p,) in weight.lines[0].terms] == trace.scaled[2, 4].tolist()
    assert r"\operatorname{taxi}" in formulas("scores", trace, INK)[0]
    assert r"\operatorname{relu}" in formulas("weights", trace, INK)[0]
    assert "softmax" not in str(explain(trace, Cell("weights", 4, 3, 2)))


# --- the screen ---------------------------------------------------------------------------------------


@each_language
@pytest.mark.usefixtures("registered")
def test_sidebar_station_and_board_name_them_in_every_language(language: str) -> None:
    values = SIZES | {"score": "taxi", "width": 3, "normalizer": "relu", "language": language}
    app = open_page(**values, stage="scores", ask="scores")
    (score,) = (box for box in app.selectbox if box.key == "w_score")
    assert score.value == "taxi"
    assert "taxi" in score.options
    (width,) = (box for box in app.number_input if box.key == "w_width")
    assert (width.label, width.value, width.min, width.max) == ("ω", 3.0, 0.5, 8.0)
    expected = lesson().trace
    np.testing.assert_allclose(heatmaps(figures(app)["main_scores"])[0], expected.scores[0], rtol=1e-5)
    assert "taxi(" in html(app)
    weights = open_more(open_page(**values, stage="weights", ask="weights"))
    assert "relu" in html(weights)
    (normalizer,) = (box for box in weights.selectbox if box.key == "w_normalizer")
    assert normalizer.value == "relu"
    assert link(weights)["width"] == "3"


@each_language
@pytest.mark.usefixtures("registered")
def test_the_page_of_scores_shows_it_beside_the_others_and_counts_it(language: str) -> None:
    app = open_page("scores", **SIZES, score="taxi", width=3, reveal=1, language=language)
    count = len(SCORE_FUNCTIONS)
    maps = heatmaps(figures(app)["score_maps"])
    assert len(maps) == 2 * count
    np.testing.assert_allclose(maps[count - 1], lesson(normalizer="softmax").trace.scores[0], rtol=1e-5)
    table = next(text for text in markdown(app) if text.startswith("|"))
    row = next(line for line in table.splitlines() if TAXI.source in line)
    assert TAXI.row_formula in row
    assert "ω = 3" in row
    assert any(str(count) in header.value for header in app.header)


@pytest.mark.usefixtures("silent")
def test_the_pages_stand_without_words_formulas_and_arithmetic() -> None:
    values = SIZES | {"score": "taxi", "normalizer": "relu", "reveal": 1}
    for page in ("scores", "masks", "heads"):
        open_page(page, **values)
    for stage in ("scores", "scaled", "weights", "overview"):
        open_page(**values, stage=stage, ask="scores" if stage == "scores" else "", pinned="score%3Ddot")
