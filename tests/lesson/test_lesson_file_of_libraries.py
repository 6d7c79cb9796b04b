"""A file of weights by the names of PyTorch, Hugging Face or Keras becomes a lesson with that layer (case 60)."""

import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.layer import MultiHeadAttention
from attnviz.lesson.edits import MOST_CELLS
from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.lesson_file import LARGEST_FILE, MOST_BYTES, LessonFileError, load
from attnviz.lesson.settings import DEFAULTS
from attnviz.words import Words, languages
from tests.core.exchange.exchanged import Array, H, layer, linears, square

THREE = replace(DEFAULTS, num_heads=H)
KERAS = {
    f"block/attention/{stem}/{kind}": array.swapaxes(0, 1) if name in ("w_q", "w_k", "w_v") else array
    for stem, one in (("query", "q"), ("key", "k"), ("value", "v"), ("attention_output", "o"))
    for kind, name in (("kernel", f"w_{one}"), ("bias", f"b_{one}"))
    for array in [layer().parameters()[name]]
}
FILES: dict[str, tuple[dict[str, Array], MultiHeadAttention, bool]] = {
    "PyTorch": (square().to_torch(), square(), True),
    "Hugging Face": (linears(layer(), "q_proj", "k_proj", "v_proj", "o_proj"), layer(), True),
    "Keras": (KERAS, layer(), False),
}


def npz(arrays: dict[str, Array]) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def safetensors(arrays: dict[str, Array]) -> bytes:
    library = pytest.importorskip("safetensors.numpy")
    found: bytes = library.save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    return found


each_writer = pytest.mark.parametrize("write", [npz, safetensors])
Write = Callable[[dict[str, Array]], bytes]


def opened(data: bytes) -> tuple[MultiHeadAttention, list[Notice]]:
    """The layer of the lesson that a file becomes where three heads are set, and the notices."""
    settings, edits, notices = load(data, THREE)
    made = make_lesson(settings, edits)
    assert made is not None
    own = made.trace.layer
    np.testing.assert_array_equal(made.trace.output, own(made.trace.x).output)
    return own, list(notices)


@each_writer
@pytest.mark.parametrize("library", FILES)
def test_the_layer_is_that_of_the_file_and_taken_heads_are_told(library: str, write: Write) -> None:
    arrays, own, taken = FILES[library]
    found, notices = opened(write(arrays))
    for name, array in own.parameters().items():
        np.testing.assert_array_equal(found.parameters()[name], array, err_msg=name)
    assert notices[0].problem == "opened"
    assert sorted(notices[0].given.split(", ")) == sorted(arrays)
    assert notices[0].used == f"H = 3, d_model = 12, d_k = {own.d_k}, d_v = {own.d_v}"
    assert notices[1:] == ([Notice("edits", "heads_taken", "", "3")] if taken else [])


@each_writer
def test_of_several_layers_the_first_is_open_and_the_rest_named_as_not_used(write: Write) -> None:
    state = {f"layers.{i}.attn.{name}": array for i in (0, 1) for name, array in square().to_torch().items()}
    found, (_, _, first, ignored) = opened(write(state | {"layers.0.norm.weight": np.ones(12)}))
    np.testing.assert_array_equal(found.w_v, square().w_v)
    assert first == Notice("edits", "first_layer", "2", "layers.0.attn")
    assert ignored.problem == "ignored"
    assert "layers.0.norm.weight" in ignored.given or ignored.given.endswith("…")


@each_writer
@pytest.mark.parametrize("library", ["attnviz", "PyTorch"])
def test_a_file_of_as_many_half_precision_numbers_as_a_lesson_can_hold_fits(
    library: str, write: Write
) -> None:
    numbers = np.linspace(-1.0, 1.0, MOST_CELLS // 4).astype(np.float16)
    arrays = {
        "attnviz": dict.fromkeys(("w_q", "w_k", "w_v"), numbers.reshape(4, 512, 128))
        | {"w_o": numbers.reshape(4, 128, 512)},
        "PyTorch": {
            "in_proj_weight": np.tile(numbers.reshape(512, 512), (3, 1)),
            "out_proj.weight": numbers.reshape(512, 512),
        },
    }[library]
    assert sum(array.size for array in arrays.values()) == MOST_CELLS
    data = write(arrays)
    assert LARGEST_FILE < len(data) < MOST_BYTES
    settings, edits, _ = load(data, replace(DEFAULTS, num_heads=4))
    assert (settings.d_model, settings.d_k, settings.d_v, edits.count) == (512, 128, 128, MOST_CELLS)
    w_o = edits.find("w_o", (4, 128, 512)).values.reshape(512, 512)
    expected = numbers.reshape(512, 512).astype(np.float64)
    np.testing.assert_array_equal(w_o, expected.T if library == "PyTorch" else expected)


@each_writer
def test_the_same_in_double_precision_fits_too_and_more_does_not(write: Write) -> None:
    numbers = np.linspace(-1.0, 1.0, MOST_CELLS // 4)
    arrays = dict.fromkeys(("w_q", "w_k", "w_v"), numbers.reshape(4, 512, 128)) | {
        "w_o": numbers.reshape(4, 128, 512)
    }
    assert load(write(arrays))[1].count == MOST_CELLS
    with pytest.raises(LessonFileError, match=r"The file: expected at most 8,454,144 bytes; found 8,"):
        load(write(arrays | {"more": np.zeros(20_000)}))


WRONG: dict[str, tuple[dict[str, Array], str, str]] = {
    "unknown names": (
        {"wte": np.ones((2, 2)), "wpe": np.ones((2, 2))}, "",
        "names of attnviz (w_q, …), PyTorch (in_proj_weight, …), Hugging Face",
    ),
    "heads that do not divide": (
        {"in_proj_weight": np.ones((24, 8)), "out_proj.weight": np.ones((8, 8))}, "in_proj_weight", "heads, 3; found 8",
    ),
    "no output": ({"in_proj_weight": np.ones((9, 3))}, "out_proj.weight", "found nothing"),
    "grouped": (
        linears(layer(), "q_proj", "k_proj", "v_proj", "o_proj") | {"k_proj.weight": np.ones((5, 12))},
        "k_proj.weight", "as many heads of keys and values as of queries",
    ),
    "whole numbers": (square().to_torch() | {"in_proj_weight": np.ones((36, 12), np.int8)}, "in_proj_weight", "quantised"),
    "too large a number": (square().to_torch() | {"out_proj.bias": np.full(12, 1e7)}, "b_o[0]", "at most 1,000,000"),
    "not a number": (square().to_torch() | {"out_proj.bias": np.full(12, np.nan)}, "out_proj.bias[0]", "found nan"),
    "too wide": (
        {"in_proj_weight": np.ones((3 * 516, 516), "f2"), "out_proj.weight": np.ones((516, 516), "f2")}, "d_model",
        "a size from 1 to 512; found 516",
    ),
}  # fmt: skip


@each_writer
@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told_in_the_language_of_the_reader(name: str, write: Write) -> None:
    arrays, place, words = WRONG[name]
    with pytest.raises(LessonFileError) as caught:
        load(write(arrays), THREE)
    assert caught.value.place == place
    assert words in str(caught.value)
    for language in languages():
        message = caught.value.message(Words(language))
        assert message.startswith(place or Words(language)("file.whole"))
        assert "{" not in message
        assert message.isprintable()


def test_unknown_names_are_said_that_are_there() -> None:
    with pytest.raises(LessonFileError, match="found wte, wpe"):
        load(npz(WRONG["unknown names"][0]))
