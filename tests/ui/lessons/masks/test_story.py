"""What the page says of other libraries' masks, asked of these libraries themselves (cases.md 14)."""

import keras
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from attnviz.core import attend
from attnviz.ui.lessons.masks.story import APIS

N = 3
Q = np.random.default_rng(0).normal(size=(1, 1, N, 4)).astype(np.float32)
PAST = np.tri(N, dtype=np.bool_)
PAST[2] = False  # and one query that may look at nothing

Weights = NDArray[np.floating]
STATED = {api: (meaning, empty) for api, _, meaning, empty in APIS}


def ours(mask: NDArray[np.bool_]) -> Weights:
    return attend(Q, Q, Q, keep=mask).weights[0, 0]


def scaled_dot_product_attention(mask: NDArray[np.bool_]) -> Weights:
    torch = pytest.importorskip("torch")
    q, v = torch.tensor(Q), torch.eye(N)[None, None]
    found = torch.nn.functional.scaled_dot_product_attention(q, q, v, attn_mask=torch.tensor(mask))
    return np.asarray(found[0, 0])


def multihead_attention(mask: NDArray[np.bool_]) -> Weights:
    torch = pytest.importorskip("torch")
    layer, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.tensor(Q[0])
    _, weights = layer(x, x, x, attn_mask=torch.tensor(mask))
    return np.asarray(weights[0].detach())


def keras_attention(mask: NDArray[np.bool_]) -> Weights:
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=4)
    _, weights = layer(Q[0], Q[0], attention_mask=mask[None], return_attention_scores=True)
    return np.asarray(weights)[0, 0]


def onnx_attention(mask: NDArray[np.bool_]) -> Weights:
    info, kinds = onnx.helper.make_tensor_value_info, onnx.TensorProto
    inputs = [info(name, kinds.FLOAT, None) for name in "qkv"] + [info("mask", kinds.BOOL, None)]
    node = onnx.helper.make_node("Attention", ["q", "k", "v", "mask"], ["y"])
    graph = onnx.helper.make_graph([node], "attention", inputs, [info("y", kinds.FLOAT, None)])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 23)])
    feed = {"q": Q, "k": Q, "v": np.eye(N, dtype=np.float32)[None, None], "mask": mask}
    return np.asarray(ReferenceEvaluator(model).run(None, feed)[0])[0, 0]


LIBRARIES = {
    "attnviz attend": ours,
    "PyTorch scaled_dot_product_attention": scaled_dot_product_attention,
    "PyTorch nn.MultiheadAttention": multihead_attention,
    "Keras MultiHeadAttention": keras_attention,
    "ONNX Attention": onnx_attention,
}


def test_every_library_in_the_table_is_asked() -> None:
    assert set(LIBRARIES) == set(STATED)


@pytest.mark.parametrize("api", LIBRARIES)
def test_true_means_there_what_the_table_says(api: str) -> None:
    meaning, _ = STATED[api]
    mask = PAST if meaning == "look" else ~PAST
    weights = LIBRARIES[api](mask)
    np.testing.assert_array_equal(weights[0], [1, 0, 0])
    assert weights[1, 0] > 0 and weights[1, 1] > 0 and weights[1, 2] == 0


@pytest.mark.parametrize("api", LIBRARIES)
def test_a_row_with_nothing_to_look_at_gives_there_what_the_table_says(api: str) -> None:
    meaning, empty = STATED[api]
    weights = LIBRARIES[api](PAST if meaning == "look" else ~PAST)[2]
    assert np.isnan(weights).all() if empty == "nan" else not weights.any()


def test_multihead_attention_gives_0_there_where_no_weights_are_asked_for() -> None:
    torch = pytest.importorskip("torch")
    layer, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.tensor(Q[0])
    output, _ = layer(x, x, x, attn_mask=torch.tensor(~PAST), need_weights=False)
    bias = layer.out_proj.bias.detach().numpy()
    np.testing.assert_allclose(output[0, 2].detach().numpy(), bias, rtol=0, atol=1e-6)
