"""Whatever a notebook hands to the public functions: finite numbers, or a refusal that says what was expected."""

import inspect
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attnviz
from attnviz import (
    MASKS,
    NORMALIZERS,
    SCORE_FUNCTIONS,
    Attention,
    AttentionTrace,
    MultiHeadAttention,
    alibi_bias,
    attend,
    causal_mask,
    embed,
    keep_mask,
    padding_mask,
    random_score_parameters,
    rotate,
    sigmoid,
    sinusoidal,
    softmax,
    sparsemax,
    window_mask,
)
from tests.core.layers import D_K, D_MODEL, D_V, H, M, N, X, layer

LAYER = layer(True)
Q, K, V = np.ones((H, N, D_K)), np.ones((H, M, D_K)), np.ones((H, M, D_V))
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "attend": (attend, {"query": Q, "key": K, "value": V, "keep": None, "bias": None, "score": "dot", "scale": "auto",
                        "temperature": 1.0, "softcap": None, "normalizer": "softmax"}),
    "attend general": (attend, {"query": Q, "key": K, "value": V, "score": "general", "w": np.eye(D_K)}),
    "attend additive": (attend, {"query": Q, "key": K, "value": V, "score": "additive", "v": np.ones(2),
                                 "w_query": np.ones((2, D_K)), "w_key": np.ones((2, D_K))}),
    "attend cosine": (attend, {"query": Q, "key": K, "value": V, "score": "cosine", "beta": 5.0}),
    "attend gaussian": (attend, {"query": Q, "key": K, "value": V, "score": "gaussian", "sigma": 1.0}),
    "layer": (LAYER, {"x": X, "x_source": None, "keep": None, "residual": False, "score": "dot", "scale": "auto",
                      "temperature": 1.0, "softcap": None, "bias": None, "normalizer": "softmax", "rotary": False}),
    "MultiHeadAttention": (MultiHeadAttention, dict(LAYER.parameters())),
    "random": (MultiHeadAttention.random, {"d_model": 8, "num_heads": 2, "d_k": 3, "d_v": 5, "seed": 0, "bias": False}),
    "random by the usual sizes": (MultiHeadAttention.random, {"d_model": 8, "num_heads": 2}),
    "astype": (LAYER.astype, {"dtype": np.float32}),
    "softmax": (softmax, {"scores": X, "keep": None, "axis": -1}),
    "sparsemax": (sparsemax, {"scores": X, "keep": None, "axis": -1}),
    "sigmoid": (sigmoid, {"scores": X, "keep": None, "axis": -1}),
    "embed": (embed, {"tokens": ["a", "b"], "d_model": 3, "seed": 0, "kind": "normal"}),
    "causal_mask": (causal_mask, {"n": 3, "m": 4, "align": "top_left"}),
    "padding_mask": (padding_mask, {"n": 3, "m": 4, "length": 2}),
    "window_mask": (window_mask, {"n": 3, "m": 4, "left": 1, "right": 2}),
    "keep_mask": (keep_mask, {"names": ["causal", "window", "padding"], "n": 3, "m": 4, "length": 2, "window": 1,
                              "drawn": None}),
    "alibi_bias": (alibi_bias, {"num_heads": 2, "n": 3, "m": 4, "causal": False}),
    "sinusoidal": (sinusoidal, {"n": 3, "d_model": 4}),
    "rotate": (rotate, {"x": X, "positions": np.arange(N), "base": 10000.0, "pairs": "adjacent"}),
    "random_score_parameters": (random_score_parameters, {"score": "additive", "d_k": 3, "num_heads": 2, "seed": 0}),
}  # fmt: skip


