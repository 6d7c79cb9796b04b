"""The retrieval task, and the gradients of a head that learns it: against finite differences and torch."""

import math
from typing import Any

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.lab.scaling.retrieval import Examples, Head, Task, draw_examples, forward, gradients

TASK = Task(num_keys=5, content=3, value=4)
COUNT, D_K, RUNS = 6, 2, 3
NAMES = ("w_q", "w_k", "w_v")


def examples() -> Examples:
    """One set for all runs, as in a comparison of step sizes."""
    return draw_examples(TASK, np.random.default_rng(0), COUNT)


def head() -> Head:
    chance = np.random.default_rng(1)
    shapes = ((TASK.d_model, D_K), (TASK.d_model, D_K), (TASK.d_model, TASK.value))
    return Head(*(chance.standard_normal((RUNS, *shape)) for shape in shapes))


DIVISOR = np.array([1.0, math.sqrt(D_K), 3.0])


def plain_loss(w_q: Array, w_k: Array, w_v: Array, data: Examples, divisor: float) -> Any:
    """The definition, example by example; complex numbers welcome."""
    total: Any = 0.0
    for query, source, target in zip(data.query, data.source, data.target, strict=True):
        scores = (source @ w_k) @ (query @ w_q) / divisor
        powers = np.exp(scores - scores.real.max())
        error = (powers / powers.sum()) @ (source @ w_v) - target
        total += (error * error).mean()
    return total / len(data.query)


def test_the_loss_is_the_definition() -> None:
    done = forward(head(), examples(), DIVISOR)
    for run in range(RUNS):
        matrices = {name: getattr(head(), name)[run] for name in NAMES}
        expected = plain_loss(**matrices, data=examples(), divisor=DIVISOR[run])
        assert math.isclose(done.loss[run], expected, rel_tol=1e-12)
    np.testing.assert_allclose(done.weights.sum(axis=-1), 1.0, atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("run", range(RUNS))
def test_gradients_are_finite_differences_in_the_imaginary_direction(name: str, run: int) -> None:
    """f(x + i h) / h has no rounding to speak of: nothing is subtracted."""
    given, data = head(), examples()
    computed = getattr(gradients(given, data, DIVISOR, forward(given, data, DIVISOR)), name)[run]
    expected = np.empty_like(computed)
    for place in np.ndindex(*computed.shape):
        matrices = {other: getattr(given, other)[run].astype(complex) for other in NAMES}
        matrices[name][place] += 1e-30j
        expected[place] = plain_loss(**matrices, data=data, divisor=DIVISOR[run]).imag / 1e-30
    np.testing.assert_allclose(computed, expected, atol=1e-12)


def test_gradients_are_torchs() -> None:
    torch = pytest.importorskip("torch")
    given, data = head(), examples()
    w_q, w_k, w_v = (torch.tensor(getattr(given, name), requires_grad=True) for name in NAMES)
    query, source, target = (torch.from_numpy(array) for array in (data.query, data.source, data.target))
    q = torch.einsum("bc,rcd->rbd", query, w_q)
    k = torch.einsum("bmc,rcd->rbmd", source, w_k)
    scores = torch.einsum("rbd,rbmd->rbm", q, k) / torch.from_numpy(DIVISOR)[:, None, None]
    output = torch.einsum("rbm,bmc,rcv->rbv", torch.softmax(scores, dim=-1), source, w_v)
    ((output - target) ** 2).mean(dim=(-1, -2)).sum().backward()
    computed = gradients(given, data, DIVISOR, forward(given, data, DIVISOR))
    for name, matrix in zip(NAMES, (w_q, w_k, w_v), strict=True):
        np.testing.assert_allclose(getattr(computed, name), matrix.grad.numpy(), atol=1e-12)


def test_the_query_has_the_content_of_the_wanted_token_and_a_value_of_its_own() -> None:
    data = examples()
    assert data.query.shape == (COUNT, TASK.d_model)
    assert data.source.shape == (COUNT, TASK.num_keys, TASK.d_model)
    assert np.array_equal(data.query[:, : TASK.content], data.source[:, 0, : TASK.content])
    assert np.array_equal(data.target, data.source[:, 0, TASK.content :])
    assert not np.isin(data.query[:, TASK.content :], data.source).any()


def test_coordinates_have_mean_0_and_mean_square_1() -> None:
    data = draw_examples(TASK, np.random.default_rng(0), 3000)
    np.testing.assert_allclose((data.source[..., : TASK.content] ** 2).sum(axis=-1), TASK.content, rtol=1e-13)
    tokens = data.source.reshape(-1, TASK.d_model)
    for coordinate in tokens.T:
        assert abs(coordinate.mean()) <= 4 * coordinate.std() / math.sqrt(len(tokens))
        squares = coordinate**2
        assert abs(squares.mean() - 1.0) <= 4 * squares.std() / math.sqrt(len(tokens))


def test_equal_weights_lose_1_minus_1_over_the_number_of_keys() -> None:
    """The least loss without looking: W_q = W_k = 0, and W_v reads the value."""
    data = draw_examples(TASK, np.random.default_rng(3), 4000)
    blind = np.zeros((TASK.d_model, D_K))
    reading = np.eye(TASK.d_model)[:, TASK.content :]
    done = forward(Head(blind, blind, reading), data, np.array(1.0))
    errors = (done.error**2).mean(axis=-1)
    assert TASK.blind_loss == 0.8
    assert abs(done.loss - TASK.blind_loss) <= 4 * errors.std() / math.sqrt(len(errors))


def test_a_head_that_looks_at_equal_content_retrieves() -> None:
    """The task can be solved by one head: with sharp weights on equal content the loss is below the blind one's tenth.

    Contents are vectors on a sphere, so the equal one has the largest dot product always.
    """
    data = draw_examples(TASK, np.random.default_rng(3), 400)
    matching = np.eye(TASK.d_model)[:, : TASK.content] * 30.0
    done = forward(Head(matching, matching, np.eye(TASK.d_model)[:, TASK.content :]), data, np.array(1.0))
    assert (done.weights.argmax(axis=-1) == 0).all()
    assert done.loss < 0.1 * TASK.blind_loss
