"""A tiny decoder, fitted to one sentence: it shows how the next word is read off, and knows nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.embedding import embed, sinusoidal, token_ids, vocabulary
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import causal_mask
from attnviz.core.normalizers import softmax
from attnviz.core.streams import normal_matrix
from attnviz.lab.decoding.gradients import attention_gradients

LIMIT_TOKENS = 64


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the decoder makes of n tokens: row i speaks of the word after token i."""

    trace: AttentionTrace
    logits: Array  # (n, words)
    probabilities: Array  # (n, words), each row sums to 1


@dataclass(frozen=True, eq=False)
class TinyDecoder:
    """Token table + positions, one causal attention layer with residual, output table, softmax.

    table (words, d_model), positions (longest input, d_model), output_table (d_model, words); no biases, no
    feed-forward layer and no layer norm. Everything in it is learned.
    """

    words: tuple[str, ...]
    table: Array
    positions: Array
    layer: MultiHeadAttention
    output_table: Array

    @classmethod
    def random(
        cls, tokens: Sequence[str], *, d_model: int, num_heads: int, d_k: int, d_v: int, seed: int
    ) -> Self:
        """The decoder before it is fitted: tokens' vectors, layer and sinusoids as they are drawn elsewhere.

        It can read all of the tokens but the last, whose next word no one knows.
        """
        words = vocabulary(tokens)
        return cls(
            words=words,
            table=embed(words, d_model, seed),
            positions=sinusoidal(len(tokens) - 1, d_model),
            layer=MultiHeadAttention.random(
                d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_v, seed=seed
            ),
            output_table=normal_matrix(seed, "table", 0, d_model, len(words)) / np.sqrt(d_model),
        )

    def __call__(self, tokens: Sequence[str]) -> Prediction:
        """The whole way from tokens of the vocabulary, as many as there are positions, to probabilities."""
        n = len(tokens)
        if not 1 <= n <= len(self.positions):
            raise ValueError(f"tokens must be from 1 to {len(self.positions)}; got {n}")
        x = self.table[token_ids(tokens, self.words)] + self.positions[:n]  # (n, d_model)
        trace = self.layer(x, keep=causal_mask(n, n), residual=True)
        logits = trace.output @ self.output_table  # (n, words)
        return Prediction(trace, logits, softmax(logits))

    def predict(self, tokens: Sequence[str]) -> Array:
        """The probability of every word after each of the tokens, shape (n, words)."""
        return self(tokens).probabilities

    def next_word(self, tokens: Sequence[str]) -> str:
        """The most probable word after the last token, read off the last row."""
        return self.words[int(self.predict(tokens)[-1].argmax())]

    def generate(self, prefix: Sequence[str]) -> tuple[str, ...]:
        """The prefix, and one next word after the other until no position is left."""
        tokens = tuple(prefix)
        while len(tokens) <= len(self.positions):
            tokens += (self.next_word(tokens),)
        return tokens


@dataclass(frozen=True, eq=False)
class Fit:
    """A decoder that was fitted to one sentence, and how that went."""

    tokens: tuple[str, ...]
    decoder: TinyDecoder
    losses: Array  # (steps + 1,) mean cross-entropy in nats: before the first step, ..., after the last

    @property
    def memorised(self) -> bool:
        """Whether the sentence's own next word is the most probable one everywhere."""
        best = self.decoder.predict(self.tokens[:-1]).argmax(axis=-1)
        return bool((best == token_ids(self.tokens[1:], self.decoder.words)).all())


