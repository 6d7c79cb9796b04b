"""The arrays of a layer and of a trace: they stay as they are, keep their type, and no memory is spent twice."""

import dataclasses
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention
from tests.core.layers import D_MODEL, D_V, GENERATOR, SOURCE, H, X, layer


def test_a_trace_and_a_layer_cannot_be_changed_in_place() -> None:
    own = layer(True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        own(X).output = X  # type: ignore[misc]
    for array in own.parameters().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_a_layer_keeps_its_numbers_when_the_arrays_it_was_made_of_change() -> None:
    given = {name: array.copy() for name, array in layer(True).parameters().items()}
    own = MultiHeadAttention(**given)
    before = own(X).output
    for array in given.values():
        array[...] = 0.0
    np.testing.assert_array_equal(own(X).output, before)


def test_replacing_one_matrix_gives_another_layer() -> None:
    own = layer(True)
    w_v = 2.0 * own.w_v
    replaced = dataclasses.replace(own, w_v=w_v, b_v=None)
    np.testing.assert_array_equal(replaced.w_v, w_v)
    np.testing.assert_allclose(replaced(X).value, X @ w_v, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(replaced(X).weights, own(X).weights)


def test_a_trace_survives_pickling() -> None:
    trace = layer(True)(X, SOURCE)
    again = pickle.loads(pickle.dumps(trace))
    np.testing.assert_array_equal(again.output, trace.output)
    np.testing.assert_array_equal(again.layer(X, SOURCE).output, trace.output)


def test_head_outputs_are_views_of_the_concatenation() -> None:
    trace = layer()(X)
    assert np.shares_memory(trace.head_outputs, trace.concat)
    for h in range(H):
        np.testing.assert_array_equal(trace.concat[:, h * D_V : (h + 1) * D_V], trace.head_outputs[h])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_the_type_of_x_and_layer_is_the_type_of_every_number(dtype: Any) -> None:
    trace = layer(True).astype(dtype)(X.astype(dtype), residual=True)
    arrays = [value for value in vars(trace).values() if isinstance(value, np.ndarray)]
    assert {array.dtype for array in arrays} == {np.dtype(dtype)}


def test_half_precision_is_computed_in_float32_and_comes_back() -> None:
    half = layer(True).astype(np.float16)
    trace, wide = half(X.astype(np.float16)), half.astype(np.float32)(X.astype(np.float16).astype(np.float32))
    assert trace.weights.dtype == trace.output.dtype == np.float16
    assert trace.scores.dtype == np.float32
    np.testing.assert_array_equal(trace.output, wide.output.astype(np.float16))


def test_whole_numbers_are_promoted() -> None:
    trace = layer()([[1] * D_MODEL, [2] * D_MODEL])
    assert trace.output.dtype == np.float64


def test_memory_at_the_peak_is_what_is_returned() -> None:
    """Within 5 percent (facts.md), for 128 tokens."""
    own = layer(d_model=64, num_heads=4, d_k=16, d_v=16)
    x = GENERATOR.standard_normal((128, 64))
    own(x)
    tracemalloc.start()
    trace = own(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    owned = (
        trace.query.base,
        trace.scores,
        trace.scaled,
        trace.weights,
        trace.contributions,
        trace.output,
        trace.concat,
    )
    assert peak <= 1.05 * sum(array.nbytes for array in owned if array is not None)
