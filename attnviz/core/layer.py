"""Multi-head attention: its parameters, and the trace in which every number of a pass from x to the output is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .arrays import Array, as_real, computing_dtype, floating, require_finite
from .attention import Recipe, find_recipe, weigh
from .checks import flag, require_known
from .exchange.methods import Exchanged
from .masks import Keep, empty_rows, own_mask
from .modifiers import rotate
from .normalizers import Normalizer
from .parameters import PARAMETER_AXES, REQUIRED, checked_sizes, chosen_sizes, parts, projected, side_by_side
from .scores import Score, checked_parameters
from .sealed import Shown, sealed, sealed_copy, sealed_parameters, sealed_record
from .streams import normal_matrix


@dataclass(frozen=True, eq=False, repr=False)
class AttentionTrace(Shown):
    """Every number of one pass through multi-head attention; H heads, n queries, m keys.

    query, key and value are views of one product (of two where there is a source), head_outputs are views of
    concat; scaled is the same array as scores where nothing changes them; keep is as given, as truth values, None
    without a mask. layer holds the parameters, score_parameters those of the score function; recipe says how the
    scores became weights; residual says whether x was added to the output.
    """

    layer: MultiHeadAttention
    x: Array  # (n, d_model)
    x_source: Array  # (m, d_model)
    query: Array  # (H, n, d_k)
    key: Array  # (H, m, d_k)
    value: Array  # (H, m, d_v)
    scores: Array  # (H, n, m)
    scaled: Array  # (H, n, m)
    keep: Keep | None  # broadcasts to (H, n, m)
    weights: Array  # (H, n, m)
    head_outputs: Array  # (H, n, d_v)
    concat: Array  # (n, H * d_v)
    contributions: Array  # (H, n, d_model)
    output: Array  # (n, d_model)
    recipe: Recipe
    residual: bool
    score_parameters: Mapping[str, Array | float]

    @classmethod
    def of(cls, numbers: dict[str, Any]) -> Self:
        """The same as cls(**numbers) where no array but those in COMPUTED can be written to."""
        for name in COMPUTED:
            numbers[name].setflags(write=False)
        return sealed_record(cls, numbers)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "head_outputs"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        layer, concat = state["layer"], sealed(state["concat"])
        heads = concat.reshape(*concat.shape[:-1], layer.num_heads, layer.d_v)  # (n, H, d_v)
        super().__setstate__(state | {"head_outputs": heads.swapaxes(-2, -3)})

    @property
    def scale(self) -> float:
        """The number that divided the scores."""
        return self.recipe.scale

    @property
    def cross(self) -> bool:
        """Whether keys and values come from somewhere else than x."""
        return self.x_source is not self.x

    @property
    def empty_rows(self) -> Keep:
        """The queries of each head that may look at nothing, shape (H, n): weights and head outputs are 0."""
        return empty_rows(self.keep, self.weights.shape)


@dataclass(frozen=True, eq=False, repr=False)
class MultiHeadAttention(Exchanged):
    """The parameters of multi-head attention (Vaswani et al. 2017, section 3.2.2), tokens as rows.

    w_q, w_k (H, d_model, d_k), w_v (H, d_model, d_v), w_o (H, d_v, d_model), and optional biases b_q, b_k (H, d_k),
    b_v (H, d_v), b_o (d_model,); d_k and d_v are free. They are copied and cannot be written to: to change one,
    make another layer with dataclasses.replace. Calling the layer computes, for each head h,
    head_h = softmax(f(x W_h^Q, x' W_h^K) / scale) x' W_h^V, and output = sum_h head_h W_h^O.

    Raises ValueError if shapes do not fit together or a number is not finite.
    """

    w_q: Array
    w_k: Array
    w_v: Array
    w_o: Array
    b_q: Array | None = None
    b_k: Array | None = None
    b_v: Array | None = None
    b_o: Array | None = None
    num_heads: int = field(init=False)
    d_model: int = field(init=False)
    d_k: int = field(init=False)
    d_v: int = field(init=False)
    # W_h^Q, W_h^K and W_h^V side by side, (H, d_model, d_k + d_k + d_v): one product serves all three.
    _w_qkv: Array = field(init=False, repr=False)
    _b_qkv: Array | None = field(init=False, repr=False)  # (H, 1, d_k + d_k + d_v)

    def __post_init__(self) -> None:
        for name in REQUIRED:
            if getattr(self, name) is None:
                raise ValueError(f"{name} must have the axes {PARAMETER_AXES[name]}; got None")
        arrays = {name: as_real(name, array) for name, array in self.parameters().items()}
        sizes = checked_sizes(arrays)
        dtype = np.result_type(*arrays.values())
        stored: dict[str, Any] = {name: array.astype(dtype) for name, array in arrays.items()}
        w_qkv = sealed(np.concatenate([stored["w_q"], stored["w_k"], stored["w_v"]], axis=2))
        stored |= {"_w_qkv": w_qkv, "_b_qkv": side_by_side(stored)}
        stored |= zip(("w_q", "w_k", "w_v"), parts(w_qkv, sizes["d_k"]), strict=True)
        for name, value in (stored | sizes).items():
            object.__setattr__(self, name, sealed(value) if isinstance(value, np.ndarray) else value)

    def __reduce__(self) -> tuple[type[Self], tuple[Array | None, ...]]:
        # Made anew from its parameters, so that w_q, w_k and w_v of a copy are views of one array again.
        return type(self), tuple(getattr(self, name) for name in PARAMETER_AXES)

    @classmethod
    def random(
        cls,
        d_model: int,
        num_heads: int,
        d_k: int | None = None,
        d_v: int | None = None,
        *,
        seed: int = 0,
        bias: bool = False,
    ) -> Self:
        """Parameters drawn from N(0, 1) and divided by sqrt(fan-in), each matrix of each head from its own stream.

        d_k is d_model / num_heads where not given, as usual, and d_v is d_k. Raising a size moves no entry that was
        there, apart from the factor 1/sqrt(fan-in). Raises ValueError for sizes that are no whole numbers above 0.
        """
        sizes = chosen_sizes(d_model, num_heads, d_k, d_v)
        d_model, num_heads, d_v = sizes["d_model"], sizes["num_heads"], sizes["d_v"]
        bias = flag("bias", bias)
        arrays = {}
        for name, axes in PARAMETER_AXES.items():
            if bias or name.startswith("w"):
                rows, columns = (1, *(sizes[axis] for axis in axes if axis != "num_heads"))[-2:]
                heads = range(num_heads if "num_heads" in axes else 1)
                drawn = np.stack([normal_matrix(seed, name, head, rows, columns) for head in heads])
                fan_in = num_heads * d_v if name.endswith("o") else d_model
                arrays[name] = drawn.reshape([sizes[axis] for axis in axes]) / np.sqrt(fan_in)
        return cls(**arrays)

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name} {array.shape}" for name, array in self.parameters().items())
        return f"{type(self).__name__} of {arrays}"

    def parameters(self) -> dict[str, Array]:
        """The matrices, and the biases that there are, by name."""
        named = {name: getattr(self, name) for name in PARAMETER_AXES}
        return {name: array for name, array in named.items() if array is not None}

    def astype(self, dtype: DTypeLike) -> MultiHeadAttention:
        """The same layer with parameters of this type, one of floating-point numbers.

        Raises ValueError for another type, and for one in which a parameter is no longer finite.
        """
        kind = floating("dtype", dtype)
        with np.errstate(all="ignore"):  # what is too large is refused by name
            changed = {name: array.astype(kind) for name, array in self.parameters().items()}
        return MultiHeadAttention(**changed)

    @np.errstate(all="ignore")  # what is too large is refused by name
    def folded(self) -> MultiHeadAttention:
        """The same layer as mathematics papers write it: W_h^V W_h^O is one matrix, w_o[h] = identity, d_v = d_model."""
        folded = self.parameters() | {"w_v": self.w_v @ self.w_o}  # (H, d_model, d_model)
        folded["w_o"] = np.stack([np.eye(self.d_model, dtype=self.w_o.dtype)] * self.num_heads)
        if self.b_v is not None:
            folded["b_v"] = (self.b_v[:, None, :] @ self.w_o)[:, 0, :]  # (H, d_model)
        return MultiHeadAttention(**folded)

    @np.errstate(all="ignore")  # what is not finite is refused by name
    def __call__(
        self,
        x: ArrayLike,
        x_source: ArrayLike | None = None,
        *,
        keep: ArrayLike | None = None,
        residual: bool = False,
        score: Score = "dot",
        scale: str | float = "auto",
        temperature: float = 1.0,
        softcap: float | None = None,
        bias: ArrayLike | None = None,
        normalizer: str | Normalizer | Callable[..., Array] = "softmax",
        rotary: bool = False,
        **score_parameters: ArrayLike,
    ) -> AttentionTrace:
        """Every number of the way from x (n, d_model) to the output (n, d_model).

        x_source (m, d_model) is where keys and values come from: x itself where not given (self-attention).
        residual: x is added to the output; rotary: query and key are turned by their positions 0, 1, 2, ...;
        scale may also be "sqrt_d_model"; the rest, half precision too, as in attend.
        A batch of B sentences: x (B, n, d_model), x_source (B, m, d_model). Every array of the trace then has B
        in front, (B, H, n, m) and so on, and keep may be one mask a sentence, (B, n, m).

        Raises ValueError for shapes that do not fit, unknown names, and numbers that are not finite.
        """
        residual, rotary = flag("residual", residual), flag("rotary", rotary)
        tokens = self._tokens("x", x)
        source = tokens if x_source is None or x_source is x else self._tokens("x_source", x_source, tokens)
        given = np.result_type(tokens, source, self.w_o)
        dtype = computing_dtype(given)
        recipe = find_recipe(
            score, scale, temperature, softcap, bias, normalizer,
            dtype=dtype, d_k=self.d_k, d_model=self.d_model, rotary=rotary,
        )  # fmt: skip
        if score_parameters:
            require_known(score_parameters, recipe.score.name, recipe.score.parameters)
        parameters = checked_parameters(recipe.score, score_parameters, dtype, self.d_k, self.num_heads)
        kept = None if keep is None else own_mask(keep, tokens)

        n, m = tokens.shape[-2], source.shape[-2]
        query, key, value = self._project(tokens, source, dtype)  # (H, n, d_k), (H, m, d_k), (H, m, d_v)
        if rotary:
            query, key = sealed(rotate(query, np.arange(n))), sealed(rotate(key, np.arange(m)))
        scores, scaled, weights = weigh(query, key, kept, recipe, parameters)  # (H, n, m)
        before = tokens.shape[:-1]  # (n,), of a batch (B, n)
        heads_apart = np.empty((*before, self.num_heads, self.d_v), dtype)  # (n, H, d_v)
        head_outputs = np.matmul(weights, value, out=heads_apart.swapaxes(-2, -3))  # (H, n, d_v)
        concat = sealed(heads_apart).reshape((*before, self.num_heads * self.d_v))  # (n, H * d_v)
        contributions = head_outputs @ self.w_o  # (H, n, d_model)
        output = np.add.reduce(contributions, axis=-3)  # (n, d_model)
        if self.b_o is not None:
            output += self.b_o
        if residual:
            output += tokens
        if given != dtype:
            weights, output = weights.astype(given), output.astype(given)
        require_finite("the output", output)

        return AttentionTrace.of(
            {
                "layer": self,
                "x": tokens,
                "x_source": source,
                "query": query,
                "key": key,
                "value": value,
                "scores": scores,
                "scaled": scaled,
                "keep": kept,
                "weights": weights,
                "head_outputs": head_outputs,
                "concat": concat,
                "contributions": contributions,
                "output": output,
                "recipe": recipe,
                "residual": residual,
                "score_parameters": sealed_parameters(parameters),
            }
        )

    def _tokens(self, name: str, values: ArrayLike, x: Array | None = None) -> Array:
        """A copy of the tokens' vectors; where x is given, of as many sentences as it has."""
        array = as_real(name, values)
        batch = (array if x is None else x).ndim > 2
        fits = array.ndim == 2 + batch and (x is None or array.shape[:-2] == x.shape[:-2])
        if not fits or array.shape[-1] != self.d_model:
            sentences = "" if not batch else "sentences, " if x is None else f"sentences={len(x)}, "
            expected = f"({sentences}tokens, d_model={self.d_model})"
            raise ValueError(f"{name} must have shape {expected}; got {array.shape}")
        return sealed_copy(array)

    def _project(self, x: Array, source: Array, dtype: np.dtype[Any]) -> tuple[Array, Array, Array]:
        """Query (H, n, d_k), key (H, m, d_k) and value (H, m, d_v): x W_h^Q, x' W_h^K and x' W_h^V, plus bias."""
        w, b, d_k = self._w_qkv.astype(dtype, copy=False), self._b_qkv, self.d_k
        if source is x:
            return parts(projected("x", x, w, b), d_k)
        query = projected("x", x, w[..., :d_k], None if b is None else b[..., :d_k])  # (H, n, d_k)
        key_value = projected("x_source", source, w[..., d_k:], None if b is None else b[..., d_k:])
        return query, key_value[..., :d_k], key_value[..., d_k:]


# What a layer makes of arrays of its own; all others are views of what is sealed, or sealed copies.
COMPUTED = ("scores", "scaled", "weights", "head_outputs", "contributions", "output")