def loss_gradients(decoder: TinyDecoder, tokens: Sequence[str]) -> tuple[Array, dict[str, Array]]:
    """The cross-entropy -log p of each next word, shape (n - 1,), in nats; the gradients of their mean.

    Under the causal mask one pass serves all prefixes. The gradient at the logits is (p - one-hot) / (n - 1).
    """
    inputs, targets = tokens[:-1], token_ids(tokens[1:], decoder.words)
    prediction = decoder(inputs)
    rows = np.arange(targets.size)
    shifted = prediction.logits - prediction.logits.max(axis=-1, keepdims=True)
    losses = np.log(np.exp(shifted).sum(axis=-1)) - shifted[rows, targets]  # (n - 1,)
    logits = prediction.probabilities.copy()
    logits[rows, targets] -= 1.0
    logits /= targets.size  # (n - 1, words)
    layer = attention_gradients(prediction.trace, logits @ decoder.output_table.T)
    x = layer.x + layer.x_source  # (n - 1, d_model)
    table = np.zeros_like(decoder.table)
    np.add.at(table, token_ids(inputs, decoder.words), x)
    return losses, {
        "table": table,
        "positions": x,
        "w_q": layer.w_q,
        "w_k": layer.w_k,
        "w_v": layer.w_v,
        "w_o": layer.w_o,
        "output_table": prediction.trace.output.T @ logits,
    }


def fit(
    tokens: Sequence[str],
    *,
    d_model: int = 16,
    num_heads: int = 2,
    d_k: int = 8,
    d_v: int = 8,
    seed: int = 0,
    steps: int = 500,
    learning_rate: float | None = None,
    until: float = 0.95,
) -> Fit:
    """Fit a decoder to one sentence of 2 to 64 tokens; learning_rate is 0.08 / sqrt(d_model) where not given.

    It stops when every next word of the sentence has the probability `until` or more, or after so many steps.
    """
    tokens = tuple(tokens)
    if not 2 <= len(tokens) <= LIMIT_TOKENS:
        raise ValueError(f"tokens must be from 2 to {LIMIT_TOKENS}; got {len(tokens)}")
    if steps < 0:
        raise ValueError(f"steps must be 0 or more; got {steps}")
    decoder = TinyDecoder.random(tokens, d_model=d_model, num_heads=num_heads, d_k=d_k, d_v=d_v, seed=seed)
    optimiser = Adam(parameters_of(decoder), learning_rate or 0.08 / np.sqrt(d_model))
    losses, gradients = loss_gradients(decoder, tokens)
    curve = [losses.mean()]
    while len(curve) <= steps and np.exp(-losses.max()) < until:
        decoder = with_parameters(decoder, optimiser.step(gradients))
        losses, gradients = loss_gradients(decoder, tokens)
        curve.append(losses.mean())
    return Fit(tokens, decoder, np.array(curve))


class Adam:
    """Gradient descent with a step size for every number (Kingma and Ba 2015, algorithm 1)."""

    def __init__(self, parameters: dict[str, Array], learning_rate: float) -> None:
        self.parameters = parameters
        self.learning_rate = learning_rate
        self.steps = 0
        self.mean = {name: np.zeros_like(array) for name, array in parameters.items()}
        self.square = {name: np.zeros_like(array) for name, array in parameters.items()}

    def step(self, gradients: dict[str, Array]) -> dict[str, Array]:
        """The parameters one step further down."""
        self.steps += 1
        for name, gradient in gradients.items():
            self.mean[name] = 0.9 * self.mean[name] + 0.1 * gradient
            self.square[name] = 0.999 * self.square[name] + 0.001 * gradient**2
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.999**self.steps)
            change = self.learning_rate * mean / (np.sqrt(square) + 1e-8)
            self.parameters = {**self.parameters, name: self.parameters[name] - change}
        return self.parameters


def parameters_of(decoder: TinyDecoder) -> dict[str, Array]:
    """The decoder's arrays by name."""
    layer = decoder.layer
    return {
        "table": decoder.table,
        "positions": decoder.positions,
        "w_q": layer.w_q,
        "w_k": layer.w_k,
        "w_v": layer.w_v,
        "w_o": layer.w_o,
        "output_table": decoder.output_table,
    }


def with_parameters(decoder: TinyDecoder, parameters: dict[str, Array]) -> TinyDecoder:
    """The decoder with other numbers in it."""
    layer = MultiHeadAttention(*(parameters[name] for name in ("w_q", "w_k", "w_v", "w_o")))
    return TinyDecoder(
        decoder.words, parameters["table"], parameters["positions"], layer, parameters["output_table"]
    )
