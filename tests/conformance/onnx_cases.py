"""The node cases of the ONNX backend test suite, read from the installed package (onnx >= 1.22)."""

import importlib
import warnings
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray

# How many there were in onnx 1.22 and 1.23; a newer version may bring more.
HOW_MANY = {"Attention": 93, "RotaryEmbedding": 8, "Softmax": 7, "FlexAttention": 11}

NOT_EXPRESSIBLE = {"test_flexattention_prob_mod": "prob_mod changes the weights after the normalizer"}


class Case(NamedTuple):
    name: str
    operator: str
    model: onnx.ModelProto
    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, NDArray[Any]]
    attributes: dict[str, Any]


def collected() -> list[Case]:
    """The cases of a single node; the suite has each once more as the "expanded" graph of many nodes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        suite = importlib.import_module("onnx.backend.test.case.node")
        for operator in HOW_MANY:
            importlib.import_module(f"{suite.__name__}.{operator.lower()}")
    single = [case for case in suite._NodeTestCases if len(case.model.graph.node) == 1]
    return [_read(case) for case in single if case.model.graph.node[0].op_type in HOW_MANY]


def _read(case: Any) -> Case:
    node = case.model.graph.node[0]
    given, expected = case.data_sets[0]
    return Case(
        case.name,
        node.op_type,
        case.model,
        dict(zip([name for name in node.input if name], given, strict=True)),
        dict(zip([name for name in node.output if name], expected, strict=True)),
        {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute},
    )


CASES = {case.name: case for case in collected()}


def as_float64(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as float64; whole numbers and truth values stay."""
    return array if array.dtype.kind in "biu" else array.astype(np.float64)


def in_float64(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same model with the float32 constants of its subgraphs as float64, so that float64 may flow through it."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for node in copy.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _widen(attribute.g)
    return copy


def _widen(graph: onnx.GraphProto) -> None:
    for constant in graph.initializer:
        if constant.data_type == onnx.TensorProto.FLOAT:
            numbers = onnx.numpy_helper.to_array(constant).astype(np.float64)
            constant.CopyFrom(onnx.numpy_helper.from_array(numbers, constant.name))
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == onnx.TensorProto.FLOAT:
                attribute.i = onnx.TensorProto.DOUBLE
