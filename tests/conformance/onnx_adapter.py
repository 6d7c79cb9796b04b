"""ONNX's operators in the words of our public names.

What no user of a visualizer needs inside the core (a cache of past keys and values, heads side by side in a 3-D
layout, masks that are shorter than the keys, a position of the first query) is brought into the core's form here.
"""

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator

from attnviz.core import (
    Attention,
    attend,
    causal_mask,
    combine,
    padding_mask,
    rotate_by,
    soft_capped,
    softmax,
    window_mask,
)
from attnviz.core.arrays import Array


def attention(inputs: Mapping[str, Array], attributes: Mapping[str, Any]) -> dict[str, Array]:
    """All outputs of the operator Attention, by name."""
    three_axes = inputs["Q"].ndim == 3
    query, new_key, new_value = (_heads_apart(inputs[name], name, attributes) for name in ("Q", "K", "V"))
    past_key, past_value = inputs.get("past_key"), inputs.get("past_value")
    key = new_key if past_key is None else np.concatenate([past_key, new_key], axis=2)
    value = new_value if past_value is None else np.concatenate([past_value, new_value], axis=2)

    keep, bias = _masks(inputs, attributes, query.shape[2], key.shape[2])
    softcap = attributes.get("softcap", 0.0)
    result = attend(
        _computable(query),
        _computable(key),
        _computable(value),
        scale=1.0 / attributes["scale"] if attributes.get("scale") else "auto",
        softcap=softcap if softcap > 0.0 else None,
        keep=keep,
        bias=bias,
    )
    output = result.output
    if three_axes:
        batch, heads, n, d_v = output.shape
        output = output.transpose(0, 2, 1, 3).reshape(batch, n, heads * d_v)
    outputs = {
        "Y": output,
        "present_key": key,
        "present_value": value,
        "qk_matmul_output": _looked_at(result, attributes),
    }
    return {name: array.astype(inputs["Q"].dtype) for name, array in outputs.items()}


def rotary_embedding(inputs: Mapping[str, Array], attributes: Mapping[str, Any]) -> dict[str, Array]:
    """The output of the operator RotaryEmbedding."""
    x = inputs["input"]
    heads = attributes.get("num_heads", 0)
    apart = x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3) if x.ndim == 3 else x  # (batch, H, n, d)
    cos, sin = inputs["cos_cache"], inputs["sin_cache"]
    if "position_ids" in inputs:
        cos, sin = cos[inputs["position_ids"]], sin[inputs["position_ids"]]  # (batch, n, p)
    pairs = "adjacent" if attributes.get("interleaved") else "halves"
    turned = rotate_by(apart, cos[:, None], sin[:, None], pairs=pairs)
    return {"output": turned.transpose(0, 2, 1, 3).reshape(x.shape) if x.ndim == 3 else turned}


def softmax_of(inputs: Mapping[str, Array], attributes: Mapping[str, Any]) -> dict[str, Array]:
    """The output of the operator Softmax."""
    return {"y": softmax(inputs["x"], axis=attributes.get("axis", -1))}


