"""The table of names against the libraries it speaks of, the nearest sizes, and the short module as it is printed."""

import math
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.embedding import embed
from attnviz.core.layer import MultiHeadAttention
from attnviz.lab.notations.conventions import (
    FORMULAS,
    NAMES,
    THREE_LINEAR,
    Sizes,
    case_of,
    definition,
    divisors,
    torch_sizes,
    trimmed,
)
from attnviz.lab.notations.notations import NOTATIONS
from attnviz.lab.notations.torch_walk import TorchParameters, walk
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import DEFAULTS, WIDE_VALUES, Settings, all_settings, change
from attnviz.lesson.setups import SETUPS, setup
from attnviz.text import tokenize
from attnviz.words import Words, languages

ODD = Sizes(n=6, m=4, d_model=7, num_heads=3, d_k=2, d_v=5)


def lesson(settings: Settings = DEFAULTS, **values: Any) -> Lesson:
    found = make_lesson(settings.put(**values))
    assert found is not None
    return found


def shape(thing: str, notation: str, sizes: Sizes = ODD) -> tuple[int, ...]:
    found = NAMES[thing][notation].shape
    assert found is not None
    return found(sizes)


def test_every_thing_has_a_name_in_every_notation() -> None:
    assert all(set(cells) == set(NOTATIONS) for cells in NAMES.values())
    assert set(FORMULAS) == set(NOTATIONS)


def test_the_shapes_of_keras_are_those_of_its_variables() -> None:
    assert os.environ["KERAS_BACKEND"] == "numpy"
    keras = pytest.importorskip("keras")
    s = ODD
    built = keras.layers.MultiHeadAttention(s.num_heads, s.d_k, s.d_v)
    built.build((1, s.n, s.d_model), (1, s.m, s.d_model))
    variables = {"/".join(v.path.split("/")[-2:]): tuple(v.shape) for v in built.weights}
    things = ("w_q", "w_k", "w_v", "w_o", "biases")
    for cell in (NAMES[thing]["keras"] for thing in things):
        name = cell.name.removeprefix("<code>").removesuffix("</code>")
        assert cell.shape is not None and cell.shape(s) == variables[name]
    given = np.zeros((1, s.n, s.d_model)), np.zeros((1, s.m, s.d_model))
    output, weights = built(*given, return_attention_scores=True)
    assert shape("scores", "keras") == tuple(weights.shape) and shape("output", "keras") == tuple(
        output.shape
    )


def test_the_shapes_of_pytorch_are_those_of_its_state_and_of_the_walk() -> None:
    torch = pytest.importorskip("torch")
    s = Sizes(n=6, m=4, d_model=9, num_heads=3, d_k=3, d_v=3)
    state = {n: tuple(a.shape) for n, a in torch.nn.MultiheadAttention(9, 3).state_dict().items()}
    assert state["in_proj_weight"] == tuple(np.add.reduce([shape(w, "torch", s) for w in ("w_q", "w_k", "w_v")]) * (1, 0)
                                            + (0, s.d_model))  # fmt: skip
    assert state["out_proj.weight"] == shape("w_o", "torch", s)
    assert state["in_proj_bias"] == shape("biases", "torch", s)
    layer = MultiHeadAttention.random(d_model=9, num_heads=3, d_k=3, d_v=3, seed=0)
    way = walk(TorchParameters.of(layer), np.zeros((s.n, 9)), np.zeros((s.m, 9)))
    assert way.query.shape == shape("queries", "torch", s) and way.scores.shape == shape("scores", "torch", s)
    assert way.concat.shape == shape("concat", "torch", s) and way.output.shape == shape("output", "torch", s)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_output_has_the_shape_that_is_computed(notation: str) -> None:
    s = replace(ODD, d_model=6, d_v=2) if notation == "torch" else ODD
    settings = replace(
        DEFAULTS, sentence="a b c d e f", source="g h i j", d_model=s.d_model, num_heads=3, d_k=2, d_v=s.d_v
    )
    written = NOTATIONS[notation](case_of(lesson(settings)))
    assert written.output.shape == shape("output", notation, s)
    assert written.weights.shape[1:] == shape("scores", notation, s)[-2:]


