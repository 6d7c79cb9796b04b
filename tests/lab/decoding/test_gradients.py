"""Our own gradients against finite differences and against torch's autograd."""

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.core.masks import causal_mask
from attnviz.lab.decoding.gradients import AttentionGradients, attention_gradients

N, M, D_MODEL, D_K, D_V, HEADS = 4, 6, 7, 3, 5, 2
PARAMETERS = ("w_q", "w_k", "w_v", "w_o")

CASES = [
    {"scale": "auto", "keep": None, "residual": False},
    {"scale": "none", "keep": causal_mask(N, M), "residual": True},
    {"scale": 0.7, "keep": np.arange(N)[:, None] * np.ones(M) != 2, "residual": True},
]


def drawn(*shape: int) -> Array:
    return np.random.default_rng([7, *shape]).standard_normal(shape)


def layer() -> MultiHeadAttention:
    return MultiHeadAttention.random(d_model=D_MODEL, num_heads=HEADS, d_k=D_K, d_v=D_V, seed=3)


def forward(case: dict[str, object], **changed: Array) -> AttentionTrace:
    inputs = {"x": drawn(N, D_MODEL), "x_source": drawn(M, D_MODEL), **changed}
    weights = {name: changed[name] for name in PARAMETERS if name in changed}
    call = replace_weights(layer(), weights)
    return call(inputs["x"], inputs["x_source"], **case)  # type: ignore[arg-type]


def replace_weights(before: MultiHeadAttention, weights: dict[str, Array]) -> MultiHeadAttention:
    return MultiHeadAttention(*(weights.get(name, getattr(before, name)) for name in PARAMETERS))


def gradients(case: dict[str, object]) -> AttentionGradients:
    return attention_gradients(forward(case), drawn(N, D_MODEL))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", [*PARAMETERS, "x", "x_source"])
def test_a_gradient_is_the_slope_of_the_loss(case: dict[str, object], name: str) -> None:
    """Central differences of step h are off by h^2 times a third derivative: 1e-5 leaves about 1e-9."""
    trace = forward(case)
    array = getattr(trace, name) if name.startswith("x") else getattr(trace.layer, name)
    slope = np.zeros_like(array)
    for place in np.ndindex(array.shape):
        step = np.zeros_like(array)
        step[place] = 1e-5
        higher, lower = (forward(case, **{name: array + sign * step}).output for sign in (1, -1))
        slope[place] = np.sum((higher - lower) * drawn(N, D_MODEL)) / 2e-5
    np.testing.assert_allclose(getattr(gradients(case), name), slope, atol=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_torch_finds_the_same_gradients(case: dict[str, object]) -> None:
    torch = pytest.importorskip("torch")
    trace = forward(case)
    leaves = {
        name: torch.tensor(getattr(trace.layer, name, getattr(trace, name, None)), requires_grad=True)
        for name in (*PARAMETERS, "x", "x_source")
    }
    query, key, value = (
        leaves[x] @ leaves[w] for x, w in (("x", "w_q"), ("x_source", "w_k"), ("x_source", "w_v"))
    )
    scores = query @ key.transpose(-1, -2)
    scaled = scores / trace.scale
    if trace.keep is not None:
        scaled = scaled.masked_fill(torch.tensor(~trace.keep), -1e300)
    weights = torch.softmax(scaled, dim=-1)
    if trace.keep is not None:
        weights = weights * torch.tensor(trace.keep)
    kept = {"query": query, "key": key, "value": value, "scores": scores, "weights": weights}
    for tensor in kept.values():
        tensor.retain_grad()
    output = (weights @ value @ leaves["w_o"]).sum(dim=0) + (leaves["x"] if trace.residual else 0.0)
    np.testing.assert_allclose(output.detach().numpy(), trace.output, atol=1e-12)
    output.backward(torch.tensor(drawn(N, D_MODEL)))
    for name, tensor in {**leaves, **kept}.items():
        ours, theirs = getattr(gradients(case), name), tensor.grad.numpy()
        if name == "weights" and trace.keep is not None:
            ours, theirs = ours * trace.keep, theirs * trace.keep
        np.testing.assert_allclose(ours, theirs, atol=1e-12, err_msg=name)


def test_nothing_flows_back_through_a_masked_cell() -> None:
    keep = causal_mask(N, M)
    found = gradients({"keep": keep})
    assert (found.scores[:, ~keep] == 0.0).all()
    assert (found.x_source[N:] == 0.0).all()


def test_the_gradients_at_a_row_of_scores_add_up_to_nothing() -> None:
    """A number added to a whole row of scores changes no weight."""
    assert np.abs(gradients({}).scores.sum(axis=-1)).max() < 1e-14


def test_a_gradient_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"output must have shape \(n, d_model\) = \(4, 7\); got \(6, 7\)"):
        attention_gradients(forward({}), drawn(M, D_MODEL))
