"""The tiny decoder: what it computes, that its gradients are right, that it learns its sentence by heart."""

from collections.abc import Sequence

import numpy as np
import pytest

from attnviz.core.arrays import Array
from attnviz.core.embedding import embed, sinusoidal
from attnviz.lab.decoding import training
from attnviz.lab.decoding.training import TinyDecoder, fit

SENTENCES = [
    "I have a pen .",
    "a b a c",
    "a a a a b",
    "私 は ペン を 持っ て いる 。",
    "the cat sat on the mat and the dog sat on the rug .",
    "to be or not to be that is the question whether it is nobler in the mind to suffer the slings",
    "x y",
]
SIZES = {"d_model": 6, "num_heads": 2, "d_k": 3, "d_v": 4}


def decoder(tokens: Sequence[str] = ("a", "b", "a", "c", "b")) -> TinyDecoder:
    return TinyDecoder.random(tokens, **SIZES, seed=1)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_fitted_decoder_says_its_sentence_from_the_first_word_on(sentence: str, seed: int) -> None:
    tokens = tuple(sentence.split())
    result = fit(tokens, seed=seed)
    assert result.memorised
    assert result.decoder.generate(tokens[:1]) == tokens
    assert result.decoder.generate(tokens[:-1]) == tokens
    words = result.decoder.words
    of_targets = [
        row[words.index(word)]
        for row, word in zip(result.decoder.predict(tokens[:-1]), tokens[1:], strict=True)
    ]
    assert min(of_targets) >= 0.95
    assert result.losses[-1] == pytest.approx(-np.log(of_targets).mean(), abs=1e-12)
    assert result.losses[-1] < result.losses[0]


def test_the_same_word_is_followed_by_another_one_where_the_sentence_says_so() -> None:
    tokens = ("a", "b", "a", "c")
    memory = fit(tokens).decoder
    assert [memory.next_word(tokens[:n]) for n in (1, 2, 3)] == ["b", "a", "c"]


def test_have_a_pen_is_read_off_below_i_have_a() -> None:
    memory = fit(("I", "have", "a", "pen")).decoder
    rows = memory.predict(("I", "have", "a")).argmax(axis=-1)
    assert [memory.words[row] for row in rows] == ["have", "a", "pen"]


def test_no_step_leaves_the_decoder_as_it_was_drawn() -> None:
    tokens = ("a", "b", "a", "c")
    result = fit(tokens, steps=0, **SIZES, seed=1)
    assert result.losses.shape == (1,)
    assert not result.memorised
    drawn = training.parameters_of(TinyDecoder.random(tokens, **SIZES, seed=1))
    for name, array in training.parameters_of(result.decoder).items():
        assert (array == drawn[name]).all()


def test_it_begins_with_the_vectors_and_the_positions_that_are_shown_elsewhere() -> None:
    tokens = ("a", "b", "a", "c")
    x = TinyDecoder.random(tokens, **SIZES, seed=1)(tokens[:3]).trace.x
    assert (x == embed(tokens[:3], 6, seed=1) + sinusoidal(3, 6)).all()


def test_the_curve_has_one_loss_a_step_and_stops_at_the_limit() -> None:
    assert fit(("a", "b", "a", "c"), steps=5, until=1.0).losses.shape == (6,)


def test_a_decoder_too_small_for_its_sentence_says_so() -> None:
    tokens = ("to", "be", "or", "not", "to", "be", "that", "is")
    assert not fit(tokens, d_model=1, num_heads=1, d_k=1, d_v=1).memorised


def test_the_same_sentence_and_seed_give_the_same_numbers() -> None:
    first, second = fit(("a", "b", "a"), seed=4), fit(("a", "b", "a"), seed=4)
    assert (first.losses == second.losses).all()
    assert (first.losses[0] != fit(("a", "b", "a"), seed=5).losses[0]).all()


def test_a_prediction_is_the_definition_written_out() -> None:
    model, tokens = decoder(), ("b", "a", "b")
    table, layer = model.table[[1, 0, 1]] + model.positions[:3], model.layer
    for i in range(3):
        out = table[i].copy()
        for h in range(2):
            query = table[i] @ layer.w_q[h]
            scores = [query @ (table[j] @ layer.w_k[h]) / np.sqrt(3) for j in range(i + 1)]
            weights = np.exp(scores) / np.exp(scores).sum()
            for j in range(i + 1):
                out += weights[j] * (table[j] @ layer.w_v[h]) @ layer.w_o[h]
        logits = out @ model.output_table
        np.testing.assert_allclose(
            model.predict(tokens)[i], np.exp(logits) / np.exp(logits).sum(), atol=1e-12
        )