@given(st.integers(1, 512), st.integers(1, 16), st.sampled_from(["random", "folded", "three_linear"]))
def test_the_nearest_sizes_are_those_of_pytorch_within_the_limits(
    d_model: int, heads: int, preset: str
) -> None:
    asked, _ = change(DEFAULTS, d_model=d_model, num_heads=heads, d_k=3, d_v=5, preset=preset)
    near, moved = torch_sizes(asked)
    assert near.num_heads == heads and near.d_model % heads == 0
    assert near.d_k == near.d_v == near.d_model // heads
    assert (
        abs(near.d_model - d_model) <= max(heads / 2, heads - d_model) or near.d_model == 512 // heads * heads
    )
    assert near.preset not in WIDE_VALUES or near.d_v == near.d_model
    assert {name for name in all_settings() if near[name] != asked[name]} == set(moved)
    assert torch_sizes(near) == (near, ())


def test_the_definition_puts_back_what_only_we_have_and_names_it() -> None:
    assert definition(DEFAULTS) == (DEFAULTS, ())
    ours = replace(DEFAULTS, score="additive", softcap=3.0, temperature=2.0, mask="causal", residual=True)
    defined, left_out = definition(ours)
    assert left_out == ("score", "softcap")
    assert defined == replace(ours, score="dot", softcap=0.0)


@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
@pytest.mark.parametrize("source", ["", "p q r s t u v w"])
def test_a_trimmed_lesson_is_that_of_the_first_tokens(mask: str, source: str) -> None:
    words = "a b c d e f g"
    whole = lesson(
        sentence=words, source=source, mask=mask, padding=4, position="sinusoidal", bias_kind="alibi"
    )
    cut = trimmed(replace(whole, settings=replace(whole.settings, bias_kind="none")), 5)
    assert cut.tokens.tokens == tuple("abcde") and len(cut.source.tokens) == 5
    first = lesson(
        sentence="a b c d e", source=source[:9], mask=mask, position="sinusoidal", padding=1 if source else 2
    )
    if mask == "padding" and source:
        first = replace(first, trace=first.trace.layer(cut.trace.x, cut.trace.x_source, keep=cut.trace.keep))
    np.testing.assert_allclose(cut.trace.weights, first.trace.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cut.trace.output, first.trace.output, rtol=0, atol=1e-12)
    assert trimmed(whole, 8) is whole


def test_sqrt_d_k_and_sqrt_d_model_are_one_number_for_one_head_only() -> None:
    """Divided by sqrt(d_model) instead of sqrt(d_k), several heads get too flat (jadore#42 and others)."""
    tokens = ("a", "b", "c", "d", "e", "f", "g", "h")
    found = divisors(tokens, 64, seed=3)
    assert [row.num_heads for row in found] == [1, 2, 4, 8, 16]
    assert found[0].by_d_k == found[0].by_d_model == 8.0
    assert found[0].largest_by_d_k == found[0].largest_by_d_model
    for row in found[1:]:
        assert row.by_d_k == pytest.approx(math.sqrt(64 / row.num_heads)) and row.by_d_model == 8.0
        assert row.largest_by_d_model < row.largest_by_d_k
    layer = MultiHeadAttention.random(d_model=64, num_heads=8, d_k=8, d_v=8, seed=3)
    weights = layer(embed(tokens, 64, 3), scale="sqrt_d_model").weights
    assert found[3].largest_by_d_model == pytest.approx(weights.max(axis=2).mean())


