"""Backwards through multi-head attention: from the gradient at the output to every other one."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array, require_shape
from attnviz.core.layer import AttentionTrace


@dataclass(frozen=True, eq=False)
class AttentionGradients:
    """The gradients of a loss, each of the shape of the array that it belongs to.

    In self-attention x and x_source are one array, and its gradient is `x + x_source`.
    """

    w_q: Array
    w_k: Array
    w_v: Array
    w_o: Array
    x: Array  # (n, d_model)
    x_source: Array  # (m, d_model)
    query: Array  # (H, n, d_k)
    key: Array  # (H, m, d_k)
    value: Array  # (H, m, d_v)
    scores: Array  # (H, n, m)
    weights: Array  # (H, n, m)


def attention_gradients(trace: AttentionTrace, output: Array) -> AttentionGradients:
    """The gradients of a loss whose gradient at trace.output, shape (n, d_model), is `output`.

    For the dot score, a scale (no temperature, softcap or rotation) and softmax, with any mask. A row of
    softmax passes back dL/ds_j = p_j (dL/dp_j - sum_i p_i dL/dp_i); all else is a product of matrices.
    """
    require_shape("output", output, trace.output.shape, "(n, d_model)")
    layer = trace.layer
    heads = np.matmul(output, _turned(layer.w_o))  # (H, n, d_v)
    weights = np.matmul(heads, _turned(trace.value))  # (H, n, m)
    value = np.matmul(_turned(trace.weights), heads)  # (H, m, d_v)
    mean = (trace.weights * weights).sum(axis=-1, keepdims=True)
    scores = trace.weights * (weights - mean) / trace.scale  # (H, n, m)
    query = np.matmul(scores, trace.key)  # (H, n, d_k)
    key = np.matmul(_turned(scores), trace.query)  # (H, m, d_k)
    x = np.matmul(query, _turned(layer.w_q)).sum(axis=0)  # (n, d_model)
    x_source = (np.matmul(key, _turned(layer.w_k)) + np.matmul(value, _turned(layer.w_v))).sum(axis=0)
    return AttentionGradients(
        w_q=np.matmul(trace.x.T, query),
        w_k=np.matmul(trace.x_source.T, key),
        w_v=np.matmul(trace.x_source.T, value),
        w_o=np.matmul(_turned(trace.head_outputs), output),
        x=x + output if trace.residual else x,
        x_source=x_source,
        query=query,
        key=key,
        value=value,
        scores=scores,
        weights=weights,
    )


def _turned(matrices: Array) -> Array:
    return matrices.swapaxes(-1, -2)
