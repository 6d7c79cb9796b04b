"""Where notations and libraries put the same things: names, shapes and meanings, each with the sizes at hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.core.embedding import embed
from attnviz.core.presets import WEIGHT_PRESETS
from attnviz.lab.notations.notations import Case
from attnviz.lesson.lesson import Lesson, call_arguments
from attnviz.lesson.settings import DEFAULTS, WIDE_VALUES, Settings
from attnviz.text import Tokens

LARGEST = 512  # d_model of the settings
MOST_TOKENS = 64  # of a sentence that is computed in every notation at once

# What every notation writes: inner products, one divisor, a mask, softmax.
DEFINITION = ("score", "normalizer", "softcap", "bias_kind", "rotary")


def definition(settings: Settings) -> tuple[Settings, tuple[str, ...]]:
    """`settings` with what only we have put back to the definition, and the names of what changed."""
    plain = {name: DEFAULTS[name] for name in DEFINITION}
    return _changed(settings, plain)


def torch_sizes(settings: Settings) -> tuple[Settings, tuple[str, ...]]:
    """`settings` with the nearest sizes that PyTorch can have, and the names of what changed.

    nn.MultiheadAttention knows H and E only: E is a multiple of H, and d_k = d_v = E / H. H stays.
    """
    heads = settings.num_heads
    size = max(1, min(round(settings.d_model / heads), LARGEST // heads))
    sizes: dict[str, Any] = {"d_model": size * heads, "d_k": size, "d_v": size}
    if settings.preset in WIDE_VALUES and heads > 1:
        sizes["preset"] = "random"
    return _changed(settings, sizes)


def trimmed(lesson: Lesson, most: int = MOST_TOKENS) -> Lesson:
    """The lesson with at most the first `most` tokens of each sentence, computed anew where some are left out."""
    n, m = len(lesson.tokens.tokens), len(lesson.source.tokens)
    if max(n, m) <= most:
        return lesson
    trace = lesson.trace
    x_source = trace.x_source[:most] if lesson.cross else None
    arguments = call_arguments(lesson.settings, n, m)
    if trace.keep is not None:  # the trace's own: it may be edited
        arguments["keep"] = trace.keep[..., :most, :most]
    tokens, source = _first(lesson.tokens, most), _first(lesson.source, most)
    return replace(
        lesson, tokens=tokens, source=source, trace=trace.layer(trace.x[:most], x_source, **arguments)
    )


def _first(tokens: Tokens, most: int) -> Tokens:
    return replace(tokens, tokens=tokens.tokens[:most], ids=tokens.ids[:most])


def case_of(lesson: Lesson) -> Case:
    """What the notations compute of a lesson whose settings are those of `definition`."""
    trace = lesson.trace
    divisor = trace.scale * lesson.settings.temperature
    keep = None if trace.keep is None else np.broadcast_to(trace.keep, trace.scores.shape[1:])
    return Case(trace.layer, trace.x, trace.x_source, keep, divisor, trace.residual)


@dataclass(frozen=True)
class Divisors:
    """The two divisors for one number of heads, and the mean largest weight of a query under each."""

    num_heads: int
    d_k: int
    by_d_k: float
    by_d_model: float
    largest_by_d_k: float
    largest_by_d_model: float


def divisors(tokens: tuple[str, ...], d_model: int, seed: int) -> list[Divisors]:
    """sqrt(d_k) beside sqrt(d_model) for each H that divides d_model, up to 16; random weights, normal vectors."""
    x = embed(tokens, d_model, seed)
    found = []
    for heads in (h for h in (1, 2, 4, 8, 16) if d_model % h == 0):
        d_k = d_model // heads
        layer = WEIGHT_PRESETS["random"](d_model, heads, d_k, d_k, seed, False)
        own, whole = (layer(x, scale=scale) for scale in ("sqrt_d_k", "sqrt_d_model"))
        largest = [float(trace.weights.max(axis=-1).mean()) for trace in (own, whole)]
        found.append(Divisors(heads, d_k, own.scale, whole.scale, largest[0], largest[1]))
    return found


def _changed(settings: Settings, values: dict[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    names = tuple(name for name, value in values.items() if settings[name] != value)
    return settings.put(**values), names


@dataclass(frozen=True)
class Sizes:
    """n queries, m keys, H heads; PyTorch's own sizes are another of these."""

    n: int
    m: int
    d_model: int
    num_heads: int
    d_k: int
    d_v: int

    @property
    def all_values(self) -> int:
        """The width of all head outputs side by side, H d_v."""
        return self.num_heads * self.d_v

    @property
    def all_keys(self) -> int:
        """The width of all queries (or keys) side by side, H d_k."""
        return self.num_heads * self.d_k


Shape = Callable[[Sizes], tuple[int, ...]]