@pytest.mark.parametrize("name", SETUPS)
def test_a_setup_gives_the_same_layer_whatever_stood_there(name: str) -> None:
    odd = replace(
        DEFAULTS, score="gaussian", temperature=3.0, softcap=2.0, normalizer="sparsemax", rotary=True, bias_kind="alibi",
        residual=True, bias=True, preset="integers", scale="number", divisor=7.0,
    )  # fmt: skip
    once, _ = change(odd, **setup(name))
    assert once == replace(change(DEFAULTS, **setup(name))[0], divisor=7.0)
    assert change(once, **setup(name))[0] == once


def test_the_setup_of_mathematics_papers_is_their_formula() -> None:
    settings, _ = change(DEFAULTS, **setup("mathematics"))
    found = lesson(settings)
    written = NOTATIONS["short"](case_of(found))
    np.testing.assert_allclose(written.rows()[1], found.trace.output, rtol=0, atol=1e-12)
    layer = found.trace.layer
    assert (layer.w_o == np.eye(layer.d_model)).all() and layer.b_q is None
    assert found.trace.scale == 1.0 and found.trace.residual and settings.notation == "columns"


def short_lesson(language: str = "en") -> Lesson:
    sentence = Words(language)("common.setup.three_linear_sentence")
    return lesson(change(DEFAULTS, **setup("three_linear"), sentence=sentence)[0])


@pytest.mark.parametrize("language", languages())
def test_the_short_module_reads_ten_tokens_in_every_language(language: str) -> None:
    sentence = Words(language)("common.setup.three_linear_sentence")
    assert len(tokenize(sentence).tokens) == 10
    assert short_lesson(language).trace.x.shape == (10, 64)


def test_the_printed_module_run_by_torch_gives_the_numbers_of_the_setup() -> None:
    torch = pytest.importorskip("torch")
    trace = short_lesson().trace
    scope = {"nn": torch.nn, "torch": torch, "math": math}
    exec(THREE_LINEAR.format(d_model=64, x="", scores=""), scope)
    module = scope["SelfAttention"]().double()
    made = {"query": (trace.layer.w_q, trace.layer.b_q), "key": (trace.layer.w_k, trace.layer.b_k)}
    made["value"] = (trace.layer.w_v, trace.layer.b_v)
    state = {}
    for name, (weight, bias) in made.items():
        assert bias is not None
        drawn = getattr(module, name)
        for ours, theirs in ((weight[0].T, drawn.weight), (bias[0], drawn.bias)):
            # Drawn by the same law: uniform within 1/sqrt(64), as far as the extremes of so many numbers tell.
            assert np.abs(ours).max() <= 0.125 and np.abs(ours).max() > 0.1
            assert tuple(theirs.shape) == ours.shape and float(theirs.detach().abs().max()) <= 0.125
        state |= {f"{name}.weight": torch.tensor(weight[0].T), f"{name}.bias": torch.tensor(bias[0])}
    module.load_state_dict(state)
    with torch.no_grad():
        output = module(torch.tensor(trace.x[None]))[0].numpy()
    np.testing.assert_allclose(trace.output, output, rtol=0, atol=1e-12)
    assert sum(p.numel() for p in module.parameters()) == 3 * (64 * 64 + 64)


def test_a_layer_of_three_linear_layers_has_no_output_layer_and_stays_nested() -> None:
    from attnviz.core.presets import WEIGHT_PRESETS

    small, large = (
        WEIGHT_PRESETS["three_linear"](6, heads, d_k, 9, 5, True) for heads, d_k in ((2, 3), (3, 4))
    )
    assert small.d_v == 6 and small.b_o is None and (small.w_o == np.eye(6)).all()
    assert (large.w_q[:2, :, :3] == small.w_q).all() and (large.w_v[:2] == small.w_v).all()
    assert np.abs(large.w_q).max() <= 1 / np.sqrt(6)
    assert WEIGHT_PRESETS["three_linear"](6, 2, 3, 9, 5, False).b_q is None
