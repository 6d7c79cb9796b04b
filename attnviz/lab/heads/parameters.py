"""Where the parameters of a Transformer are: counts by formula, and well-known models by their sizes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType


@dataclass(frozen=True)
class ParameterCount:
    """How many learned numbers stand where. Counts add up (`+`) and repeat (`* layers`)."""

    query: int = 0
    key: int = 0
    value: int = 0
    output: int = 0
    feed_forward: int = 0
    embeddings: int = 0
    norms: int = 0
    other: int = 0

    @property
    def attention(self) -> int:
        """All of W^Q, W^K, W^V, W^O, with their biases where there are any."""
        return self.query + self.key + self.value + self.output

    @property
    def total(self) -> int:
        return sum(self.parts().values())

    def parts(self) -> dict[str, int]:
        """Name of the part -> its count, in the order of the fields."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __add__(self, more: "ParameterCount") -> "ParameterCount":
        return ParameterCount(**{name: count + getattr(more, name) for name, count in self.parts().items()})

    def __mul__(self, times: int) -> "ParameterCount":
        return ParameterCount(**{name: count * times for name, count in self.parts().items()})


def attention_parameters(
    d_model: int, num_heads: int, d_k: int, d_v: int, *, bias: bool = True
) -> ParameterCount:
    """One multi-head attention layer: 2 H d_model d_k + 2 H d_model d_v (Vaswani et al. 2017, section 3.2.2).

    Biases add 2 H d_k + H d_v + d_model. Where H d_k = H d_v = d_model it is 4 d_model^2, whatever H.
    """
    _require_positive(d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_v)
    inputs = d_model + bias
    return ParameterCount(
        query=inputs * num_heads * d_k,
        key=inputs * num_heads * d_k,
        value=inputs * num_heads * d_v,
        output=(num_heads * d_v + bias) * d_model,
    )


def feed_forward_parameters(d_model: int, d_ff: int, *, bias: bool = True) -> ParameterCount:
    """Two linear layers, d_model -> d_ff -> d_model: 2 d_model d_ff, and d_ff + d_model biases."""
    _require_positive(d_model=d_model, d_ff=d_ff)
    return ParameterCount(feed_forward=(d_model + bias) * d_ff + (d_ff + bias) * d_model)


def norm_parameters(d_model: int) -> ParameterCount:
    """One layer norm: a gain and a shift for each of d_model coordinates."""
    _require_positive(d_model=d_model)
    return ParameterCount(norms=2 * d_model)


def embedding_parameters(d_model: int, vocabulary: int, positions: int = 0) -> ParameterCount:
    """One row of d_model numbers for each word, and for each learned position (sinusoids are not learned)."""
    _require_positive(d_model=d_model, vocabulary=vocabulary)
    if positions < 0:
        raise ValueError(f"positions must be 0 or more; got {positions}")
    return ParameterCount(embeddings=(vocabulary + positions) * d_model)


def encoder_layer_parameters(
    d_model: int,
    num_heads: int,
    d_ff: int,
    *,
    d_k: int | None = None,
    d_v: int | None = None,
    bias: bool = True,
) -> ParameterCount:
    """Self-attention, feed-forward and two layer norms; a layer of BERT or of GPT has the same count.

    d_k and d_v are d_model / H where none is given.
    """
    d_k = head_size(d_model, num_heads) if d_k is None else d_k
    d_v = head_size(d_model, num_heads) if d_v is None else d_v
    attention = attention_parameters(d_model, num_heads, d_k, d_v, bias=bias)
    return attention + feed_forward_parameters(d_model, d_ff, bias=bias) + norm_parameters(d_model) * 2


def decoder_layer_parameters(
    d_model: int,
    num_heads: int,
    d_ff: int,
    *,
    d_k: int | None = None,
    d_v: int | None = None,
    bias: bool = True,
) -> ParameterCount:
    """An encoder layer, and cross-attention with its layer norm (Vaswani et al. 2017, figure 1)."""
    layer = encoder_layer_parameters(d_model, num_heads, d_ff, d_k=d_k, d_v=d_v, bias=bias)
    d_k = head_size(d_model, num_heads) if d_k is None else d_k
    d_v = head_size(d_model, num_heads) if d_v is None else d_v
    return layer + attention_parameters(d_model, num_heads, d_k, d_v, bias=bias) + norm_parameters(d_model)