@dataclass(frozen=True)
class Cell:
    """What one notation calls a thing: HTML of ours, its shape, and the key of a word where it needs one."""

    name: str = ""
    shape: Shape | None = None
    word: str = ""


NOTHING = Cell("—")


def _code(name: str, shape: Shape | None = None, word: str = "") -> Cell:
    return Cell(f"<code>{name}</code>", shape, word)


def _symbol(letter: str, above: str = "", below: str = "", role: str = "") -> str:
    letter = f'<var class="{role}">{letter}</var>'
    return (
        letter
        + (f"<sub><var>{below}</var></sub>" if below else "")
        + (f"<sup><var>{above}</var></sup>" if above else "")
    )


_D_K = "<var>d<sub>k</sub></var>"
_SCORES_ROWS = f"{_symbol('Q', role='query')} {_symbol('K', '⊤', role='key')}"
_SCORES_COLUMNS = f"{_symbol('K', '⊤', role='key')} {_symbol('Q', role='query')}"


def _input_weight(letter: str, role: str, place: str) -> dict[str, Cell]:
    """W^Q and W^K: the same shapes in every notation."""
    symbol = _symbol("W", letter, "h", role)
    return {
        "paper": Cell(symbol, lambda s: (s.d_model, s.d_k)),
        "columns": Cell(symbol, lambda s: (s.d_k, s.d_model)),
        "short": Cell(symbol, lambda s: (s.d_k, s.d_model), "with_divisor" if letter == "Q" else ""),
        "torch": _code(f"in_proj_weight[{place}]", lambda s: (s.d_model, s.d_model)),
        "keras": _code(f"{role}/kernel", lambda s: (s.d_model, s.num_heads, s.d_k)),
        "onnx": _code("MatMul B", lambda s: (s.d_model, s.all_keys)),
    }