class Unfriendly:
    """An object that answers no question."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array for you")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison for you")

    __hash__ = None  # type: ignore[assignment]


HOSTILE: dict[str, Any] = {
    "None": None, "True": True, "a text": "causal", "an empty text": "", "a NUL": "\0", "bytes": b"dot",
    "minus one": -1, "zero": 0, "three": 3, "half": 0.5, "NaN": np.nan, "inf": np.inf, "-inf": -np.inf, "1e308": 1e308,
    "1e-308": 1e-308, "beyond integers": 2**64, "beyond floats": 10**400, "uint8": np.uint8(200), "int8": np.int8(-128),
    "float16": np.float16(6e4), "long double": np.longdouble("1e4000"), "complex": 1j, "a fraction": Fraction(1, 3),
    "an object": object(), "unfriendly": Unfriendly(), "a function": len, "a class": int, "a slice": slice(3),
    "0-d": np.array(2.0), "0-d integer": np.array(2), "0-d text": np.array("dot"), "list": [], "list of a text": ["dot"],
    "nested text": [["a"]], "whole numbers": [1, 2], "ragged": [[1.0], [1.0, 2.0]], "dict": {"a": 1}, "set": {"a"},
    "generator": "generator", "range": range(3), "empty": np.zeros(0), "no rows": np.zeros((0, D_MODEL)),
    "no columns": np.zeros((N, 0)), "no heads": np.zeros((0, N, D_K)), "1-d": np.ones(5), "matrix": np.ones((3, 3)),
    "4-d": np.ones((2, 2, 3, 3)), "NaNs": np.full((H, N, D_K), np.nan), "infinities": np.full((H, M, D_V), np.inf),
    "minus infinities": np.full((N, M), -np.inf), "large": np.full((H, N, D_K), 1e300),
    "largest": np.full((N, D_MODEL), np.finfo(float).max), "half largest": np.full((N, D_MODEL), 65504, np.float16),
    "tiny": np.full((H, N, D_K), 5e-324), "uint8s": np.full((H, N, D_K), 200, np.uint8),
    "int8s": np.full((N, D_MODEL), -128, np.int8), "uint64s": np.full((N, N), 2**64 - 1, np.uint64),
    "truths": np.ones((N, M), bool), "falsehoods": np.zeros((N, N), bool), "texts": np.array([["a", "b"]]),
    "objects": np.array([[None, 1]], object), "complexes": np.ones((N, D_MODEL), complex),
    "dates": np.array(["2020-01-01"], "M8[D]"), "records": np.zeros(2, [("a", float)]),
    "masked": np.ma.masked_equal(X, X[0, 0]), "foreign bytes": X.astype(">f8"), "read only": np.broadcast_to(1.0, (N, 3)),
}  # fmt: skip
REFUSAL = r"must|takes"
hostile = st.sampled_from(sorted(HOSTILE))


def value_of(name: str) -> Any:
    return (token for token in ("a", "b")) if HOSTILE[name] is HOSTILE["generator"] else HOSTILE[name]


def is_own_function(argument: str, bad: str) -> bool:
    """Whether it is called, as any function may be for a score or a normalizer: what it raises is its own."""
    return argument in ("score", "normalizer") and callable(HOSTILE[bad])


def numbers_in(result: Any) -> list[Any]:
    if isinstance(result, Attention | AttentionTrace):
        hidden = result.scores, result.scaled  # may hold anything where nobody may look
        held = [
            v for v in vars(result).values() if isinstance(v, np.ndarray) and all(v is not h for h in hidden)
        ]
        kept = True if result.keep is None else np.broadcast_to(result.keep, result.scores.shape)
        return [*held, *(np.where(kept, array, 0.0) for array in hidden)]
    if isinstance(result, MultiHeadAttention):
        return list(result.parameters().values())
    return list(result.values()) if isinstance(result, dict) else [result]


def check(call: Callable[..., Any], arguments: dict[str, Any]) -> None:
    before = {name: v.tobytes() for name, v in arguments.items() if isinstance(v, np.ndarray)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = call(**arguments)
        except (ValueError, TypeError) as refusal:
            told = str(refusal)
            assert any(word in told for word in REFUSAL.split("|")), told
            assert "; got " in told, told
            assert len(told) < 700, told
        else:
            for array in numbers_in(result):
                assert np.isfinite(array).all()
                assert array.dtype.kind in "fb"
            if isinstance(result, Attention | AttentionTrace):
                held = [v for v in vars(result).values() if isinstance(v, np.ndarray)]
                assert not any(array.flags.writeable for array in held)
    for name, old in before.items():
        assert arguments[name].tobytes() == old


@pytest.mark.parametrize("name", CALLS)
def test_every_single_hostile_argument_is_refused_by_name_or_gives_finite_numbers(name: str) -> None:
    call, usual = CALLS[name]
    for argument in usual:
        for bad in HOSTILE:
            if not is_own_function(argument, bad):
                check(call, usual | {argument: value_of(bad)})


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_several_hostile_arguments_at_once_are_refused_by_name_or_give_finite_numbers(
    name: str, data: st.DataObject
) -> None:
    call, usual = CALLS[name]
    names = (
        data.draw(st.lists(st.sampled_from(sorted(usual)), min_size=2, unique=True))
        if len(usual) > 1
        else list(usual)
    )
    drawn = {argument: data.draw(hostile) for argument in names}
    check(call, usual | {a: value_of(bad) for a, bad in drawn.items() if not is_own_function(a, bad)})


def test_every_public_function_is_among_those_that_are_tried() -> None:
    tried = {call for call, _ in CALLS.values()}
    for name in attnviz.__all__:
        thing = getattr(attnviz, name)
        if inspect.isfunction(thing) or thing is MultiHeadAttention:
            assert thing in tried, name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attend(Q, K, V, mask=np.tri(N)), "the mask must be given as keep: True = may look at.*got mask="),
        (lambda: attend(Q, K, V, attn_mask=None), "must be given as keep.*got attn_mask="),
        (lambda: attend(Q, K, V, is_causal=True), r"keep=causal_mask\(n, m\); got is_causal="),
        (lambda: LAYER(X, mask=np.tri(N)), "the mask must be given as keep: True = may look at"),
        (lambda: LAYER(X, key_padding_mask=None), "means the opposite, so it is keep=~key_padding_mask"),
        (lambda: attend(Q, K, V, dropout_p=0.1), "dropout must be left out"),
        (lambda: attend(Q, K, V, temprature=0.1), "an argument must be one of score, scale, .*; got 'temprature'"),
        (lambda: attend(Q, K, V, scale="sqrt_d_model"), "scale must be one of auto, sqrt_d_k, none or a positive"),
        (lambda: attend(Q, K, V, score=["dot"]), r"score must be one of dot, general, .*; got \['dot'\]"),
        (lambda: attend(Q[:, :, :0], K[:, :, :0], V), "query must have at least one coordinate"),
        (lambda: attend(np.ones((5, H, N, D_K)), np.ones((4, H, M, D_K)), V), "must broadcast; got"),
        (lambda: attend(np.ones((N, D_K)), 3.0, V), r"key must have at least the axes .*; got \(\)"),
        (lambda: attend([[1.0], [1.0, 2.0]], K, V), "query must be an array, or lists of equal lengths; got"),
        (lambda: attend(Q, K, V, normalizer="softmax", temperature=True), "temperature must be a positive number"),
        (lambda: softmax([0.0, np.nan]), r"scores must not be NaN or \+inf; got nan at \(1,\)"),
        (lambda: sparsemax([np.inf, 0.0]), r"scores must not be NaN or \+inf; got inf at \(0,\)"),
        (lambda: sigmoid([np.nan]), r"scores must not be NaN; got nan at \(0,\)"),
        (lambda: softmax(3.0), "scores must have at least one axis"),
        (lambda: softmax([1.0, 2.0], axis=1), "axis must be a whole number from -1 to 0; got 1"),
        (lambda: embed("a sentence", 8), r'tokens must be a list of strings, as "I have .*; got \'a sentence\''),
        (lambda: embed(b"a", 8), "tokens must be a list of strings.*; got b'a'"),
        (lambda: embed([1, 2], 8), "tokens must be a list of strings.*; got 1 in it"),
        (lambda: embed({"a", "b"}, 8), "tokens must be a list of strings.*; got {"),
        (lambda: embed(["a"], 0), "d_model must be a whole number from 1 to"),
        (lambda: keep_mask("causal", 3, 3), "names must be a list of strings.*; got 'causal'"),
        (lambda: keep_mask(["causal"], 3, 3, drawn=np.ones((2, 3), bool)), "drawn must broadcast to the shape"),
        (lambda: causal_mask(2.0, 3), "n must be a whole number from 0 to .*; got 2.0"),
        (lambda: causal_mask(10**30, 3), "n must be a whole number from 0 to"),
        (lambda: window_mask(3, 3, -1), "left must be a whole number from 0"),
        (lambda: MultiHeadAttention(None, V, V, V), r"w_q must have the axes \('num_heads'.*; got None"),
        (lambda: MultiHeadAttention(8, 2, 4, 4), r"w_q must have the axes .*; got \(\); MultiHeadAttention.random"),
        (lambda: MultiHeadAttention.random(8, 0), "num_heads must be a whole number from 1 to .*; got 0"),
        (lambda: MultiHeadAttention.random(8, 3), "d_model must be a multiple of num_heads=3 where d_k .*; got 8"),
        (lambda: LAYER.astype(int), "dtype must be a type of floating-point numbers"),
        (lambda: LAYER(X, residual="no"), "residual must be True or False; got 'no'"),
        (lambda: LAYER(np.ma.masked_equal(X, X[0, 0])), "x must have all its entries; got a masked array"),
        (lambda: rotate(X, [0.0, np.inf, 1.0, 2.0]), "positions must be finite; got inf"),
        (lambda: rotate(X, ["0", "1", "2", "3"]), "positions must be made of real numbers"),
        (lambda: layer().astype(np.float16)(np.full((1, D_MODEL), 6e4, np.float16), residual=True), "must be finite"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_argument_what_was_expected_and_what_came(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("normalize", [softmax, sparsemax, sigmoid])
@pytest.mark.parametrize("keep", [None, [True, True, True]])
def test_scores_of_minus_infinity_get_no_weight_even_where_all_are(normalize: Any, keep: Any) -> None:
    assert normalize([-np.inf] * 3, keep).tolist() == [0.0] * 3
    assert normalize([-np.inf, 50.0, -np.inf], keep).tolist() == [0.0, 1.0, 0.0]


def test_what_is_meant_without_doubt_is_taken() -> None:
    np.testing.assert_array_equal(
        attend(Q, K, V, scale=np.array(2.0)).scaled, attend(Q, K, V, scale=2.0).scaled
    )
    np.testing.assert_array_equal(embed((t for t in "ab"), 3), embed(["a", "b"], 3))
    np.testing.assert_array_equal(embed(np.array(["a", "b"]), 3), embed(["a", "b"], 3))
    assert softmax([]).shape == (0,)
    with np.errstate(all="raise"):  # a notebook may have asked for it
        assert softmax([1.7e308, -1.7e308]).tolist() == [1.0, 0.0]
        attend(Q, K, V, softcap=2.0)
        LAYER(X, score="gaussian")


def test_small_integer_types_do_not_wrap() -> None:
    one, many = np.uint8(1), np.uint8(255)
    np.testing.assert_array_equal(window_mask(np.uint8(3), np.uint8(4), one), window_mask(3, 4, 1))
    np.testing.assert_array_equal(
        causal_mask(np.uint8(4), np.uint8(2), "bottom_right"), causal_mask(4, 2, "bottom_right")
    )
    np.testing.assert_array_equal(alibi_bias(many, np.uint8(2), np.uint8(3)), alibi_bias(255, 2, 3))
    np.testing.assert_array_equal(padding_mask(2, 3, one), padding_mask(2, 3, 1))


def test_the_usual_sizes_follow_from_d_model_and_the_number_of_heads() -> None:
    usual = MultiHeadAttention.random(12, 3)
    assert (usual.d_k, usual.d_v) == (4, 4)
    given_in_full = MultiHeadAttention.random(d_model=12, num_heads=3, d_k=4, d_v=4, seed=0)
    for name, array in given_in_full.parameters().items():
        np.testing.assert_array_equal(getattr(usual, name), array)
    odd = MultiHeadAttention.random(8, 3, 5)
    assert (odd.d_k, odd.d_v) == (5, 5)


def test_the_registries_are_what_the_messages_list() -> None:
    for name, registry in (("score", SCORE_FUNCTIONS), ("normalizer", NORMALIZERS)):
        with pytest.raises(ValueError, match=f"{name} must be one of {', '.join(registry)}"):
            attend(Q, K, V, **{name: "x"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"mask must be one of {', '.join(MASKS)}"):
        keep_mask(["x"], 2, 2)
