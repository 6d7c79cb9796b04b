"""What a layer can do with other libraries and files."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from ..arrays import Array
from .files import read_layer, write_layer
from .keras import KERAS, by_names
from .names import chosen
from .onnx import from_onnx
from .pytorch import LINEARS, TORCH, to_torch


class Exchanged:
    """The way from PyTorch, Keras, ONNX and files to a layer, and back. None of these libraries is needed for it."""

    if TYPE_CHECKING:

        def __init__(self, **parameters: Array) -> None: ...

        def parameters(self) -> dict[str, Array]: ...

    @classmethod
    def from_torch(
        cls, state_dict: Mapping[str, ArrayLike], *, num_heads: int, layer: str | None = None
    ) -> Self:
        """The layer of a PyTorch state dict: nn.MultiheadAttention, or linear layers as Hugging Face names them.

        in_proj_weight (3 d_model, d_model) or q_proj_weight, ..., out_proj.weight; q_proj.weight, ..., o_proj.weight;
        query, key, value and dense; GPT-2's c_attn and c_proj. The values are arrays, or tensors that NumPy can
        read. Names may have a prefix; where there are several, `layer` is the one to be taken.

        Raises ValueError for unknown names, shapes that do not fit, shared (grouped) heads of keys and values.
        """
        found = chosen(state_dict, layer, (*TORCH, *LINEARS), place="state_dict")
        return cls(**found.parameters(state_dict, num_heads))

    def to_torch(self) -> dict[str, Array]:
        """The state dict of nn.MultiheadAttention(d_model, num_heads, bias=...), as arrays for torch.from_numpy.

        Where one bias is there all are, those that were not as zeros. Raises ValueError unless
        H * d_k = H * d_v = d_model: PyTorch's layer has no other sizes.
        """
        return to_torch(self.parameters())

    @classmethod
    def from_keras(
        cls, weights: Mapping[str, ArrayLike] | Sequence[ArrayLike], *, layer: str | None = None
    ) -> Self:
        """The layer of Keras' layers.MultiHeadAttention: layer.get_weights(), or {w.path: w.numpy() for w in ...}.

        query/kernel, key/kernel (d_model, H, d_k), value/kernel (d_model, H, d_v), attention_output/kernel
        (H, d_v, d_model), biases where there are any; key_dim and value_dim may differ. Names may have a prefix;
        where there are several, `layer` is the one to be taken.

        Raises ValueError for unknown names and shapes that do not fit.
        """
        named = weights if isinstance(weights, Mapping) else by_names(weights)
        found = chosen(named, layer, (KERAS,), place="weights")
        return cls(**found.parameters(named))

    @classmethod
    def from_onnx(
        cls,
        initializers: Mapping[str, ArrayLike],
        *,
        num_heads: int,
        qkv_hidden_sizes: Sequence[int] | None = None,
        layer: str | None = None,
        **names: str,
    ) -> Self:
        """The layer of an ONNX graph: its initialisers as arrays by name, and the attributes of the attention node.

        The graph says which initialiser is what, so it has to be said here: w_qkv=, b_qkv= for com.microsoft
        Attention, or w_q=, ..., b_v=, and w_o=, b_o=. Each is (d_model, columns), the right-hand operand of a MatMul,
        except for those that kept the name of a PyTorch Linear. ONNX Runtime's Attention_0_qkv_weight, and a graph
        that kept all names of PyTorch or Keras, are found without.

        Raises ValueError for what is not there and shapes that do not fit.
        """
        return cls(**from_onnx(initializers, num_heads, qkv_hidden_sizes, layer, names))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parameters to a file, .npz or .safetensors, by their names here: w_q, w_k, w_v, w_o, b_q, ...

        Raises ValueError for another end of the name, and for numbers of more than 64 bits.
        """
        write_layer(path, self.parameters())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, num_heads: int | None = None, layer: str | None = None
    ) -> Self:
        """The layer in a file, .npz or .safetensors, by our names or those of PyTorch, Hugging Face or Keras.

        num_heads is needed where the shapes do not tell it, as in PyTorch's; where there are several layers, `layer`
        is the prefix of the one to be taken. bfloat16 becomes float32. Nothing in a file is ever run.

        Raises ValueError for whatever is wrong with the file, OSError where it cannot be opened.
        """
        return cls(**read_layer(path, num_heads, layer))
