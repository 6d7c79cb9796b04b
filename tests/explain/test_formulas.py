"""The sizes under the symbols of a formula are the shapes of what was computed, in both notations."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.layer import MultiHeadAttention
from attnviz.core.modifiers import alibi_bias
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.explain.formulas import FORMULAS, Ink
from attnviz.explain.formulas import formulas as formulas_of
from attnviz.explain.in_lesson import formulas_in
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, STAGES, Settings, find_setting

INK = Ink(query="#000001", key="#000002", value="#000003", output="#000004")
N, M, H, D_MODEL, D_K, D_V = 6, 4, 3, 7, 2, 5
CROSS = replace(
    DEFAULTS,
    sentence="the cat sat on the mat",
    source="a dog sleeps here",
    d_model=D_MODEL,
    num_heads=H,
    d_k=D_K,
    d_v=D_V,
)
each_stage = pytest.mark.parametrize("stage", STAGES)
each_notation = pytest.mark.parametrize("notation", ["rows", "columns"])


def lesson(settings: Settings, **values: object) -> Lesson:
    made = make_lesson(settings.put(**values))
    assert made is not None
    return made


def formulas(stage: str, made: Lesson, ink: Ink) -> tuple[str, ...]:
    return formulas_in(made, stage, ink)


def sizes(formula: str) -> list[tuple[str, int, int]]:
    """Each sized symbol of a formula, in order, without its colour: (symbol, rows, columns)."""
    found = []
    for match in re.finditer(r"\\underset\{(\d+)\\times (\d+)\}\{", formula):
        symbol = group(formula, match.end() - 1)
        while coloured := re.match(r"\\textcolor\{#\w{6}\}(?=\{)", symbol):
            inner = group(symbol, coloured.end())
            symbol = inner + symbol[coloured.end() + len(inner) + 2 :]
        found.append((symbol, int(match[1]), int(match[2])))
    return found


def group(text: str, start: int) -> str:
    """What stands in the braces that open at `start`."""
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[start + 1 : end]
    raise AssertionError(f"an unclosed brace in {text}")


# What each symbol of row notation stands for; h and the numbers of heads are put in.
SHAPES = {
    "x": (N, D_MODEL), "x'": (M, D_MODEL),
    "Q_h": (N, D_K), "K_h": (M, D_K), "V_h": (M, D_V), "K_h^{\\top}": (D_K, M),
    "W_h^Q": (D_MODEL, D_K), "W_h^K": (D_MODEL, D_K), "W_h^V": (D_MODEL, D_V), "W_h": (D_K, D_K),
    "S_h": (N, M), r"\tilde S_h": (N, M), "M_h": (N, M), "A_h": (N, M),
    "O_h": (N, D_V), "C": (N, H * D_V), "W^O": (H * D_V, D_MODEL), "Y": (N, D_MODEL),
    **{f"O_{{{h}}}": (N, D_V) for h in range(1, H + 1)},
    **{f"W_{{{h}}}^O": (D_V, D_MODEL) for h in range(1, H + 1)},
}  # fmt: skip


def shape_in_columns(symbol: str) -> tuple[int, int]:
    """Every matrix is turned; where row notation writes K^T, column notation writes K^T of the turned K."""
    rows, columns = SHAPES[symbol.removesuffix(r"^{\top}")]
    return (rows, columns) if symbol.endswith(r"^{\top}") else (columns, rows)


def test_every_station_has_its_formulas() -> None:
    assert tuple(FORMULAS) == STAGES


@each_stage
@pytest.mark.parametrize("score", find_setting("score").kind.options)  # type: ignore[attr-defined]
def test_in_rows_every_symbol_has_the_shape_of_what_it_stands_for(stage: str, score: str) -> None:
    for formula in formulas(stage, lesson(CROSS, score=score), INK):
        for symbol, *shape in sizes(formula):
            assert tuple(shape) == SHAPES[symbol], formula


@each_stage
@pytest.mark.parametrize("score", find_setting("score").kind.options)  # type: ignore[attr-defined]
def test_in_columns_every_symbol_has_the_shape_turned(stage: str, score: str) -> None:
    for formula in formulas(stage, lesson(CROSS, score=score, notation="columns"), INK):
        for symbol, *shape in sizes(formula):
            assert tuple(shape) == shape_in_columns(symbol), formula


@each_stage
@each_notation
def test_the_left_side_of_a_formula_has_the_shape_of_the_trace(stage: str, notation: str) -> None:
    made = lesson(CROSS, notation=notation)
    trace = made.trace
    arrays = {
        "x": [trace.x, trace.x_source], "qkv": [trace.query, trace.key, trace.value],
        "scores": [trace.scores], "scaled": [trace.scaled], "masked": [trace.scaled],
        "weights": [trace.weights], "heads": [trace.head_outputs], "concat": [trace.concat],
        "output": [trace.output],
    }[stage]  # fmt: skip
    shapes = [array.shape[-2:] if notation == "rows" else array.shape[:-3:-1] for array in arrays]
    assert [tuple(sizes(formula)[0][1:]) for formula in formulas(stage, made, INK)] == shapes


@each_stage
@each_notation
@pytest.mark.parametrize("source", ["", CROSS.source], ids=["self", "cross"])
def test_the_inner_sizes_of_a_product_agree(stage: str, notation: str, source: str) -> None:
    for formula in formulas(stage, lesson(CROSS, notation=notation, source=source, score="general"), INK):
        for product in re.split(r"=|\+(?![^{]*\})|softmax|/", formula):
            factors = sizes(product)
            for (_, _, inner), (_, rows, _) in itertools.pairwise(factors):
                assert inner == rows, product


@each_stage
@each_notation
@pytest.mark.parametrize("num_heads", [1, 2, 16])
def test_braces_are_balanced_and_no_word_of_the_reader_is_in_a_formula(
    stage: str, notation: str, num_heads: int
) -> None:
    made = lesson(CROSS, notation=notation, num_heads=num_heads, sentence="QQzz $ {QQzz", source="QQzz }")
    for formula in formulas(stage, made, INK):
        assert "QQzz" not in formula
        assert "$" not in formula
        assert group("{" + formula + "}", 0) == formula


@each_stage
@pytest.mark.parametrize("scale", ["auto", "none", "sqrt_d_model"])
@pytest.mark.parametrize("score", SCORE_FUNCTIONS)
def test_no_formula_begins_or_ends_with_a_space_which_markdown_would_show_as_dollars(
    stage: str, scale: str, score: str
) -> None:
    for formula in formulas(stage, lesson(CROSS, scale=scale, score=score), INK):
        assert formula == formula.strip() != ""


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ({}, r"/\sqrt{2}"),
        ({"scale": "sqrt_d_model"}, r"/\sqrt{7}"),
        ({"scale": "number", "divisor": 2.5}, r"/\,2.5"),
        ({"scale": "none"}, ""),
        ({"score": "cosine"}, ""),
        ({"score": "cosine", "scale": "sqrt_d_k"}, r"/\sqrt{2}"),
    ],
)
def test_the_scaled_station_shows_the_number_that_divides(values: dict[str, object], written: str) -> None:
    made = lesson(CROSS, **values)
    (formula,) = formulas("scaled", made, INK)
    assert formula.endswith("S_h" + written)
    root = re.search(r"sqrt\{(\d+)\}", written)
    shown = float(root[1]) ** 0.5 if root else float(written.removeprefix(r"/\,") or 1)
    assert made.trace.scale == pytest.approx(shown, rel=1e-15)


def test_temperature_softcap_bias_residual_and_biases_are_in_the_formula_where_they_are_on() -> None:
    made = lesson(
        CROSS, temperature=3.0, softcap=20.0, bias_kind="alibi", mask="causal", residual=True, bias=True
    )
    (scaled,) = formulas("scaled", made, INK)
    assert "/ 3" in scaled
    assert r"20\tanh" in scaled
    assert r"- m_h\,(i-j)" in scaled
    assert all(
        formula.endswith(f"+ b_h^{letter}")
        for formula, letter in zip(formulas("qkv", made, INK), "QKV", strict=True)
    )
    assert formulas("output", made, INK)[0].endswith("+ b^O + x")
    plain = lesson(CROSS, bias_kind="alibi")
    assert r"- m_h\,|i-j|" in formulas("scaled", plain, INK)[0]
    assert not re.search(r"tanh|/ \d", formulas("scaled", plain, INK)[0])


def test_a_bias_of_ones_own_is_named_and_not_taken_for_alibi() -> None:
    layer = MultiHeadAttention.random(d_model=7, num_heads=3, d_k=2, d_v=5, seed=0)
    bias = alibi_bias(3, 4, 4)
    alibi = layer(np.ones((4, 7)), bias=bias)
    own = layer(np.ones((4, 7)), bias=np.where(np.eye(4) == 1, 0.5, bias))
    assert formulas_of("scaled", alibi, INK)[0].endswith(r" - m_h\,|i-j|")
    assert formulas_of("scaled", own, INK)[0].endswith(" + B_h")


def test_rotary_positions_turn_query_and_key_and_leave_the_value() -> None:
    query, key, value = formulas("qkv", lesson(CROSS, rotary=True, bias=True), INK)
    for formula in (query, key):
        assert re.fullmatch(r".* = \\operatorname\{rotate\}\\big\(.*b_h\^[QK]\\big\)", formula)
    assert "rotate" not in value
