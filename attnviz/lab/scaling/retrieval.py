"""A small task that needs attention, one head to learn it, and the gradients of its loss, written out."""

from dataclasses import dataclass

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.normalizers import softmax
from attnviz.lab.scaling.jacobian import softmax_gradient


@dataclass(frozen=True)
class Task:
    """Retrieval: a query token names one of num_keys source tokens by its content and wants that token's value.

    A token is its content (on the sphere of radius sqrt(content)) followed by its value (standard normal):
    every coordinate has mean 0 and variance 1. The query has the content of the wanted token and a value of
    its own, which is of no use.
    """

    num_keys: int = 8
    content: int = 8
    value: int = 8

    @property
    def d_model(self) -> int:
        return self.content + self.value

    @property
    def blind_loss(self) -> float:
        """The least loss with equal weights: the mean of all values misses the wanted one by 1 - 1/num_keys."""
        return 1.0 - 1.0 / self.num_keys


@dataclass(frozen=True, eq=False)
class Examples:
    """query (..., b, d_model), source (..., b, m, d_model), target (..., b, value)."""

    query: Array
    source: Array
    target: Array


@dataclass(frozen=True, eq=False)
class Head:
    """w_q, w_k (..., d_model, d_k), w_v (..., d_model, value): the output is the weighted sum of the values.

    The leading axes are heads that have nothing to do with one another: runs of an experiment.
    """

    w_q: Array
    w_k: Array
    w_v: Array


@dataclass(frozen=True, eq=False)
class Forward:
    """product W_q W_k^T (..., d_model, d_model), weights (..., b, m), mixed = weights x (..., b, d_model),
    error = output - target (..., b, value), loss (...)."""

    product: Array
    weights: Array
    mixed: Array
    error: Array
    loss: Array


def draw_examples(task: Task, chance: np.random.Generator, count: int) -> Examples:
    """`count` examples; the wanted token stands first, which a head without positions cannot use."""
    content = chance.standard_normal((count, task.num_keys, task.content))
    content *= np.sqrt(task.content) / np.linalg.norm(content, axis=-1, keepdims=True)
    value = chance.standard_normal((count, task.num_keys + 1, task.value))
    return Examples(
        query=np.concatenate([content[:, 0], value[:, -1]], axis=-1),
        source=np.concatenate([content, value[:, :-1]], axis=-1),
        target=value[:, 0],
    )


def forward(head: Head, examples: Examples, divisor: Array) -> Forward:
    """softmax(x W_q (x' W_k)^T / divisor) x' W_v and its loss: the mean squared error over examples and coordinates.

    divisor (...), one a head. The scores are computed as x (W_q W_k^T) x'^T, which is the same and does not
    grow with the number of examples times d_k.
    """
    product = head.w_q @ head.w_k.swapaxes(-1, -2)  # (..., d_model, d_model)
    seen = (examples.query @ product)[..., None]  # (..., b, d_model, 1)
    scores = (examples.source @ seen)[..., 0]  # (..., b, m)
    weights = softmax(scores / divisor[..., None, None])
    mixed = (weights[..., None, :] @ examples.source)[..., 0, :]  # (..., b, d_model)
    error = mixed @ head.w_v - examples.target
    return Forward(product, weights, mixed, error, np.asarray((error * error).mean(axis=(-1, -2))))


def gradients(head: Head, examples: Examples, divisor: Array, done: Forward) -> Head:
    """The gradients of the loss at w_q, w_k and w_v, by the chain rule from `done`, the forward pass of the same.

    With e the gradient at the output: W_v gets mixed^T e; the weights get x' W_v e; softmax passes it on as
    (diag(p) - p p^T) / divisor; so W_q W_k^T gets G = x^T (that) x', W_q gets G W_k and W_k gets G^T W_q.
    """
    at_output = done.error * (2.0 / (done.error.shape[-1] * done.error.shape[-2]))  # (..., b, value)
    at_mixed = at_output @ head.w_v.swapaxes(-1, -2)  # (..., b, d_model)
    at_weights = (examples.source @ at_mixed[..., None])[..., 0]  # (..., b, m)
    at_scores = softmax_gradient(done.weights, at_weights) / divisor[..., None, None]
    drawn = (at_scores[..., None, :] @ examples.source)[..., 0, :]  # (..., b, d_model)
    at_product = examples.query.swapaxes(-1, -2) @ drawn  # (..., d_model, d_model)
    return Head(
        w_q=at_product @ head.w_k,
        w_k=at_product.swapaxes(-1, -2) @ head.w_q,
        w_v=done.mixed.swapaxes(-1, -2) @ at_output,
    )
