"""Other people's suite: the ONNX backend test's cases for Attention, RotaryEmbedding, Softmax and FlexAttention.

Every case is compared twice: with the outputs that the suite stores, in its own tolerance, and with ONNX's reference
implementation fed the same numbers as float64, within 1e-6. How many passed is printed at the end of the run.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from attnviz.core.arrays import Array
from tests.conformance import onnx_adapter
from tests.conformance.onnx_cases import CASES, HOW_MANY, NOT_EXPRESSIBLE, Case, as_float64, in_float64

OPERATORS: dict[str, Callable[[Mapping[str, Array], Mapping[str, Any]], dict[str, Array]]] = {
    "Attention": onnx_adapter.attention,
    "RotaryEmbedding": onnx_adapter.rotary_embedding,
    "Softmax": onnx_adapter.softmax_of,
    "FlexAttention": onnx_adapter.flex_attention,
}

every_case = pytest.mark.parametrize("name", [name for name in CASES if name not in NOT_EXPRESSIBLE])


def computed(case: Case, inputs: Mapping[str, Array]) -> dict[str, Array]:
    return OPERATORS[case.operator](inputs, case.attributes)


def unit_in_the_last_place(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number of this type."""
    one = np.ones((), dtype)
    return float(np.nextafter(one, one + one)) - 1.0


def test_the_suite_has_at_least_the_cases_that_are_known() -> None:
    found = Counter(case.operator for case in CASES.values())
    missing = {operator: count for operator, count in HOW_MANY.items() if found[operator] < count}
    assert not missing


@pytest.mark.parametrize("name", NOT_EXPRESSIBLE)
def test_what_is_left_out_is_in_the_suite_and_refused(name: str) -> None:
    case = CASES[name]
    with pytest.raises(NotImplementedError, match=NOT_EXPRESSIBLE[name]):
        computed(case, case.inputs)


@every_case
def test_outputs_are_those_that_onnx_stores(name: str) -> None:
    case = CASES[name]
    ours = computed(case, case.inputs)
    for output, expected in case.outputs.items():
        assert ours[output].dtype == expected.dtype
        # Stored half numbers are rounded, and so are ours: two units in the last place can lie between them.
        rtol = max(1e-3, 2.0 * unit_in_the_last_place(expected.dtype))
        np.testing.assert_allclose(as_float64(ours[output]), as_float64(expected), rtol=rtol, atol=1e-7)


@every_case
def test_outputs_in_float64_are_those_of_the_onnx_reference(name: str) -> None:
    case = CASES[name]
    inputs = {input_name: as_float64(array) for input_name, array in case.inputs.items()}
    ours = computed(case, inputs)
    reference = ReferenceEvaluator(in_float64(case.model)).run(list(case.outputs), inputs)
    for output, expected in zip(case.outputs, reference, strict=True):
        np.testing.assert_allclose(ours[output], as_float64(expected), rtol=1e-6, atol=1e-6)