def _heads_apart(array: Array, name: str, attributes: Mapping[str, Any]) -> Array:
    """(batch, heads, tokens, coordinates), also from the 3-D layout (batch, tokens, heads * coordinates)."""
    if array.ndim == 4:
        return array
    heads = attributes["q_num_heads" if name == "Q" else "kv_num_heads"]
    batch, tokens, columns = array.shape
    return array.reshape(batch, tokens, heads, columns // heads).transpose(0, 2, 1, 3)


def _computable(array: Array) -> Array:
    """NumPy's own types: bfloat16 is none of them."""
    return array.astype(np.float32) if array.dtype == ml_dtypes.bfloat16 else array


def _masks(
    inputs: Mapping[str, Array], attributes: Mapping[str, Any], n: int, m: int
) -> tuple[NDArray[np.bool_] | None, Array | None]:
    """All that masks as one keep mask, and the finite numbers of attn_mask as a bias."""
    lengths = inputs.get("nonpad_kv_seqlen")
    if (
        lengths is not None
    ):  # the keys are a cache with room at its end, and the queries the last of its tokens
        offsets = [int(length) - n for length in lengths]
    else:
        offsets = [inputs["past_key"].shape[2] if "past_key" in inputs else 0]
    masks: list[NDArray[np.bool_]] = []
    if attributes.get("is_causal"):
        masks.append(_shifted(causal_mask, n, m, offsets))
    left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    if left >= 0 or right >= 0:
        everything = n + m + max(abs(offset) for offset in offsets)
        sides = (left if left >= 0 else everything, right if right >= 0 else everything)
        masks.append(_shifted(lambda rows, columns: window_mask(rows, columns, *sides), n, m, offsets))
    if lengths is not None:
        masks.append(np.stack([padding_mask(n, m, int(length)) for length in lengths])[:, None])
    bias = None
    if "attn_mask" in inputs:
        kept, bias = _kept_and_bias(inputs["attn_mask"], m)
        masks.append(kept)
    return (combine(*masks) if masks else None), bias


def _shifted(
    mask: Callable[[int, int], NDArray[np.bool_]], n: int, m: int, offsets: list[int]
) -> NDArray[np.bool_]:
    """A mask for queries whose first stands at the position `offset` of the keys, (batch, 1, n, m)."""
    cut = [mask(n + o, m)[o:] if o >= 0 else mask(n, m - o)[:, -o:] for o in offsets]
    return np.stack(cut)[:, None]


def _kept_and_bias(attn_mask: Array, m: int) -> tuple[NDArray[np.bool_], Array | None]:
    missing = [(0, 0)] * (attn_mask.ndim - 1) + [(0, m - attn_mask.shape[-1])]
    if attn_mask.dtype == np.bool_:
        return np.pad(attn_mask, missing), None
    numbers = np.pad(_computable(attn_mask), missing, constant_values=-np.inf)
    kept = ~np.isneginf(numbers)
    return kept, np.where(kept, numbers, 0.0).astype(numbers.dtype)


def _looked_at(result: Attention, attributes: Mapping[str, Any]) -> Array:
    """qk_matmul_output: 0 the scaled scores, 1 after softcap, 2 after bias and mask, 3 the weights."""
    mode = attributes.get("qk_matmul_output_mode", 0)
    scaled = result.scores / result.scale
    softcap = attributes.get("softcap", 0.0)
    match mode:
        case 0:
            return scaled
        case 1:
            return soft_capped(scaled, softcap) if softcap > 0.0 else scaled
        case 2:
            return result.scaled if result.keep is None else np.where(result.keep, result.scaled, -np.inf)
        case 3:
            return result.weights
    raise ValueError(f"qk_matmul_output_mode must be 0 to 3; got {mode}")


def flex_attention(inputs: Mapping[str, Array], attributes: Mapping[str, Any]) -> dict[str, Array]:
    """The output of the operator FlexAttention, where its score_mod is a softcap, a mask or something to add."""
    if "prob_mod" in attributes:
        raise NotImplementedError("prob_mod changes the weights after the normalizer")
    settings: dict[str, Any] = {}
    if "score_mod" in attributes:
        shape = (inputs["Q"].shape[0], inputs["Q"].shape[1], inputs["Q"].shape[2], inputs["K"].shape[2])
        settings = _score_mod(attributes["score_mod"], shape)
    scale = 1.0 / attributes["scale"] if attributes.get("scale") else "auto"
    return {"Y": attend(inputs["Q"], inputs["K"], inputs["V"], scale=scale, **settings).output}


def _score_mod(graph: onnx.GraphProto, shape: tuple[int, ...]) -> dict[str, Any]:
    """What a score_mod graph does, in the words of attend."""
    evaluator = ReferenceEvaluator(graph, opsets={"": 24})

    def run(scores: Array) -> Array:
        (changed,) = evaluator.run(["scores_out"], {"scores": scores})
        return np.asarray(changed)

    probe = np.linspace(-30.0, 30.0, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    if any(node.op_type == "Tanh" for node in graph.node):
        cap = float(onnx.numpy_helper.to_array(graph.initializer[0]))
        np.testing.assert_allclose(run(probe), soft_capped(probe, cap), rtol=1e-6)
        return {"softcap": cap}
    added = run(np.zeros_like(probe))
    np.testing.assert_allclose(run(probe), probe + added, rtol=1e-6)
    kept, bias = _kept_and_bias(added, shape[-1])
    return {"keep": kept, "bias": bias}
