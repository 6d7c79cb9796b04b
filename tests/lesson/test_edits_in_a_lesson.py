"""What is put in by hand stands exactly where it was put, and everything after it is recomputed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnviz.lesson.edits import AXES, BY_TOKENS, LARGEST, NO_EDITS, Edit, Edits, write_edits
from tests.lesson.edit_cases import ALL, CROSS, ODD, arrays_of, edit_of, lesson

TRACE = ("x", "x_source", "query", "key", "value", "scores", "scaled", "weights",
         "head_outputs", "concat", "contributions", "output")  # fmt: skip

Matrix = list[list[float]]


def times(left: Matrix, right: Matrix) -> Matrix:
    return [[sum(a * right[c][j] for c, a in enumerate(row)) for j in range(len(right[0]))] for row in left]


def plus(matrix: Matrix, row: list[float]) -> Matrix:
    return [[a + b for a, b in zip(line, row, strict=True)] for line in matrix]


def output_by_definition(a: dict[str, Any], d_k: int) -> Matrix:
    """sum_h softmax(additive(q, k) / sqrt(d_k)) v W_h^O + b_o + x in nested loops, from the arrays alone."""
    total = plus([[0.0] * len(row) for row in a["x"]], a["b_o"])
    total = [[s + x for s, x in zip(*rows, strict=True)] for rows in zip(total, a["x"], strict=True)]
    for h in range(len(a["w_q"])):
        query = plus(times(a["x"], a["w_q"][h]), a["b_q"][h])
        key = plus(times(a["x_source"], a["w_k"][h]), a["b_k"][h])
        value = plus(times(a["x_source"], a["w_v"][h]), a["b_v"][h])
        hidden_q = [
            [sum(w * c for w, c in zip(row, q, strict=True)) for row in a["score_w_query"][h]] for q in query
        ]
        hidden_k = [
            [sum(w * c for w, c in zip(row, k, strict=True)) for row in a["score_w_key"][h]] for k in key
        ]
        for i, q in enumerate(hidden_q):
            powers = []
            for j, k in enumerate(hidden_k):
                parts = zip(a["score_v"][h], q, k, strict=True)
                score = sum(v * math.tanh(one + other) for v, one, other in parts)
                powers.append(math.exp(score / math.sqrt(d_k)) if a["keep"][i][j] else 0.0)
            weights = [power / sum(powers) if any(powers) else 0.0 for power in powers]
            head = [sum(w * v[c] for w, v in zip(weights, value, strict=True)) for c in range(len(value[0]))]
            total[i] = [t + y for t, y in zip(total[i], times([head], a["w_o"][h])[0], strict=True)]
    return total


def test_the_output_of_an_edited_lesson_is_the_definition_in_nested_loops() -> None:
    plain = lesson(ALL)
    wanted = {name: array.astype(float).copy() for name, array in arrays_of(plain).items()}
    assert wanted.keys() == AXES.keys() - {"score_w"}
    edits = NO_EDITS
    for number, (name, array) in enumerate(wanted.items()):
        value = 0.0 if name == "keep" else 1.75 - number / 7
        cells = {0: value, array.size // 2: value}
        edits = edits.put(edit_of(plain, name, cells))
        array.reshape(-1)[[*cells]] = value
    made = lesson(ALL, edits)
    for name, array in arrays_of(made).items():
        np.testing.assert_array_equal(array, wanted[name], err_msg=name)
    oracle = output_by_definition({name: array.tolist() for name, array in wanted.items()}, ALL.d_k)
    np.testing.assert_allclose(made.trace.output, oracle, rtol=0, atol=1e-12)
    assert not np.isclose(made.trace.output, plain.trace.output).all(axis=1).any()


@pytest.mark.parametrize("name", AXES)
def test_an_edit_of_one_cell_changes_that_cell_and_marks_it(name: str) -> None:
    settings = replace(ALL, score="general") if name == "score_w" else ALL
    plain = lesson(settings)
    before = arrays_of(plain)
    at = before[name].size - 1
    value = 0.0 if name == "keep" else 2.5
    made = lesson(settings, Edits((edit_of(plain, name, {at: value}),)))
    marked = np.zeros(before[name].shape, bool)
    marked.reshape(-1)[at] = True
    assert made.hand.cells.keys() == {name}
    np.testing.assert_array_equal(made.hand.cells[name], marked)
    for other, array in arrays_of(made).items():
        np.testing.assert_array_equal(
            array != before[other], marked if other == name else np.zeros(array.shape, bool)
        )
    assert arrays_of(made)[name].reshape(-1)[at] == value
    assert made.hand.weights == (() if name in (*BY_TOKENS, "keep") else (name,))


def test_what_comes_before_an_edit_stays_as_it_was() -> None:
    plain = lesson(CROSS)
    made = lesson(CROSS, Edits((edit_of(plain, "w_v", {0: 3.0, 69: -3.0}),)))
    for name in ("x", "x_source", "query", "key", "scores", "scaled", "weights"):
        np.testing.assert_array_equal(getattr(made.trace, name), getattr(plain.trace, name), err_msg=name)
    changed = np.array(
        [not np.array_equal(*pair) for pair in zip(made.trace.value, plain.trace.value, strict=True)]
    )
    assert changed.tolist() == [True, True, False]  # the last head's W_V was left alone


def test_in_self_attention_an_edit_of_x_reaches_query_key_and_value() -> None:
    plain = lesson(ODD)
    made = lesson(ODD, Edits((edit_of(plain, "x", {7: 4.0}),)))
    assert made.trace.x_source is made.trace.x
    for name in ("query", "key", "value"):
        same = [
            np.array_equal(getattr(made.trace, name)[:, i], getattr(plain.trace, name)[:, i])
            for i in range(6)
        ]
        assert same == [True, False, True, True, True, True], name


def test_a_cell_that_holds_what_the_lesson_draws_is_not_marked() -> None:
    plain = lesson(ODD)
    made = lesson(ODD, Edits((Edit.whole("w_k", plain.trace.layer.w_k),)))
    assert (made.hand.cells, made.hand.whole) == ({}, {"w_k"})
    np.testing.assert_array_equal(made.trace.output, plain.trace.output)


def test_a_whole_array_stays_when_the_seed_turns_and_the_rest_follows() -> None:
    plain = lesson(ODD)
    edits = Edits((Edit.whole("w_q", plain.trace.layer.w_q),))
    turned = lesson(replace(ODD, seed=8), edits)
    np.testing.assert_array_equal(turned.trace.layer.w_q, plain.trace.layer.w_q)
    assert not np.isclose(turned.trace.layer.w_k, plain.trace.layer.w_k).any()
    assert turned.hand.cells["w_q"].all()


@pytest.mark.parametrize("change", [{"num_heads": 2}, {"d_model": 6}, {"d_k": 3}])
def test_an_edit_that_fits_no_longer_is_set_aside_and_comes_back_with_the_size(
    change: dict[str, int],
) -> None:
    edits = Edits((edit_of(lesson(ODD), "w_q", {5: 9.0}),))
    other = replace(ODD, **change)  # type: ignore[arg-type]
    made = lesson(other, edits)
    assert [edit.key for edit in made.hand.aside] == [("w_q", (3, 7, 2), "")]
    np.testing.assert_array_equal(made.trace.output, lesson(other).trace.output)
    assert lesson(ODD, edits).trace.layer.w_q.reshape(-1)[5] == 9.0


def test_edits_of_two_sizes_wait_for_one_another() -> None:
    small, large = lesson(ODD), lesson(replace(ODD, d_k=4))
    edits = Edits((edit_of(small, "w_q", {0: 1.0}), edit_of(large, "w_q", {0: 2.0})))
    assert lesson(ODD, edits).trace.layer.w_q[0, 0, 0] == 1.0
    assert lesson(replace(ODD, d_k=4), edits).trace.layer.w_q[0, 0, 0] == 2.0


def test_an_edit_of_x_belongs_to_its_sentence_and_not_to_another_of_as_many_words() -> None:
    edits = Edits((edit_of(lesson(ODD), "x", {0: 5.0}),))
    other = lesson(replace(ODD, sentence="a dog ran off the mat"), edits)
    assert (other.hand.cells, len(other.hand.aside)) == ({}, 1)
    again = lesson(replace(ODD, sentence="the  cat sat on the mat"), edits)  # the same tokens
    assert again.trace.x[0, 0] == 5.0


def test_a_mask_put_in_by_hand_is_in_force_where_the_mask_is_drawn() -> None:
    drawn = replace(CROSS, mask="drawn", drawn="1011.1111")
    edits = Edits((Edit("keep", (6, 4), np.array([1, 23]), np.array([1.0, 0.0])),))
    expected = np.ones((6, 4), bool)
    expected[5, 3] = False
    np.testing.assert_array_equal(lesson(drawn, edits).trace.keep, expected)
    assert lesson(replace(CROSS, mask="causal"), edits).hand.aside


@pytest.mark.parametrize(
    "changes",
    [
        {"score": "general", "scale": "number", "divisor": 0.01, "temperature": 0.05},
        {"score": "additive", "softcap": 100.0, "bias_kind": "alibi"},
        {"score": "gaussian", "sigma": 0.1, "rotary": True},
        {"score": "cosine", "beta": 50.0, "normalizer": "sparsemax"},
        {"score": "dot", "scale": "none", "temperature": 0.05, "normalizer": "sigmoid", "residual": True},
    ],
    ids=lambda changes: changes["score"],
)
def test_the_largest_numbers_leave_every_number_of_the_trace_finite(changes: dict[str, Any]) -> None:
    settings = CROSS.put(d_model=512, d_k=200, d_v=100, num_heads=2, bias=True, **changes)
    plain, rng = lesson(settings), np.random.default_rng(1)
    edits = NO_EDITS
    for name, array in arrays_of(plain).items():
        signs = rng.choice([-LARGEST, LARGEST], array.shape)
        edits = edits.put(Edit.whole(name, signs, edit_of(plain, name, {}).tokens))
    trace = lesson(settings, edits).trace
    assert all(np.isfinite(getattr(trace, name)).all() for name in TRACE)


def test_a_lesson_finds_the_edits_that_its_settings_carry_and_passes_over_what_is_none() -> None:
    edits = Edits((edit_of(lesson(ODD), "w_o", {4: -0.5}),))
    carried = replace(ODD, edits=write_edits(edits))
    np.testing.assert_array_equal(lesson(carried).trace.output, lesson(ODD, edits).trace.output)
    np.testing.assert_array_equal(lesson(replace(ODD, edits="w_o~")).trace.output, lesson(ODD).trace.output)
