"""A lesson is what the definition says, for every setting, and a change changes nothing but its own."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, LIMIT_TOKENS, Settings, find_setting, fit

# n = 6 queries, m = 4 keys, and every size different from every other.
ODD = replace(
    DEFAULTS, sentence="the cat sat on the mat", d_model=7, num_heads=3, d_k=2, d_v=5, query=0, head=1
)
CROSS = replace(ODD, source="a dog sleeps here")
TRACE = ("x", "x_source", "query", "key", "value", "scores", "scaled", "weights",
         "head_outputs", "concat", "contributions", "output")  # fmt: skip
each_kind_of_attention = pytest.mark.parametrize("settings", [ODD, CROSS], ids=["self", "cross"])

Matrix = list[list[float]]


def lesson(settings: Settings, **values: object) -> Lesson:
    made = make_lesson(settings.put(**values))
    assert made is not None
    return made


def options(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = find_setting(name).kind.options  # type: ignore[attr-defined]
    return found


def product(left: Matrix, right: Matrix) -> Matrix:
    return [
        [sum(row[c] * right[c][j] for c in range(len(right))) for j in range(len(right[0]))] for row in left
    ]


def nested_loops(x: Matrix, x_source: Matrix, trace: AttentionTrace, d_k: int) -> dict[str, list[Matrix]]:
    """The definition, one number after the other: per head query, key, ..., and what each head contributes."""
    found: dict[str, list[Matrix]] = {}
    for h in range(trace.layer.num_heads):
        query = product(x, trace.layer.w_q[h].tolist())
        key = product(x_source, trace.layer.w_k[h].tolist())
        value = product(x_source, trace.layer.w_v[h].tolist())
        scores = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in key] for q in query]
        scaled = [[score / math.sqrt(d_k) for score in row] for row in scores]
        weights = [[math.exp(s) / sum(math.exp(other) for other in row) for s in row] for row in scaled]
        heads = product(weights, value)
        steps = {
            "query": query, "key": key, "value": value, "scores": scores, "scaled": scaled, "weights": weights,
            "head_outputs": heads, "contributions": product(heads, trace.layer.w_o[h].tolist()),
        }  # fmt: skip
        for name, matrix in steps.items():
            found.setdefault(name, []).append(matrix)
    return found


@each_kind_of_attention
@pytest.mark.parametrize(("d_k", "d_v"), [(2, 5), (3, 5), (4, 1)])
def test_the_whole_lesson_is_the_definition_in_nested_loops(settings: Settings, d_k: int, d_v: int) -> None:
    made = lesson(settings, d_k=d_k, d_v=d_v)
    trace = made.trace
    oracle = nested_loops(trace.x.tolist(), trace.x_source.tolist(), trace, d_k)
    for name, matrices in oracle.items():
        np.testing.assert_allclose(getattr(trace, name), matrices, rtol=0, atol=1e-12, err_msg=name)
    n = len(made.tokens.tokens)
    heads = oracle["head_outputs"]
    concat = [[number for head in heads for number in head[i]] for i in range(n)]
    np.testing.assert_allclose(trace.concat, concat, rtol=0, atol=1e-12)
    w_o = [row for block in trace.layer.w_o.tolist() for row in block]
    np.testing.assert_allclose(trace.output, product(concat, w_o), rtol=0, atol=1e-12)


@each_kind_of_attention
def test_shapes_follow_the_settings(settings: Settings) -> None:
    trace = lesson(settings).trace
    n, m, heads, d_model, d_k, d_v = 6, 4 if settings.source else 6, 3, 7, 2, 5
    shapes = {name: getattr(trace, name).shape for name in TRACE}
    assert shapes == {
        "x": (n, d_model), "x_source": (m, d_model), "query": (heads, n, d_k), "key": (heads, m, d_k),
        "value": (heads, m, d_v), "scores": (heads, n, m), "scaled": (heads, n, m), "weights": (heads, n, m),
        "head_outputs": (heads, n, d_v), "concat": (n, heads * d_v), "contributions": (heads, n, d_model),
        "output": (n, d_model),
    }  # fmt: skip


@each_kind_of_attention
def test_the_same_settings_give_the_same_numbers(settings: Settings) -> None:
    first, second = lesson(settings).trace, lesson(settings).trace
    for name in TRACE:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_another_seed_gives_other_numbers() -> None:
    assert not np.isclose(lesson(ODD).trace.weights, lesson(ODD, seed=1).trace.weights).any()


def test_every_token_has_the_vector_that_it_has_alone() -> None:
    x = lesson(ODD).trace.x
    for row, token in zip(x, ODD.sentence.split(), strict=True):
        np.testing.assert_array_equal(row, lesson(ODD, sentence=token).trace.x[0])


@pytest.mark.parametrize("embedding", options("embedding"))
def test_editing_one_word_leaves_the_vectors_of_the_others_alone(embedding: str) -> None:
    before = lesson(ODD, embedding=embedding).trace
    after = lesson(ODD, embedding=embedding, sentence="the cat slept on the mat").trace
    changed = [i for i in range(6) if not np.array_equal(before.x[i], after.x[i])]
    assert changed == [2]


def test_two_sentences_have_vectors_from_one_table() -> None:
    trace = lesson(ODD, source="mat the").trace
    np.testing.assert_array_equal(trace.x_source, trace.x[[5, 4]])


def test_the_same_word_twice_has_equal_rows_until_positions_tell_them_apart() -> None:
    trace = lesson(ODD).trace
    for name in ("query", "key", "value", "scores", "weights", "head_outputs"):
        array = getattr(trace, name)
        np.testing.assert_array_equal(array[:, 0], array[:, 4], err_msg=name)
    np.testing.assert_array_equal(trace.weights[:, :, 0], trace.weights[:, :, 4])
    with_positions = lesson(ODD, position="sinusoidal").trace
    assert not np.array_equal(with_positions.x[0], with_positions.x[4])


def assert_nested(small: NDArray[np.floating], large: NDArray[np.floating], factor: float = 1.0) -> None:
    """`large` begins, on every axis, with `small` apart from the factor."""
    assert all(a <= b for a, b in zip(small.shape, large.shape, strict=True))
    corner = large[tuple(slice(size) for size in small.shape)]
    np.testing.assert_allclose(corner * factor, small, rtol=1e-14, atol=0)


def parameters(made: Lesson) -> dict[str, NDArray[np.floating]]:
    arrays = {**made.trace.layer.parameters(), **made.trace.score_parameters}
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


@pytest.mark.parametrize("score", options("score"))
@pytest.mark.parametrize(("name", "more"), [("num_heads", 5), ("d_k", 9), ("d_v", 17), ("d_model", 33)])
def test_raising_a_size_appends_numbers_and_moves_none(name: str, more: int, score: str) -> None:
    settings = replace(ODD, score=score, bias=True)
    before, after = lesson(settings), lesson(settings, **{name: more})
    assert_nested(before.trace.x, after.trace.x)
    small, large = parameters(before), parameters(after)
    assert small.keys() == large.keys()
    ratio = more / settings[name]
    for key, array in small.items():
        # Each matrix is divided by the root of how many numbers enter one of its sums.
        fan_in = (
            {"d_model"} if key[2:] in ("q", "k", "v") else {"num_heads", "d_v"} if key[2:] == "o" else {"d_k"}
        )
        assert_nested(array, large[key], math.sqrt(ratio) if name in fan_in else 1.0)


def test_one_more_head_leaves_the_other_heads_as_they_were() -> None:
    before, after = lesson(ODD).trace, lesson(ODD, num_heads=4).trace
    for name in ("query", "key", "value", "scores", "weights", "head_outputs"):
        np.testing.assert_allclose(getattr(after, name)[:3], getattr(before, name), rtol=0, atol=1e-15)


def test_wider_values_leave_the_weights_as_they_were() -> None:
    before, after = lesson(ODD).trace, lesson(ODD, d_v=11).trace
    np.testing.assert_allclose(after.weights, before.weights, rtol=0, atol=1e-15)


@pytest.mark.parametrize("scale", options("scale"))
@pytest.mark.parametrize("score", options("score"))
def test_every_combination_gives_finite_numbers_and_rows_that_sum_to_one_or_are_empty(
    score: str, scale: str
) -> None:
    for mask, normalizer, preset in itertools.product(*map(options, ("mask", "normalizer", "preset"))):
        settings, _ = fit(
            replace(CROSS, score=score, scale=scale, mask=mask, normalizer=normalizer, preset=preset)
        )
        trace, case = lesson(settings).trace, f"{mask}, {normalizer}, {preset}"
        assert all(np.isfinite(getattr(trace, name)).all() for name in TRACE), case
        keep = np.broadcast_to(True if trace.keep is None else trace.keep, trace.weights.shape)
        assert (trace.weights[~keep] == 0).all(), case
        assert (trace.weights[keep] >= 0).all(), case
        if normalizer == "sigmoid":
            assert (trace.weights <= 1).all(), case
        else:
            np.testing.assert_allclose(
                trace.weights.sum(axis=2), keep.any(axis=2), rtol=0, atol=1e-14, err_msg=case
            )
        np.testing.assert_array_equal(trace.empty_rows, ~keep.any(axis=2), err_msg=case)
        assert (trace.head_outputs[trace.empty_rows] == 0).all(), case


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 0.05, "softcap": 30.0, "bias_kind": "alibi", "rotary": True},
        {"temperature": 20.0, "scale": "number", "divisor": 0.01, "residual": True, "bias": True},
        {"preset": "integers", "scale": "number", "divisor": 0.01, "temperature": 0.05},
        {"score": "gaussian", "sigma": 0.1, "embedding": "integer"},
        {"score": "cosine", "beta": 50.0, "embedding": "standardised", "d_model": 1},
    ],
    ids=lambda changes: "-".join(changes),
)
@each_kind_of_attention
def test_the_ends_of_the_other_controls_give_finite_numbers(
    settings: Settings, changes: dict[str, object]
) -> None:
    trace = lesson(settings, **changes).trace
    assert all(np.isfinite(getattr(trace, name)).all() for name in TRACE)
    np.testing.assert_allclose(trace.weights.sum(axis=2), 1, rtol=0, atol=1e-14)


def test_padding_longer_than_the_sentence_leaves_nothing_to_look_at() -> None:
    trace = lesson(CROSS, mask="padding", padding=64).trace
    assert trace.empty_rows.all()
    assert not trace.weights.any()
    assert not trace.output.any()


def test_a_causal_mask_lets_every_token_look_at_itself_and_what_came_before() -> None:
    weights = lesson(ODD, mask="causal").trace.weights
    np.testing.assert_array_equal(weights != 0, np.broadcast_to(np.tri(6, dtype=bool), weights.shape))
    np.testing.assert_array_equal(weights[:, 0, 0], 1)


def test_integer_weights_make_a_lesson_that_can_be_checked_by_hand() -> None:
    trace = lesson(ODD, preset="integers").trace
    for name in ("x", "query", "key", "value", "scores"):
        array = getattr(trace, name)
        np.testing.assert_array_equal(array, np.round(array), err_msg=name)
    assert np.abs(trace.layer.w_q).max() == 1


def test_the_folded_form_hands_over_values_as_wide_as_x_and_leaves_the_output_as_it_was() -> None:
    plain = lesson(ODD).trace
    folded = lesson(ODD, preset="folded").trace
    assert folded.value.shape[2] == 7
    np.testing.assert_array_equal(folded.contributions, folded.head_outputs)
    np.testing.assert_array_equal(folded.weights, plain.weights)


def test_the_residual_adds_x_to_the_output() -> None:
    plain, added = lesson(CROSS).trace, lesson(CROSS, residual=True).trace
    np.testing.assert_allclose(added.output, plain.output + plain.x, rtol=0, atol=1e-14)


@pytest.mark.parametrize("sentence", ["", "   ", "\n\t", "\x00\x07", "\u200b"])
def test_a_sentence_with_nothing_to_see_in_it_makes_no_lesson(sentence: str) -> None:
    assert make_lesson(replace(DEFAULTS, sentence=sentence)) is None


@pytest.mark.parametrize("source", ["", "  "])
def test_without_a_second_sentence_a_lesson_is_self_attention(source: str) -> None:
    made = lesson(DEFAULTS, source=source)
    assert not made.cross
    assert made.trace.x_source is made.trace.x


def test_one_token_looks_at_itself_alone() -> None:
    trace = lesson(ODD, sentence="word").trace
    np.testing.assert_array_equal(trace.weights, np.ones((3, 1, 1)))


def test_a_sentence_of_more_tokens_than_the_limit_is_cut_and_counted() -> None:
    made = lesson(replace(ODD, num_heads=1), sentence="word " * (LIMIT_TOKENS + 88), source="a b")
    assert (len(made.tokens.tokens), made.tokens.cut) == (LIMIT_TOKENS, 88)
    assert made.trace.weights.shape == (1, LIMIT_TOKENS, 2)


@pytest.mark.parametrize(
    "name", ["language", "notation", "stage", "head", "query", "key", "full_scale", "reveal"]
)
def test_what_changes_the_looks_changes_no_number(name: str) -> None:
    kind = find_setting(name).kind
    other = {"language": "ja", "notation": "columns", "stage": "x", "full_scale": False, "reveal": True}.get(
        name, 2
    )
    kind.check(name, other)
    np.testing.assert_array_equal(lesson(ODD, **{name: other}).trace.output, lesson(ODD).trace.output)
