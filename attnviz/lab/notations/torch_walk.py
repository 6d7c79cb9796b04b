"""The way through torch.nn.MultiheadAttention, tensor by tensor, in PyTorch's own layout.

Written from PyTorch's documentation (torch.nn.functional.multi_head_attention_forward), not from our layer: the two
share no arithmetic, so that their agreement says something. Batches come first, as with batch_first=True.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.layer import MultiHeadAttention
from attnviz.core.masks import Keep


@dataclass(frozen=True, eq=False)
class TorchParameters:
    """The state of a torch.nn.MultiheadAttention(E, num_heads): weights are (outputs, inputs), as in every nn.Linear.

    The three projections are one matrix: rows 0 to E of in_proj_weight make queries, E to 2 E keys, 2 E to 3 E values.
    """

    in_proj_weight: Array  # (3E, E)
    in_proj_bias: Array | None  # (3E,)
    out_proj_weight: Array  # (E, E)
    out_proj_bias: Array | None  # (E,)
    num_heads: int

    @property
    def head_dim(self) -> int:
        """The size of a head, E / num_heads: PyTorch knows no other."""
        return int(self.in_proj_weight.shape[1]) // self.num_heads

    @classmethod
    def of(cls, layer: MultiHeadAttention, divisor: float | None = None) -> "TorchParameters":
        """The parameters of our layer as PyTorch stores them.

        PyTorch always divides the scores by sqrt(head_dim); another divisor goes into the rows of the queries.
        Raises ValueError unless H d_k = d_model and d_v = d_k.
        """
        if layer.num_heads * layer.d_k != layer.d_model or layer.d_v != layer.d_k:
            raise ValueError(
                f"d_k and d_v must be d_model / H = {layer.d_model} / {layer.num_heads}; "
                f"got d_k={layer.d_k}, d_v={layer.d_v}"
            )
        factor = 1.0 if divisor is None else np.sqrt(layer.d_k) / divisor
        weights = [layer.w_q * factor, layer.w_k, layer.w_v]  # three times (H, E, head_dim)
        biases = [None if layer.b_q is None else layer.b_q * factor, layer.b_k, layer.b_v]  # (H, head_dim)
        return cls(
            np.concatenate([_rows_of_heads(w) for w in weights]),
            _joined(biases, layer.d_model),
            layer.w_o.reshape(layer.d_model, layer.d_model).T,
            layer.b_o,
            layer.num_heads,
        )


@dataclass(frozen=True, eq=False)
class TorchWalk:
    """Every tensor on the way; batch 1, H heads, n queries, m keys, E = H * head_dim.

    in_proj is one tensor for self-attention, and queries apart from keys and values where there is a source.
    """

    parameters: TorchParameters
    x: Array  # (1, n, E)
    source: Array  # (1, m, E)
    in_proj: tuple[Array, ...]  # (1, n, 3E); or (1, n, E) and (1, m, 2E)
    chunks: tuple[Array, Array, Array]  # (1, n, E), (1, m, E), (1, m, E)
    query: Array  # (1, H, n, head_dim)
    key: Array  # (1, H, m, head_dim)
    value: Array  # (1, H, m, head_dim)
    scores: Array  # (1, H, n, m)
    scaled: Array  # (1, H, n, m)
    masked: Array  # (1, H, n, m)
    weights: Array  # (1, H, n, m)
    head_outputs: Array  # (1, H, n, head_dim)
    permuted: Array  # (1, n, H, head_dim)
    concat: Array  # (1, n, E)
    output: Array  # (1, n, E)


def walk(
    parameters: TorchParameters, x: Array, source: Array | None = None, *, attn_mask: Keep | None = None
) -> TorchWalk:
    """The walk from x (n, E), and keys and values from source (m, E) where it is given.

    attn_mask (n, m) has the meaning it has in nn.MultiheadAttention: True = may NOT look. A query that may look at
    nothing gets weights 0, as from scaled_dot_product_attention (with need_weights=True PyTorch makes it NaN).
    """
    heads, head_dim = parameters.num_heads, parameters.head_dim
    batch = x[None]  # (1, n, E)
    other = batch if source is None else source[None]  # (1, m, E)
    in_proj = _in_proj(parameters, batch, None if source is None else other)
    chunks = _chunks(in_proj)
    query, key, value = (_heads_first(chunk, heads, head_dim) for chunk in chunks)  # (1, H, n or m, head_dim)
    scores = query @ np.swapaxes(key, -2, -1)  # (1, H, n, m)
    scaled = scores / np.sqrt(head_dim)
    masked = scaled if attn_mask is None else np.where(attn_mask, -np.inf, scaled)
    weights = safe_softmax(masked)
    head_outputs = weights @ value  # (1, H, n, head_dim)
    permuted = np.transpose(head_outputs, (0, 2, 1, 3))  # (1, n, H, head_dim)
    concat = np.ascontiguousarray(permuted).reshape(batch.shape)  # (1, n, E)
    output = linear(concat, parameters.out_proj_weight, parameters.out_proj_bias)  # (1, n, E)
    return TorchWalk(
        parameters, batch, other, in_proj, chunks, query, key, value,
        scores, scaled, masked, weights, head_outputs, permuted, concat, output,
    )  # fmt: skip


def without_transpose(chunk: Array, num_heads: int) -> Array:
    """A frequent mistake: (1, n, E).view(1, H, n, head_dim) without the transpose; heads get numbers of other tokens."""
    batch, n, width = chunk.shape
    return chunk.reshape(batch, num_heads, n, width // num_heads)


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    """x W^T + b, as torch.nn.functional.linear."""
    product = x @ weight.T
    return product if bias is None else product + bias


def safe_softmax(scores: Array, axis: int = -1) -> Array:
    """exp(s) / sum of exp(s) along the axis; 0 where all scores are -inf."""
    highest = scores.max(axis=axis, keepdims=True)
    raised = np.exp(scores - np.where(np.isneginf(highest), 0.0, highest))
    total = raised.sum(axis=axis, keepdims=True)
    return np.asarray(raised / np.where(total > 0.0, total, 1.0))


def _rows_of_heads(w: Array) -> Array:
    """(H, E, head_dim) -> (E, E): the head_dim rows of head 1, those of head 2, ..."""
    return np.concatenate([head.T for head in w])


def _joined(biases: list[Array | None], width: int) -> Array | None:
    if all(bias is None for bias in biases):
        return None
    return np.concatenate([np.zeros(width) if bias is None else bias.reshape(-1) for bias in biases])


def _in_proj(parameters: TorchParameters, x: Array, source: Array | None) -> tuple[Array, ...]:
    weight, bias = parameters.in_proj_weight, parameters.in_proj_bias
    if source is None:
        return (linear(x, weight, bias),)
    width = weight.shape[1]
    first, rest = (None, None) if bias is None else (bias[:width], bias[width:])
    return linear(x, weight[:width], first), linear(source, weight[width:], rest)


def _chunks(in_proj: tuple[Array, ...]) -> tuple[Array, Array, Array]:
    if len(in_proj) == 1:
        query, key, value = np.split(in_proj[0], 3, axis=-1)
        return query, key, value
    key, value = np.split(in_proj[1], 2, axis=-1)
    return in_proj[0], key, value


def _heads_first(chunk: Array, heads: int, head_dim: int) -> Array:
    """(1, n, E) -> view (1, n, H, head_dim) -> transpose (1, H, n, head_dim)."""
    batch, n, _ = chunk.shape
    return chunk.reshape(batch, n, heads, head_dim).swapaxes(1, 2)


@dataclass(frozen=True)
class WalkStep:
    """A step: the line of PyTorch that makes its tensors (another one where there is a source), and the tensors."""

    code: str
    tensors: Callable[[TorchWalk], tuple[Array, ...]]
    source_code: str = ""

    def line(self, cross: bool) -> str:
        """The code for self-attention, or for attention to a source."""
        return self.source_code if cross and self.source_code else self.code


WALK_STEPS: dict[str, WalkStep] = {
    "in_proj_weight": WalkStep("in_proj_weight", lambda w: (w.parameters.in_proj_weight,)),
    "in_proj": WalkStep(
        "qkv = F.linear(x, in_proj_weight, in_proj_bias)",
        lambda w: w.in_proj,
        "q = F.linear(x, w_q, b_q); kv = F.linear(source, w_kv, b_kv)",
    ),
    "chunk": WalkStep("q, k, v = qkv.chunk(3, dim=-1)", lambda w: w.chunks, "k, v = kv.chunk(2, dim=-1)"),
    "view": WalkStep("q = q.view(1, -1, H, head_dim).transpose(1, 2)", lambda w: (w.query,)),  # k, v alike
    "scores": WalkStep("scores = q @ k.transpose(-2, -1)", lambda w: (w.scores,)),
    "scaled": WalkStep("scaled = scores / math.sqrt(head_dim)", lambda w: (w.scaled,)),
    "masked": WalkStep("masked = scaled.masked_fill(attn_mask, -math.inf)", lambda w: (w.masked,)),
    "weights": WalkStep("weights = masked.softmax(dim=-1)", lambda w: (w.weights,)),
    "head_outputs": WalkStep("heads = weights @ v", lambda w: (w.head_outputs,)),
    "permute": WalkStep("heads = heads.permute(0, 2, 1, 3)", lambda w: (w.permuted,)),
    "concat": WalkStep("concat = heads.contiguous().view(1, -1, E)", lambda w: (w.concat,)),
    "out_proj_weight": WalkStep("out_proj.weight", lambda w: (w.parameters.out_proj_weight,)),
    "out_proj": WalkStep("output = F.linear(concat, out_proj.weight, out_proj.bias)", lambda w: (w.output,)),
}
