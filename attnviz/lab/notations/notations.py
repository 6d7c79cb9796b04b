"""One layer, one sentence, several ways to write them down: each computed as it is written.

None uses the arithmetic of `MultiHeadAttention`, only its parameters; each puts them into its own shapes first.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.layer import MultiHeadAttention
from attnviz.core.masks import Keep
from attnviz.lab.notations.torch_walk import TorchParameters, safe_softmax, walk


@dataclass(frozen=True, eq=False)
class Case:
    """What all notations compute: inner products, divided by `divisor`, masked by keep (True = may look), softmax."""

    layer: MultiHeadAttention
    x: Array  # (n, d_model)
    source: Array  # (m, d_model)
    keep: Keep | None  # (n, m)
    divisor: float
    residual: bool


@dataclass(frozen=True, eq=False)
class Written:
    """The weights of all heads and the output in the layout of one notation.

    `columns` says that tokens are columns; `batch` that there is an axis of batches in front.
    """

    weights: Array  # (H, n, m), or (H, m, n) in columns
    output: Array  # (n, d_model), or (d_model, n) in columns, or (1, n, d_model)
    columns: bool = False

    def rows(self) -> tuple[Array, Array]:
        """Weights (H, n, m) and output (n, d_model), whatever the layout."""
        output = self.output.reshape(self.output.shape[-2:])
        return (np.swapaxes(self.weights, 1, 2), output.T) if self.columns else (self.weights, output)


def paper(case: Case) -> Written:
    """Y = Concat(head_1, ..., head_H) W^O, head_h = softmax(Q K^T / sqrt(d_k)) V (Vaswani et al. 2017, section 3.2)."""
    layer, weights, heads = case.layer, [], []
    for h in range(layer.num_heads):
        query = case.x @ layer.w_q[h] + _row(layer.b_q, h)  # (n, d_k)
        key = case.source @ layer.w_k[h] + _row(layer.b_k, h)  # (m, d_k)
        value = case.source @ layer.w_v[h] + _row(layer.b_v, h)  # (m, d_v)
        weights.append(safe_softmax(_hidden(query @ key.T / case.divisor, case.keep)))  # (n, m)
        heads.append(weights[h] @ value)  # (n, d_v)
    output = np.concatenate(heads, axis=1) @ np.concatenate(list(layer.w_o))  # (n, d_model)
    return Written(np.stack(weights), _finished(case, output))


def columns(case: Case, softmax_axis: int = 0) -> Written:
    """The same with tokens as columns: Q = W X, A = softmax(K^T Q / sqrt(d_k)) down each column, head = V A.

    softmax_axis=1 is the mistake of keeping "softmax along the rows" when everything else is turned.
    """
    layer, weights, heads = case.layer, [], []
    x, source = case.x.T, case.source.T  # (d_model, n), (d_model, m)
    keep = None if case.keep is None else case.keep.T  # (m, n)
    for h in range(layer.num_heads):
        query = layer.w_q[h].T @ x + _column(layer.b_q, h)  # (d_k, n)
        key = layer.w_k[h].T @ source + _column(layer.b_k, h)  # (d_k, m)
        value = layer.w_v[h].T @ source + _column(layer.b_v, h)  # (d_v, m)
        weights.append(safe_softmax(_hidden(key.T @ query / case.divisor, keep), axis=softmax_axis))  # (m, n)
        heads.append(value @ weights[h])  # (d_v, n)
    w_o = np.concatenate([block.T for block in layer.w_o], axis=1)  # (d_model, H d_v)
    output = w_o @ np.concatenate(heads, axis=0)  # (d_model, n)
    return Written(np.stack(weights), _finished(case, output.T).T, columns=True)


def short(case: Case) -> Written:
    """X + sum_h (W_h^V X) softmax[(W_h^K X)^T (W_h^Q X)], as mathematics papers write it.

    W^O is folded into W^V and the divisor into W^Q; columns are tokens. X is added here only if the case adds it.
    """
    layer, weights = case.layer, []
    x, source = case.x.T, case.source.T  # (d_model, n), (d_model, m)
    keep = None if case.keep is None else case.keep.T  # (m, n)
    total = np.zeros(x.shape)
    for h in range(layer.num_heads):
        w_q, b_q = layer.w_q[h].T / case.divisor, _column(layer.b_q, h) / case.divisor  # (d_k, d_model)
        w_v = (layer.w_v[h] @ layer.w_o[h]).T  # (d_model, d_model)
        b_v = layer.w_o[h].T @ _column(layer.b_v, h, layer.d_v)  # (d_model, 1)
        key = layer.w_k[h].T @ source + _column(layer.b_k, h)  # (d_k, m)
        weights.append(safe_softmax(_hidden(key.T @ (w_q @ x + b_q), keep), axis=0))  # (m, n)
        total = total + (w_v @ source + b_v) @ weights[h]  # (d_model, n)
    return Written(np.stack(weights), _finished(case, total.T).T, columns=True)


def torch(case: Case) -> Written:
    """torch.nn.MultiheadAttention: one weight (3E, E), heads as an axis of a view (see torch_walk).

    Raises ValueError unless H d_k = d_model and d_v = d_k.
    """
    source = None if case.source is case.x else case.source
    blocked = None if case.keep is None else ~case.keep
    way = walk(TorchParameters.of(case.layer, case.divisor), case.x, source, attn_mask=blocked)
    output = way.output + case.x if case.residual else way.output
    return Written(way.weights[0], output)


def keras(case: Case) -> Written:
    """keras.layers.MultiHeadAttention: kernels (d_model, H, d_k), every step an einsum; queries carry the divisor."""
    layer = case.layer
    kernel_q, kernel_k, kernel_v = (np.transpose(w, (1, 0, 2)) for w in (layer.w_q, layer.w_k, layer.w_v))
    x, source = case.x[None], case.source[None]  # (1, n, d_model), (1, m, d_model)
    query = np.einsum("abc,cde->abde", x, kernel_q, optimize=True) + _all(layer.b_q)  # (1, n, H, d_k)
    key = np.einsum("abc,cde->abde", source, kernel_k, optimize=True) + _all(layer.b_k)  # (1, m, H, d_k)
    value = np.einsum("abc,cde->abde", source, kernel_v, optimize=True) + _all(layer.b_v)  # (1, m, H, d_v)
    scores = np.einsum("aecd,abcd->acbe", key, query / case.divisor, optimize=True)  # (1, H, n, m)
    weights = safe_softmax(_hidden(scores, case.keep))
    heads = np.einsum("acbe,aecd->abcd", weights, value, optimize=True)  # (1, n, H, d_v)
    output = np.einsum("abcd,cde->abe", heads, layer.w_o, optimize=True)  # (1, n, d_model)
    return Written(weights[0], _finished(case, output))


def onnx(case: Case) -> Written:
    """MatMul, the operator Attention (opset 23) with 3-D inputs (1, n, H d_k), and MatMul again.

    The operator has no projections of its own; it splits the heads, and multiplies q and k by sqrt(scale) each.
    """
    layer = case.layer
    root = np.sqrt(1.0 / case.divisor)
    query = _side_by_side(case.x, layer.w_q, layer.b_q)  # (1, n, H d_k)
    key = _side_by_side(case.source, layer.w_k, layer.b_k)  # (1, m, H d_k)
    value = _side_by_side(case.source, layer.w_v, layer.b_v)  # (1, m, H d_v)
    query, key, value = (_split(array, layer.num_heads) for array in (query, key, value))  # (1, H, n or m, d)
    scores = (query * root) @ np.swapaxes(key * root, -2, -1)  # (1, H, n, m)
    weights = safe_softmax(_hidden(scores, case.keep))
    joined = np.transpose(weights @ value, (0, 2, 1, 3)).reshape(1, len(case.x), -1)  # (1, n, H d_v)
    output = joined @ layer.w_o.reshape(-1, layer.d_model)  # (1, n, d_model)
    return Written(weights[0], _finished(case, output))


def largest_difference(ours: tuple[Array, ...], theirs: tuple[Array, ...]) -> float:
    """The largest magnitude of a difference, over all arrays; ValueError unless each pair has one shape."""
    largest = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape:
            raise ValueError(f"arrays to compare must have the same shape {a.shape}; got {b.shape}")
        largest = max(largest, float(np.abs(a - b).max(initial=0.0)))
    return largest


def _hidden(scores: Array, keep: Keep | None) -> Array:
    return scores if keep is None else np.where(keep, scores, -np.inf)


def _finished(case: Case, output: Array) -> Array:
    """The output with its bias, and with x where the case is residual."""
    output = output if case.layer.b_o is None else output + case.layer.b_o
    return output + case.x if case.residual else output


def _row(bias: Array | None, head: int) -> Array:
    return np.zeros(1) if bias is None else bias[head]


def _column(bias: Array | None, head: int, size: int = 1) -> Array:
    return np.zeros((size, 1)) if bias is None else bias[head][:, None]


def _all(bias: Array | None) -> Array:
    return np.zeros(1) if bias is None else bias


def _side_by_side(tokens: Array, w: Array, b: Array | None) -> Array:
    """The projections of all heads side by side, (1, tokens, H d), by one product."""
    product = tokens[None] @ np.concatenate(list(w), axis=1)
    return np.asarray(product if b is None else product + b.reshape(-1))


def _split(array: Array, heads: int) -> Array:
    """(1, n, H d) -> (1, H, n, d)."""
    batch, n, width = array.shape
    return np.transpose(array.reshape(batch, n, heads, width // heads), (0, 2, 1, 3))


NOTATIONS: dict[str, Callable[[Case], Written]] = {
    "paper": paper,
    "columns": columns,
    "short": short,
    "torch": torch,
    "keras": keras,
    "onnx": onnx,
}
