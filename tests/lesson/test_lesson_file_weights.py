"""Weights that other programs wrote are opened exactly, of every type of number."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.core.layer import MultiHeadAttention
from attnviz.core.parameters import PARAMETER_AXES
from attnviz.lesson.kinds import Notice
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.lesson_file import load
from attnviz.lesson.settings import DEFAULTS, Settings
from tests.lesson.lesson_files import LAYER, MATRICES, SIZES, npy, npz, tensors, weights


def assert_is_the_layer(
    data: bytes, layer: MultiHeadAttention, given: Settings = DEFAULTS
) -> tuple[Notice, ...]:
    settings, edits, notices = load(data, given)
    made = make_lesson(settings, edits)
    assert made is not None
    for name, array in layer.parameters().items():
        np.testing.assert_array_equal(made.trace.layer.parameters()[name], array, err_msg=name)
    assert made.trace.layer.parameters().keys() == layer.parameters().keys()
    assert made.hand.whole == layer.parameters().keys()
    np.testing.assert_array_equal(made.trace.output, layer(made.trace.x).output)
    return notices


def save_npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def save_npz_compressed(arrays: dict[str, NDArray[Any]]) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def save_safetensors(arrays: dict[str, NDArray[Any]]) -> bytes:
    library = pytest.importorskip("safetensors.numpy")
    found: bytes = library.save(
        {name: np.ascontiguousarray(a) for name, a in arrays.items()}, {"made": "by a test"}
    )
    return found


WRITERS = [save_npz, save_npz_compressed, save_safetensors]
each_writer = pytest.mark.parametrize("write", WRITERS)
Write = Callable[[dict[str, NDArray[Any]]], bytes]


@each_writer
def test_matrices_written_by_the_libraries_themselves_come_back_exactly(write: Write) -> None:
    layer = MultiHeadAttention(**MATRICES)
    (notice,) = assert_is_the_layer(write(MATRICES), layer, replace(DEFAULTS, preset="folded", d_v=8))
    assert notice.problem == "opened"
    assert sorted(notice.given.split(", ")) == ["w_k", "w_o", "w_q", "w_v"]
    assert notice.used == "H = 3, d_model = 7, d_k = 2, d_v = 5"


@each_writer
def test_biases_come_along_and_those_not_given_are_zero(write: Write) -> None:
    b_k = LAYER.parameters()["b_k"]
    zeros = {n: np.zeros([SIZES[a] for a in PARAMETER_AXES[n]]) for n in ("b_q", "b_v", "b_o")}
    assert_is_the_layer(write(MATRICES | {"b_k": b_k}), MultiHeadAttention(**MATRICES, b_k=b_k, **zeros))
    assert_is_the_layer(write(LAYER.parameters()), LAYER)


@each_writer
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "?"])
def test_every_type_of_number_is_read(write: Write, dtype: str) -> None:
    arrays = {name: (np.abs(array) * 2).round().astype(dtype) for name, array in MATRICES.items()}
    layer = MultiHeadAttention(**{name: array.astype(np.float64) for name, array in arrays.items()})
    assert_is_the_layer(write(arrays), layer)


def test_big_endian_numbers_and_columns_first_are_read() -> None:
    arrays = {name: np.asfortranarray(array).astype(">f4") for name, array in MATRICES.items()}
    assert_is_the_layer(
        save_npz(arrays), MultiHeadAttention(**{n: a.astype(np.float64) for n, a in arrays.items()})
    )


def test_bfloat16_is_read_as_the_upper_half_of_a_float32() -> None:
    halves = {name: (array.astype("<f4").view("<u4") >> 16).astype("<u2") for name, array in MATRICES.items()}
    entries, body = {}, b""
    for name, half in halves.items():
        span = [len(body), len(body) + half.nbytes]
        entries[name] = {"dtype": "BF16", "shape": list(half.shape), "data_offsets": span}
        body += half.tobytes()
    exact = {n: (h.astype("<u4") << 16).view("<f4").astype(np.float64) for n, h in halves.items()}
    assert_is_the_layer(tensors(json.dumps(entries).encode(), body), MultiHeadAttention(**exact))
    np.testing.assert_allclose(exact["w_q"], MATRICES["w_q"], rtol=1 / 128)


def test_what_else_is_in_the_file_is_named_and_left_alone() -> None:
    trap = npy(np.array([{"never": "unpickled"}], dtype=object))
    data = npz({f"{n}.npy": npy(a) for n, a in MATRICES.items()} | {"more.npy": trap, "read.me": b"hello"})
    _, _, (_, ignored) = load(data)
    assert (ignored.problem, ignored.given) == ("ignored", "more.npy, read.me")


def test_the_other_settings_stay_and_the_sizes_are_those_of_the_arrays() -> None:
    given = replace(DEFAULTS, sentence="a b c", mask="causal", edits="w_q~1x1x1~0~1", preset="identity")
    settings, _, _ = load(weights(), given)
    assert settings == replace(given, **SIZES, edits="", preset="random")
