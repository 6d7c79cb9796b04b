"""The initialisers of an ONNX graph.

The operators com.microsoft.Attention (weights and bias of query, key, value side by side), MultiHeadAttention (the
bias alone) and ai.onnx Attention (neither) leave some or all matrices to MatMul nodes round them, and exporters name
their initialisers as they like: onnx::MatMul_146. So each is pointed out by what it is, unless all of them kept
their names in PyTorch or Keras; ONNX Runtime's own names are found.
Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from collections.abc import Collection, Mapping, Sequence

from numpy.typing import ArrayLike

from ..arrays import Array
from .errors import ExchangeError, shortened
from .given import AXES, Given, floats, split_by_heads
from .names import LISTED, chosen, layers
from .pytorch import is_turned

ENDS = {"w_qkv": "qkv_weight", "b_qkv": "qkv_bias"}  # Attention_0_qkv_weight
PLACE = "initializers"


def from_onnx(
    initializers: Mapping[str, ArrayLike],
    num_heads: int | None,
    parts: Sequence[int] | None,
    layer: str | None,
    roles: Mapping[str, str],
) -> dict[str, Array]:
    """Our parameters. `roles` says which initialiser is w_q, ..., b_o, w_qkv or b_qkv; `parts` is qkv_hidden_sizes.

    An initialiser is the right-hand operand of its MatMul or Add, (d_model, columns); one that kept the name of a
    PyTorch Linear kept its shape too, (columns, d_model). Raises ExchangeError.
    """
    for role, name in roles.items():
        if role not in AXES:
            raise ExchangeError(role, "names", repr(name), names=", ".join(AXES))
        if name not in initializers:
            raise ExchangeError(role, "names", repr(name), names=shortened(", ".join(initializers), LISTED))
    if not roles and any(one.share == 1 for one in layers(initializers)):
        found = chosen(initializers, layer, place=PLACE)
        return found.parameters(initializers, num_heads)

    pointed_out = "w_qkv" in roles or "w_q" in roles
    spelled = ({} if pointed_out else _by_ends(initializers, layer)) | dict(roles)
    needed = ("w_qkv", "w_o") if "w_qkv" in spelled else ("w_q", "w_k", "w_v", "w_o")
    for role in needed:
        if role not in spelled:
            raise ExchangeError(
                role, "pointed", shortened(", ".join(initializers), LISTED), axes=", ".join(AXES[role])
            )
    given = {role: floats(name, initializers[name]) for role, name in spelled.items()}
    given |= {role: given[role].T for role, name in spelled.items() if is_turned(name)}
    return split_by_heads(Given(given, spelled, num_heads), out_first=False, parts=parts)


def _by_ends(initializers: Collection[str], layer: str | None) -> dict[str, str]:
    """What ONNX Runtime named: Attention_0_qkv_weight and its bias are those of the layer Attention_0."""
    weight = ENDS["w_qkv"]
    found = [name.removesuffix(weight).rstrip("_") for name in initializers if name.endswith(weight)]
    titles = [title for title in found if layer in (None, title)]
    if len(titles) > 1:
        raise ExchangeError(PLACE, "one_layer", shortened(f"{len(titles)}: {', '.join(titles)}", LISTED))
    names = {role: f"{title}_{end}".strip("_") for title in titles for role, end in ENDS.items()}
    return {role: name for role, name in names.items() if name in initializers}
