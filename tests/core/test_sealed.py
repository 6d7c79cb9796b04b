"""What a layer and attend give back stays as it is: no later change of the caller's reaches it."""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from attnviz.core import (
    SCORE_FUNCTIONS,
    Attention,
    AttentionTrace,
    MultiHeadAttention,
    attend,
    causal_mask,
    random_score_parameters,
)
from attnviz.core.arrays import Array
from tests.core.layers import D_K, D_MODEL, D_V, SOURCE, H, M, N, X, layer

BATCH = 3


def given(score: str) -> dict[str, Any]:
    """Every array that a layer can be called with, each the caller's own."""
    parameters = random_score_parameters(score, d_k=D_K, num_heads=H, seed=0)
    bias = np.linspace(-1.0, 1.0, H * N * M).reshape(H, N, M)
    return {"x": X.copy(), "x_source": SOURCE.copy(), "keep": causal_mask(N, M), "bias": bias} | parameters


def attended(score: str, **more: Any) -> tuple[dict[str, Any], Attention]:
    trace, arguments = layer()(X, SOURCE), given(score)
    arguments = {"query": trace.query.copy(), "key": trace.key.copy(), "value": trace.value.copy()} | {
        name: array for name, array in arguments.items() if not name.startswith("x")
    }
    return arguments, attend(**arguments, score=score, **more)


def called(score: str, **more: Any) -> tuple[dict[str, Any], AttentionTrace]:
    arguments = given(score)
    return arguments, layer(True)(**arguments, score=score, **more)


def arrays(result: Attention | AttentionTrace) -> Iterator[Array]:
    """Every array that a result holds, those that it holds views of too."""
    for value in (*vars(result).values(), *result.score_parameters.values()):
        while isinstance(value, np.ndarray):
            yield value
            value = value.base


def numbers(result: Attention | AttentionTrace) -> list[Any]:
    return [np.array(array) for array in arrays(result)]


def in_half(score: str) -> tuple[dict[str, Any], AttentionTrace]:
    arguments = {"x": X.astype(np.float16), "keep": causal_mask(N, N)}
    return arguments, layer().astype(np.float16)(**arguments)


def in_a_batch(score: str) -> tuple[dict[str, Any], AttentionTrace]:
    arguments = {"x": np.stack([X] * BATCH), "keep": np.stack([causal_mask(N, N)] * BATCH)}
    return arguments, layer()(**arguments)


RESULTS: dict[str, Callable[[str], tuple[dict[str, Any], Any]]] = {
    "attend": attended,
    "attend with nothing between scores and weights": lambda score: attended(score, scale="none"),
    "a layer": called,
    "a layer in half precision": in_half,
    "a layer with rotary positions": lambda score: called(score, rotary=True, residual=True),
    "a layer with a batch": in_a_batch,
}
every_result = pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
every_score = pytest.mark.parametrize("score", SCORE_FUNCTIONS)
COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "replace": dataclasses.replace,
}
every_copy = pytest.mark.parametrize("again", COPIES.values(), ids=COPIES)


@every_score
@every_result
def test_no_array_of_a_result_can_be_written_to(make: Any, score: str) -> None:
    _, result = make(score)
    found = list(arrays(result))
    assert len(found) > 4
    for array in found:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        result.score_parameters["w"] = 0.0


@every_score
@every_result
def test_what_the_caller_changes_afterwards_changes_no_result(make: Any, score: str) -> None:
    arguments, result = make(score)
    before = numbers(result)
    for array in arguments.values():
        array[...] = 1  # the caller may still write to all that is his
    for ours, old in zip(numbers(result), before, strict=True):
        np.testing.assert_array_equal(ours, old)


@every_score
@every_result
@every_copy
def test_a_copy_of_a_result_has_its_numbers_and_cannot_be_written_to_either(
    again: Any, make: Any, score: str
) -> None:
    _, result = make(score)
    copied = again(result)
    assert type(copied) is type(result)
    assert vars(copied).keys() == vars(result).keys()
    for name, value in vars(result).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(copied, name), value)
            assert getattr(copied, name).dtype == value.dtype
    for array in arrays(copied):
        assert not array.flags.writeable
    assert copied.score_parameters.keys() == result.score_parameters.keys()


@every_copy
def test_a_copy_of_a_trace_is_whole(again: Any) -> None:
    trace = layer(True)(X, scale="none")
    copied = again(trace)
    assert copied.x_source is copied.x
    assert copied.scaled is copied.scores
    assert np.shares_memory(copied.head_outputs, copied.concat)
    np.testing.assert_array_equal(copied.layer(X).output, trace.layer(X).output)


@every_copy
def test_a_copy_of_no_tokens_is_whole(again: Any) -> None:
    assert again(layer()(np.zeros((0, D_MODEL)))).head_outputs.shape == (H, 0, D_V)


@every_copy
@pytest.mark.parametrize("bias", [False, True])
def test_a_copy_of_a_layer_is_whole(again: Any, bias: bool) -> None:
    own = layer(bias)
    copied = again(own)
    assert copied.parameters().keys() == own.parameters().keys()
    for name, array in own.parameters().items():
        np.testing.assert_array_equal(getattr(copied, name), array)
        with pytest.raises(ValueError, match="read-only"):
            getattr(copied, name)[...] = 0.0
    for name in ("w_q", "w_k", "w_v"):
        assert np.shares_memory(getattr(copied, name), copied._w_qkv)
    np.testing.assert_array_equal(copied(X).output, own(X).output)


def test_a_trace_made_by_hand_owns_its_arrays() -> None:
    trace = layer()(X)
    mine = X + 1.0
    made = dataclasses.replace(trace, x=mine)
    mine[...] = 0.0
    np.testing.assert_array_equal(made.x, X + 1.0)
    assert not made.x.flags.writeable


def test_a_layer_takes_no_view_of_what_it_is_made_of() -> None:
    parameters = {name: array.copy() for name, array in layer(True).parameters().items()}
    own = MultiHeadAttention(**parameters)
    for name, array in parameters.items():
        assert not np.shares_memory(array, getattr(own, name))
        array[...] = 0.0  # and the caller's stays his


def test_what_a_function_of_the_caller_gives_back_stays_the_callers() -> None:
    mine = np.zeros((N, M))
    shares = np.full((N, M), 1.0 / M)
    result = attend(np.ones((N, D_K)), np.ones((M, D_K)), np.ones((M, D_V)), score=lambda q, k: mine,
                    normalizer=lambda scores, keep: shares)  # fmt: skip
    mine[...], shares[...] = 1.0, 2.0
    np.testing.assert_array_equal(result.scores, 0.0)
    np.testing.assert_array_equal(result.weights, 1.0 / M)