def head_size(d_model: int, num_heads: int) -> int:
    """d_model / H, the usual size of a head; a ValueError where it is not whole."""
    _require_positive(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        raise ValueError(
            f"d_model must be a multiple of num_heads={num_heads}, or d_k and d_v given; got {d_model}"
        )
    return d_model // num_heads


def _require_positive(**given: int) -> None:
    """Raise ValueError where a size is not positive."""
    for name, size in given.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1; got {size}")


@dataclass(frozen=True)
class Model:
    """A published model by its sizes; `count()` is computed from them, `published` is what its authors say.

    `layers` have self-attention only, `decoder_layers` cross-attention as well. `embedding_rows` are the
    learned positions and, in BERT, the two segments. `other` is BERT's pooler, a d_model x d_model layer. A
    word table that serves again as the output layer counts once.
    """

    name: str
    d_model: int
    num_heads: int
    d_ff: int
    vocabulary: int
    published: int
    source: str
    layers: int = 0
    decoder_layers: int = 0
    embedding_rows: int = 0
    extra_norms: int = 0
    pooler: bool = False

    @property
    def d_k(self) -> int:
        """The size of a head, for queries, keys and values alike."""
        return head_size(self.d_model, self.num_heads)

    def count(self) -> ParameterCount:
        """The count of the whole model, part by part."""
        layer = encoder_layer_parameters(self.d_model, self.num_heads, self.d_ff)
        decoder_layer = decoder_layer_parameters(self.d_model, self.num_heads, self.d_ff)
        return (
            layer * self.layers
            + decoder_layer * self.decoder_layers
            + embedding_parameters(self.d_model, self.vocabulary, self.embedding_rows)
            + norm_parameters(self.d_model) * self.extra_norms
            + ParameterCount(other=(self.d_model + 1) * self.d_model if self.pooler else 0)
        )


def _bert(name: str, layers: int, d_model: int, num_heads: int, published: int) -> Model:
    """BERT, uncased English: 512 positions, 2 segments, a norm after the embeddings, a pooler."""
    return Model(
        name=name,
        layers=layers,
        d_model=d_model,
        num_heads=num_heads,
        d_ff=4 * d_model,
        vocabulary=30522,
        embedding_rows=512 + 2,
        extra_norms=1,
        pooler=True,
        published=published,
        source="Devlin et al. 2019, section 3",
    )


def _gpt(
    name: str, layers: int, d_model: int, num_heads: int, positions: int, published: int, source: str
) -> Model:
    """GPT-2 and GPT-3: learned positions, a norm after the last layer, the word table again at the end."""
    return Model(
        name=name,
        layers=layers,
        d_model=d_model,
        num_heads=num_heads,
        d_ff=4 * d_model,
        vocabulary=50257,
        embedding_rows=positions,
        extra_norms=1,
        published=published,
        source=source,
    )


def _transformer(name: str, d_model: int, num_heads: int, d_ff: int, published: int) -> Model:
    """The Transformer for English-German: 6 + 6 layers, one word table of "about 37000" rows, sinusoids."""
    return Model(
        name=name,
        layers=6,
        decoder_layers=6,
        d_model=d_model,
        num_heads=num_heads,
        d_ff=d_ff,
        vocabulary=37000,
        published=published,
        source="Vaswani et al. 2017, table 3",
    )


# OpenAI's repository corrects the paper's own figures (117M, 345M, 762M, 1542M).
GPT_2 = "github.com/openai/gpt-2, README"

MODELS: Mapping[str, Model] = MappingProxyType(
    {
        "transformer_base": _transformer("Transformer (base)", 512, 8, 2048, 65_000_000),
        "transformer_big": _transformer("Transformer (big)", 1024, 16, 4096, 213_000_000),
        "bert_base": _bert("BERT-base", 12, 768, 12, 110_000_000),
        "bert_large": _bert("BERT-large", 24, 1024, 16, 340_000_000),
        "gpt2_small": _gpt("GPT-2 small", 12, 768, 12, 1024, 124_000_000, GPT_2),
        "gpt2_medium": _gpt("GPT-2 medium", 24, 1024, 16, 1024, 355_000_000, GPT_2),
        "gpt2_large": _gpt("GPT-2 large", 36, 1280, 20, 1024, 774_000_000, GPT_2),
        "gpt2_xl": _gpt("GPT-2 XL", 48, 1600, 25, 1024, 1_558_000_000, GPT_2),
        "gpt3": _gpt("GPT-3", 96, 12288, 96, 2048, 175_000_000_000, "Brown et al. 2020, table 2.1"),
    }
)