NAMES: dict[str, dict[str, Cell]] = {
    "tokens": {
        "paper": Cell(_symbol("X"), lambda s: (s.n, s.d_model)),
        "columns": Cell(_symbol("X"), lambda s: (s.d_model, s.n)),
        "short": Cell(_symbol("X"), lambda s: (s.d_model, s.n)),
        "torch": _code("query", lambda s: (1, s.n, s.d_model), "batch_first"),
        "keras": _code("query", lambda s: (1, s.n, s.d_model)),
        "onnx": _code("MatMul A", lambda s: (1, s.n, s.d_model)),
    },
    "source": {
        "paper": Cell(_symbol("X′"), lambda s: (s.m, s.d_model)),
        "columns": Cell(_symbol("X′"), lambda s: (s.d_model, s.m)),
        "short": Cell(_symbol("X"), lambda s: (s.d_model, s.m)),
        "torch": _code("key, value", lambda s: (1, s.m, s.d_model)),
        "keras": _code("value, key", lambda s: (1, s.m, s.d_model)),
        "onnx": _code("MatMul A", lambda s: (1, s.m, s.d_model)),
    },
    "w_q": _input_weight("Q", "query", ":E"),
    "w_k": _input_weight("K", "key", "E:2E"),
    "w_v": {
        "paper": Cell(_symbol("W", "V", "h", "value"), lambda s: (s.d_model, s.d_v)),
        "columns": Cell(_symbol("W", "V", "h", "value"), lambda s: (s.d_v, s.d_model)),
        "short": Cell(_symbol("W", "V", "h", "value"), lambda s: (s.d_model, s.d_model), "with_w_o"),
        "torch": _code("in_proj_weight[2E:]", lambda s: (s.d_model, s.d_model)),
        "keras": _code("value/kernel", lambda s: (s.d_model, s.num_heads, s.d_v)),
        "onnx": _code("MatMul B", lambda s: (s.d_model, s.all_values)),
    },
    "w_o": {
        "paper": Cell(_symbol("W", "O"), lambda s: (s.all_values, s.d_model)),
        "columns": Cell(_symbol("W", "O"), lambda s: (s.d_model, s.all_values)),
        "short": NOTHING,
        "torch": _code("out_proj.weight", lambda s: (s.d_model, s.d_model), "transposed"),
        "keras": _code("attention_output/kernel", lambda s: (s.num_heads, s.d_v, s.d_model)),
        "onnx": _code("MatMul B", lambda s: (s.all_values, s.d_model)),
    },
    "biases": {
        "paper": NOTHING,
        "columns": NOTHING,
        "short": NOTHING,
        "torch": _code("in_proj_bias", lambda s: (3 * s.d_model,)),
        "keras": _code("query/bias", lambda s: (s.num_heads, s.d_k)),
        "onnx": _code("Add B", lambda s: (s.all_keys,)),
    },
    "queries": {
        "paper": Cell(_symbol("Q", role="query"), lambda s: (s.n, s.d_k)),
        "columns": Cell(_symbol("Q", role="query"), lambda s: (s.d_k, s.n)),
        "short": Cell(f"{_symbol('W', 'Q', 'h', 'query')} {_symbol('X')}", lambda s: (s.d_k, s.n)),
        "torch": _code("q", lambda s: (1, s.num_heads, s.n, s.d_k), "view"),
        "keras": _code("query", lambda s: (1, s.n, s.num_heads, s.d_k)),
        "onnx": _code("Attention Q", lambda s: (1, s.n, s.all_keys)),
    },
    "scores": {
        "paper": Cell(_SCORES_ROWS, lambda s: (s.n, s.m)),
        "columns": Cell(_SCORES_COLUMNS, lambda s: (s.m, s.n)),
        "short": Cell(_SCORES_COLUMNS, lambda s: (s.m, s.n)),
        "torch": _code("q @ k.mT", lambda s: (1, s.num_heads, s.n, s.m)),
        "keras": _code("einsum", lambda s: (1, s.num_heads, s.n, s.m)),
        "onnx": _code("qk_matmul_output", lambda s: (1, s.num_heads, s.n, s.m)),
    },
    "divisor": {
        "paper": Cell(f"√{_D_K}"),
        "columns": Cell(f"√{_D_K}"),
        "short": NOTHING,
        "torch": _code("math.sqrt(head_dim)", word="always"),
        "keras": _code("sqrt(key_dim)", word="always"),
        "onnx": _code("1 / scale", word="default_scale"),
    },
    "softmax": {
        "paper": Cell(word="each_row"),
        "columns": Cell(word="each_column"),
        "short": Cell(word="each_column"),
        "torch": _code("dim=-1"),
        "keras": _code("axis=-1"),
        "onnx": _code("axis=-1"),
    },
    "concat": {
        "paper": Cell("Concat", lambda s: (s.n, s.all_values)),
        "columns": Cell(word="stacked", shape=lambda s: (s.all_values, s.n)),
        "short": Cell(word="sum"),
        "torch": _code("permute, view", lambda s: (1, s.n, s.d_model)),
        "keras": _code("einsum", lambda s: (1, s.n, s.num_heads, s.d_v)),
        "onnx": _code("Attention Y", lambda s: (1, s.n, s.all_values)),
    },
    "output": {
        "paper": Cell("MultiHead", lambda s: (s.n, s.d_model)),
        "columns": Cell(_symbol("Y", role="output"), lambda s: (s.d_model, s.n)),
        "short": Cell(f"{_symbol('X')} + Σ<sub><var>h</var></sub> …", lambda s: (s.d_model, s.n), "with_x"),
        "torch": _code("attn_output", lambda s: (1, s.n, s.d_model)),
        "keras": _code("attention_output", lambda s: (1, s.n, s.d_model)),
        "onnx": _code("MatMul Y", lambda s: (1, s.n, s.d_model)),
    },
    "mask": {
        "paper": Cell("−∞", lambda s: (s.n, s.m), "illegal"),
        "columns": Cell("−∞", lambda s: (s.m, s.n), "illegal"),
        "short": Cell("−∞", lambda s: (s.m, s.n), "illegal"),
        "torch": _code("attn_mask", lambda s: (s.n, s.m), "true_blocks"),
        "keras": _code("attention_mask", lambda s: (1, s.n, s.m), "true_keeps"),
        "onnx": _code("attn_mask", lambda s: (s.n, s.m), "true_keeps"),
    },
}

FORMULAS: dict[str, str] = {
    "paper": r"\mathrm{Concat}_h\Big(\operatorname{softmax}\!\big(Q_hK_h^{\top}/\sqrt{d_k}\big)\,V_h\Big)\,W^O",
    "columns": r"W^O\big[\,V_h\,\operatorname{softmax}\!\big(K_h^{\top}Q_h/\sqrt{d_k}\big)\big]_h",
    "short": r"X+\sum_h (W_h^V X)\,\operatorname{Softmax}\big[(W_h^K X)^{\top}(W_h^Q X)\big]",
    "torch": r"\texttt{nn.MultiheadAttention(E, H)}",
    "keras": r"\texttt{MultiHeadAttention(H, key\_dim, value\_dim)}",
    "onnx": r"\texttt{MatMul} \to \texttt{Attention} \to \texttt{MatMul}",
}

# The short module as it is often written; the tests run it.
THREE_LINEAR = """\
class SelfAttention(nn.Module):
    def __init__(self, d_model={d_model}):
        super().__init__()
        self.d_model = d_model
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)

    def forward(self, x):                                # {x}
        q = self.query(x)                                # {x}
        k = self.key(x)                                  # {x}
        v = self.value(x)                                # {x}
        scores = q @ k.transpose(-2, -1)                 # {scores}
        scores = scores / math.sqrt(self.d_model)
        weights = torch.softmax(scores, dim=-1)          # {scores}
        return weights @ v                               # {x}
"""