def test_what_comes_later_changes_no_earlier_prediction() -> None:
    model = decoder()
    long, short = model.predict(("a", "c", "b", "a")), model.predict(("a", "c"))
    np.testing.assert_allclose(long[:2], short, atol=1e-14)


def test_the_loss_is_log_of_the_vocabulary_where_nothing_is_preferred() -> None:
    model = decoder()
    parameters = {**training.parameters_of(model), "output_table": np.zeros((6, 3))}
    losses, _ = training.loss_gradients(
        training.with_parameters(model, parameters), ("a", "b", "a", "c", "b")
    )
    np.testing.assert_allclose(losses, np.log(3.0), atol=1e-15)


def test_a_loss_is_finite_even_where_the_probability_is_rounded_to_nothing() -> None:
    model = decoder()
    parameters = training.parameters_of(model)
    far = {**parameters, "output_table": 1e4 * parameters["output_table"]}
    losses, gradients = training.loss_gradients(
        training.with_parameters(model, far), ("a", "b", "a", "c", "b")
    )
    assert losses.max() > 1000.0 and np.isfinite(losses).all()
    assert all(np.isfinite(gradient).all() for gradient in gradients.values())


@pytest.mark.parametrize("name", training.parameters_of(decoder()))
def test_a_gradient_is_the_slope_of_the_mean_loss(name: str) -> None:
    """Central differences of step h are off by h^2 times a third derivative: 1e-5 leaves about 1e-9."""
    tokens = ("a", "b", "a", "c", "b")
    parameters = training.parameters_of(decoder())
    slope = np.zeros_like(parameters[name])

    def loss(array: Array) -> float:
        changed = training.with_parameters(decoder(), {**parameters, name: array})
        return float(training.loss_gradients(changed, tokens)[0].mean())

    for place in np.ndindex(slope.shape):
        step = np.zeros_like(slope)
        step[place] = 1e-5
        slope[place] = (loss(parameters[name] + step) - loss(parameters[name] - step)) / 2e-5
    np.testing.assert_allclose(training.loss_gradients(decoder(), tokens)[1][name], slope, atol=1e-8)


def test_torch_finds_the_same_loss_gradients_and_first_step() -> None:
    torch = pytest.importorskip("torch")
    tokens, ids = ("a", "b", "a", "c", "b"), torch.tensor([0, 1, 0, 2, 1])
    parameters = training.parameters_of(decoder())
    leaf = {name: torch.tensor(array, requires_grad=True) for name, array in parameters.items()}
    x = leaf["table"][ids[:-1]] + leaf["positions"]
    scaled = (x @ leaf["w_q"]) @ (x @ leaf["w_k"]).transpose(-1, -2) / 3**0.5
    weights = torch.softmax(scaled.masked_fill(torch.ones(4, 4).triu(1) == 1, -torch.inf), dim=-1)
    output = x + (weights @ (x @ leaf["w_v"]) @ leaf["w_o"]).sum(dim=0)
    loss = torch.nn.functional.cross_entropy(output @ leaf["output_table"], ids[1:])
    loss.backward()
    losses, gradients = training.loss_gradients(decoder(), tokens)
    assert losses.mean() == pytest.approx(loss.item(), abs=1e-13)
    adam, theirs = training.Adam(parameters, 0.01), torch.optim.Adam(leaf.values(), lr=0.01)
    for _ in range(3):
        moved = adam.step(gradients)
        theirs.step()
    for name, array in gradients.items():
        np.testing.assert_allclose(array, leaf[name].grad.numpy(), atol=1e-13, err_msg=name)
        np.testing.assert_allclose(moved[name], leaf[name].detach().numpy(), atol=1e-12, err_msg=name)


def test_sentences_that_are_too_short_or_too_long_are_refused() -> None:
    with pytest.raises(ValueError, match="tokens must be from 2 to 64; got 1"):
        fit(("alone",))
    with pytest.raises(ValueError, match="tokens must be from 2 to 64; got 65"):
        fit(("a",) * 65)
    with pytest.raises(ValueError, match="steps must be 0 or more; got -1"):
        fit(("a", "b"), steps=-1)


def test_what_it_cannot_read_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'zebra'"):
        decoder().predict(("a", "zebra"))
    with pytest.raises(ValueError, match="tokens must be from 1 to 4; got 0"):
        decoder().predict(())
    with pytest.raises(ValueError, match="tokens must be from 1 to 4; got 5"):
        decoder().predict(("a",) * 5)
