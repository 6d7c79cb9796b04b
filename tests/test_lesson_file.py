"""A lesson file loses no bit, and a file that is wrong in any way gets a message that names the place."""

import io
import json
import pickle
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnviz.core.layer import PARAMETER_AXES, MultiHeadAttention
from attnviz.edits import Edit, Edits, fingerprint
from attnviz.files.errors import LONGEST
from attnviz.kinds import Notice
from attnviz.lesson import make_lesson
from attnviz.lesson_file import LARGEST_FILE, LessonFileError, load, save
from attnviz.settings import DEFAULTS, KINDS, Settings, fit
from attnviz.words import Words, languages
from tests.test_edits import EDITS, exact
from tests.test_settings import SETTINGS

SIZES = {"num_heads": 3, "d_model": 7, "d_k": 2, "d_v": 5}
LAYER = MultiHeadAttention.random(**SIZES, seed=5, bias=True)
MATRICES = {name: array for name, array in LAYER.parameters().items() if name.startswith("w_")}
WORDS = Settings(sentence='猫 $5 <b>{}</b> \\ " \u2028 😀', query=2)


def file(**changes: Any) -> dict[str, Any]:
    """A sound lesson file as Python values, with some of them changed."""
    values = {"format": "attnviz lesson", "version": 1, "settings": {}, "edits": []}
    return {name: value for name, value in (values | changes).items() if value is not ...}


def one_edit(values: Any, matrix: Any = "w_q", **more: Any) -> dict[str, Any]:
    return file(edits=[{"matrix": matrix, "values": values, **more}])


def text(values: Any) -> bytes:
    return json.dumps(values).encode()


def npz(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=True)
    return out.getvalue()


def npy_header(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    padded = header.encode("latin1").ljust(117) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(padded)) + padded + data


def weights(**changes: Any) -> bytes:
    """An .npz of the four matrices with some replaced (... leaves one out; bytes are put in as they are)."""
    arrays = {name: value for name, value in (MATRICES | changes).items() if value is not ...}
    return npz({f"{n}.npy": a if isinstance(a, bytes) else npy(np.asarray(a)) for n, a in arrays.items()})


def tensors(header: Any = None, body: bytes | None = None, **changes: Any) -> bytes:
    """A .safetensors of the four matrices, by the format's own description, with entries changed."""
    entries, data = {}, b""
    for name, array in MATRICES.items():
        raw = array.tobytes()
        entries[name] = {
            "dtype": "F64",
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    for name, entry in changes.items():
        entries[name] = entries.get(name, {}) | entry if isinstance(entry, dict) else entry
    packed = json.dumps(entries).encode() if header is None else header
    return len(packed).to_bytes(8, "little") + packed + (data if body is None else body)


def bomb() -> bytes:
    """Two kilobytes or so that unpack to a gigabyte."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    size, out = 1 << 30, io.BytesIO()
    zeros = bytes(1 << 20)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w_q.npy", b"")
    packed = b"".join(stream.compress(zeros) for _ in range(64)) + stream.flush()
    return _with_stream(packed, size)


def lying_bomb() -> bytes:
    """64 MB that say they are 100 bytes."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(stream.compress(bytes(1 << 20)) for _ in range(64)) + stream.flush()
    return _with_stream(packed, 100)


def _with_stream(packed: bytes, size: int) -> bytes:
    name = b"w_q.npy"
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(packed), size, len(name), 0)
    local = b"PK\x03\x04" + common + name + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end


class Trap:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.path),)


# --- there and back -------------------------------------------------------------------------------


@given(SETTINGS, EDITS)
def test_a_lesson_file_gives_back_settings_and_edits_bit_for_bit(settings: Settings, edits: Edits) -> None:
    settings, _ = fit(settings)
    opened, found, notices = load(save(settings, edits).encode())
    assert opened == replace(settings, edits="")
    assert exact(found) == exact(edits)
    assert notices == ()


def test_an_opened_lesson_has_the_same_output_bit_for_bit() -> None:
    settings = replace(WORDS, **SIZES, score="general", seed=4, temperature=1.1)
    plain = make_lesson(settings)
    assert plain is not None
    x = Edit("x", (14, 7), np.array([0, 97]), np.array([0.1, -1 / 3]), fingerprint(plain.tokens.tokens))
    edits = Edits((Edit("w_v", (3, 7, 5), np.array([104]), np.array([2 / 3])), x))
    opened, found, _ = load(save(settings, edits).encode())
    one, other = make_lesson(settings, edits), make_lesson(opened, found)
    assert one is not None
    assert other is not None
    assert one.trace.output.tobytes() == other.trace.output.tobytes()
    assert (one.trace.layer.w_v[2, 6, 4], one.trace.x[13, 6]) == (2 / 3, -1 / 3)


def test_an_edit_of_x_without_a_fingerprint_belongs_to_the_sentence_of_the_file() -> None:
    settings, edits, _ = load(
        text(one_edit([[0.5, None], [None, 2]], "x") | {"settings": {"sentence": "a b", "d_model": 2}})
    )
    made = make_lesson(settings, edits)
    assert made is not None
    assert (made.trace.x[0, 0], made.trace.x[1, 1], made.hand.aside) == (0.5, 2.0, ())


@pytest.mark.parametrize("value", [12, "12", 12.0])
def test_settings_are_read_from_numbers_and_from_texts_as_in_a_link(value: object) -> None:
    assert load(
        text(file(settings={"d_model": value, "residual": True, "temperature": 0.5, "mask": "causal"}))
    )[0] == (replace(DEFAULTS, d_model=12, residual=True, temperature=0.5, mask="causal"))


def test_settings_out_of_their_limits_come_inside_and_are_named() -> None:
    settings, _, notices = load(text(file(settings={"d_model": 9999, "seed": "abc", "d_modle": 3})))
    assert settings == replace(DEFAULTS, d_model=512)
    assert notices == (
        Notice("edits", "ignored", "d_modle", ""),
        Notice("d_model", "clamped", "9999", "512"),
        Notice("seed", "unknown", "abc", "0"),
    )


def test_null_at_any_level_leaves_what_is_there() -> None:
    values = [None, [None, [None, 0.5], None]]
    _, edits, _ = load(text(one_edit(values)))
    (edit,) = edits.entries
    assert (edit.shape, edit.at.tolist(), edit.values.tolist()) == ((2, 3, 2), [9], [0.5])


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert load(b"\xef\xbb\xbf" + text(file())) == (DEFAULTS, Edits(), ())


def test_every_setting_but_the_text_of_the_edits_is_written_out() -> None:
    assert json.loads(save(DEFAULTS, Edits()))["settings"].keys() == KINDS.keys() - {"edits"}


def test_a_lesson_too_large_for_a_file_is_refused() -> None:
    edits = Edits((Edit.whole("w_q", np.full((1, 400, 400), 1 / 3)),))
    with pytest.raises(ValueError, match=f"at most {LARGEST_FILE} bytes; got 3[0-9]+"):
        save(DEFAULTS, edits)
    with pytest.raises(ValueError, match="got more than 2400000"):
        save(DEFAULTS, Edits((Edit.whole("w_q", np.zeros((4, 400, 500))),)))


# --- weights of other programs --------------------------------------------------------------------


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


# --- files that are wrong -------------------------------------------------------------------------

DEEP = b'{"format": "attnviz lesson", "version": 1, "settings": {}, "edits": ' + b"[" * 200_000
SOUND = text(file(settings={"sentence": "a"}, edits=[{"matrix": "w_q", "values": [[[0.5]]]}]))

# name: the file, the place that must be named, and words of what was expected and found there.
BROKEN: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "$", "well-formed JSON at line 1, column 1; found nothing"),
    "truncated": (SOUND[:-20], "$", "well-formed JSON at line 1, column"),
    "no JSON": (b"attnviz lesson", "$", "JSON at line 1, column 1; found attnviz lesson"),
    "trailing comma": (b'{"format": "attnviz lesson",}', "$", "well-formed JSON at line 1, column 2"),
    "rubbish after the end": (SOUND + b"{}", "$", "well-formed JSON"),
    "not UTF-8": (SOUND.replace(b'"a"', b'"\xe9"'), "$", "text in UTF-8"),
    "UTF-16": (SOUND.decode().encode("utf-16"), "$", "byte 0 is neither; found ff fe"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(64), "$", "byte 0 is neither; found 89"),
    "a pickle": (pickle.dumps(MATRICES), "$", "byte 0 is neither"),
    "a list": (b"[]", "$", "an object with format, version, settings, edits; found […] (0)"),
    "deep nesting": (DEEP, "$", "lists no deeper"),
    "deep nesting of objects": (b'{"a":' * 200_000, "$", "lists no deeper"),
    "no version": (text(file(version=...)), "$.version", "a value; found nothing"),
    "no edits": (text(file(edits=...)), "$.edits", "a value; found nothing"),
    "wrong version": (text(file(version=2)), "$.version", "version 1; found 2"),
    "version as text": (text(file(version="1")), "$.version", 'version 1; found "1"'),
    "version true": (text(file(version=True)), "$.version", "version 1; found true"),
    "other format": (text(file(format="ipynb")), "$.format", "“attnviz lesson”; found \"ipynb\""),
    "unknown name": (text(file(edit=[])), "$", 'one of format, version, settings, edits; found "edit"'),
    "name twice": (b'{"version": 1, "version": 1}', "$", 'each name once; found "version"'),
    "setting twice": (
        b'{"format": "attnviz lesson", "version": 1, "settings": {"seed": 1, "seed": 2}, "edits": []}',
        "$.settings", 'each name once; found "seed"',
    ),
    "settings as list": (text(file(settings=[1])), "$.settings", "an object with sentence, d_model, …; found […] (1)"),
    "setting as list": (text(file(settings={"d_k": [4]})), "$.settings.d_k", "true or false; found […] (1)"),
    "setting null": (text(file(settings={"d_k": None})), "$.settings.d_k", "found null"),
    "setting NaN": (text(file(settings={"beta": np.nan})), "$.settings.beta", "a finite number, .*; found NaN"),
    "setting 1e999": (b'{"format": "attnviz lesson", "version": 1, "settings": {"beta": 1e999}, "edits": []}',
                      "$.settings.beta", "found Infinity"),
    "setting of 10000 digits": (
        text(file()).replace(b'{}', b'{"seed": ' + b"9" * 10_000 + b"}"), "$.settings.seed", "found Infinity",
    ),
    "half a pair": (text(file(settings={"sentence": "\ud800"})), "$.settings.sentence", r"whole characters, .*\ud800"),
    "edits as object": (text(file(edits={})), "$.edits", "a list of edits; found {…} (0)"),
    "edit as list": (text(file(edits=[[]])), "$.edits[0]", "an object with matrix, values, tokens; found […] (0)"),
    "edit without values": (text(file(edits=[{"matrix": "w_q"}])), "$.edits[0].values", "found nothing"),
    "edit with more": (text(one_edit([[[1]]], colour="red")), "$.edits[0]", 'found "colour"'),
    "unknown matrix": (text(one_edit([[1]], "weights")), "$.edits[0].matrix", 'one of w_q, .*; found "weights"'),
    "matrix as number": (text(one_edit([[1]], 3)), "$.edits[0].matrix", "found 3"),
    "matrix twice": (
        text(file(edits=[{"matrix": "w_q", "values": [[[1]]]}] * 2)), "$.edits[1].matrix", "each name once",
    ),
    "too few axes": (text(one_edit([[1.0, 2.0]])), "$.edits[0].values[0][0]", "a list along d_k, .*; found 1.0"),
    "too many axes": (text(one_edit([[[[1.0]]]])), "$.edits[0].values[0][0][0]", "a finite number, .*; found […] (1)"),
    "ragged": (
        text(one_edit([[[1, 2], [3]], [[4, 5], [6, 7]]])), "$.edits[0].values[0][1]", "2 entries along d_k, .*found […] (1)",
    ),
    "ragged further up": (
        text(one_edit([[[1]], [[2], [3]]])), "$.edits[0].values[1]", "1 entries along d_model, .*; found […] (2)",
    ),
    "empty list": (text(one_edit([])), "$.edits[0].values", "of 1 to 16 entries, or null; found […] (0)"),
    "17 heads": (text(one_edit([[[1]]] * 17)), "$.edits[0].values", "of 1 to 16 entries, or null; found […] (17)"),
    "513 columns": (text(one_edit([[[1] * 513]])), "$.edits[0].values[0][0]", "1 to 512 entries, .*; found […] (513)"),
    "nothing but null": (text(one_edit([None, [None]])), "$.edits[0].values", "at least one number; found […] (2)"),
    "NaN": (text(one_edit([[[1.0, np.nan]]])), "$.edits[0].values[0][0][1]", "a finite number, .*; found NaN"),
    "-Infinity": (text(one_edit([[[-np.inf]]])), "$.edits[0].values[0][0][0]", "found -Infinity"),
    "too large": (text(one_edit([[[1e7]]])), "$.edits[0].values[0][0][0]", "at most 1,000,000 .*; found 10000000.0"),
    "huge whole number": (
        text(one_edit([[[0]]])).replace(b"0]", b"1" + b"0" * 5000 + b"]"), "$.edits[0].values[0][0][0]", "found Infinity",
    ),
    "number as text": (text(one_edit([[["1"]]])), "$.edits[0].values[0][0][0]", 'a finite number, .*; found "1"'),
    "true for a number": (text(one_edit([[[True]]])), "$.edits[0].values[0][0][0]", "found true"),
    "half a mask": (text(one_edit([[0.5]], "keep")), "$.edits[0].values[0][0]", "0 or 1; found 0.5"),
    "tokens of a weight": (text(one_edit([[[1]]], tokens="x")), "$.edits[0].tokens", "no tokens: only x, x_source"),
    "bad fingerprint": (text(one_edit([[1]], "x", tokens="xyz")), "$.edits[0].tokens", '12 hexadecimal .*; found "xyz"'),
    "fingerprint as number": (text(one_edit([[1]], "x", tokens=123456789012)), "$.edits[0].tokens", "found 123456789012"),
    "too many bytes": (b" " * LARGEST_FILE + text(file()), "The file", "at most 2,000,000 bytes; found 2,000,"),
    # .npz
    "truncated npz": (weights()[:-60], "The file", "a sound .npz .zip. file"),
    "npz cut in the middle": (weights()[:700], "The file", "a sound .npz"),
    "zip of nothing": (npz({}), "w_q", r"an array of shape (H, d_model, d_k); found nothing"),
    "flipped byte": (weights()[:90] + b"\xff\xff\xff" + weights()[93:], "w_q.npy", "a sound .npz .zip. file"),
    "zip bomb": (bomb(), "The file", "at most 8,454,144 bytes when unpacked; found 1,073,741,824"),
    "zip bomb that lies": (lying_bomb(), "w_q.npy", "a sound .npz .zip. file; found Bad CRC-32"),
    "1001 members": (npz({f"{i}": b"" for i in range(1001)}), "The file", "at most 1000 members; found 1001"),
    "bzip2": (npz({"w_q.npy": npy(np.ones(1))}, zipfile.ZIP_BZIP2), "w_q.npy", "stored or deflated"),
    "pickle in npz": (weights(w_q=np.array([None], object)), "w_q", "pickled objects are never loaded; found object"),
    "pickle as member": (weights(w_q=pickle.dumps([1])), "w_q", "NumPy's .npy format"),
    "empty member": (weights(w_q=b""), "w_q", "NumPy's .npy format"),
    "npy version 3": (weights(w_q=npy_header("{}", version=b"\x03\x00")), "w_q", "version 1 or 2"),
    "header that is no header": (weights(w_q=npy_header("__import__('os')")), "w_q", "NumPy's .npy format"),
    "deep header": (weights(w_q=npy_header("(" * 110)), "w_q", "NumPy's .npy format"),
    "more than there is": (
        weights(w_q=npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (999, 999, 999)}")),
        "w_q", r"7976023992 bytes for shape (999, 999, 999) of float64; found 0",
    ),
    "negative shape": (
        weights(w_q=npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1, 1)}", bytes(8))),
        "w_q", r"sides from 1 to 1048576; found (-1, -1, 1)",
    ),
    "bytes left over": (weights(w_q=npy(MATRICES["w_q"]) + b"more"), "w_q", "336 bytes for shape .*; found 340"),
    "texts": (weights(w_q=np.full((3, 7, 2), "a")), "w_q", "one of the types F64, .*; found <U1"),
    "complex": (weights(w_q=MATRICES["w_q"] * 1j), "w_q", "found complex128"),
    "records": (weights(w_q=np.zeros((3, 7, 2), [("a", "f8")])), "w_q", "one of the types"),
    "NaN in npz": (
        weights(w_k=np.where(np.arange(42).reshape(3, 7, 2) == 41, np.nan, 1)), "w_k[2, 6, 1]", "a finite number.*found nan",
    ),
    "infinity in half precision": (weights(w_o=np.full((3, 5, 7), np.inf, "f2")), "w_o[0, 0, 0]", "found inf"),
    "1e30": (weights(w_v=np.full((3, 7, 5), 1e30)), "w_v[0, 0, 0]", "at most 1,000,000 in magnitude; found 1e.30"),
    "w_o missing": (weights(w_o=...), "w_o", r"an array of shape (H, d_v, d_model); found nothing"),
    "two axes": (weights(w_q=np.ones((7, 6))), "w_q", r"shape (H, d_model, d_k), one matrix a head; found (7, 6)"),
    "w_k of other heads": (weights(w_k=np.ones((2, 7, 2))), "w_k", r"= (3, 7, 2); found (2, 7, 2)"),
    "w_o the other way round": (weights(w_o=np.ones((3, 7, 5))), "w_o", r"(H, d_v, d_model) = (3, 5, 7); found (3, 7, 5)"),
    "bias of another size": (weights(b_q=np.ones((3, 5))), "b_q", r"(H, d_k) = (3, 2); found (3, 5)"),
    "17 heads in npz": (
        weights(w_q=np.ones((17, 7, 2)), w_k=np.ones((17, 7, 2)), w_v=np.ones((17, 7, 5)), w_o=np.ones((17, 5, 7))),
        "H", "a size from 1 to 16; found 17",
    ),
    "too large a product": (
        weights(**{name: np.zeros((16, 512, 256), "i1") for name in ("w_q", "w_k", "w_v")},
                w_o=np.zeros((16, 256, 512), "i1")),
        "H × d_model × d_k, d_v", "at most 1,048,576; found 2,097,152",
    ),
    "too many numbers": (
        weights(**{name: np.zeros((4, 512, 200), "i1") for name in ("w_q", "w_k", "w_v")},
                w_o=np.zeros((4, 200, 512), "i1")),
        "The file", "at most 1,048,576 numbers in all; found 1,638,400",
    ),
    "encrypted": (weights().replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"),
                  "w_q.npy", "without a password"),
    # .safetensors
    "truncated safetensors": (tensors()[:-1], "$.w_o.data_offsets", "at most 2351; found [1512, 2352]"),
    "header cut off": (tensors()[:40], "The file", "a header of at most 32 bytes"),
    "huge header": ((1 << 39).to_bytes(8, "little") + b"{}", "The file", "at most 2 bytes; found 549,755,813,888"),
    "header no JSON": (tensors(b"{'w_q': 1}"), "$", "well-formed JSON at line 1, column 2"),
    "header not UTF-8": (tensors(b"{\xff\xff"), "$", "text in UTF-8"),
    "header no object": (tensors(b"[]"), "$", "text in UTF-8"),
    "header deep": (tensors(b'{"a":' * 100_000), "$", "lists no deeper"),
    "tensor twice": (tensors(b'{"w_q": 1, "w_q": 1}'), "$", 'each name once; found "w_q"'),
    "tensor no object": (tensors(w_q=[]), "$.w_q", "an object with dtype, shape, data_offsets"),
    "tensor with more": (tensors(w_q={"extra": 1}), "$.w_q", 'one of dtype, shape, data_offsets; found "extra"'),
    "unknown type": (tensors(w_q={"dtype": "F8_E4M3"}), "$.w_q.dtype", 'one of the types F64, .*; found "F8_E4M3"'),
    "type as number": (tensors(w_q={"dtype": 8}), "$.w_q.dtype", "found 8"),
    "shape as text": (tensors(w_q={"shape": "3x7x2"}), "$.w_q.shape", 'whole numbers from 0 on; found "3x7x2"'),
    "shape with a fraction": (tensors(w_q={"shape": [3, 7, 2.0]}), "$.w_q.shape[2]", "found 2.0"),
    "shape below zero": (tensors(w_q={"shape": [-3, -7, 2]}), "$.w_q.shape[0]", "found -3"),
    "shape of zero": (tensors(w_q={"shape": [0, 7, 2], "data_offsets": [0, 0]}), "w_q", "sides from 1 .*found (0, 7, 2)"),
    "huge shape": (tensors(w_q={"shape": [10**15, 7, 2]}), "w_q", "sides from 1 to"),
    "shape and bytes at odds": (tensors(w_q={"shape": [3, 7, 3]}), "w_q", "504 bytes for shape .*; found 336"),
    "offsets out of order": (tensors(w_q={"data_offsets": [336, 0]}), "$.w_q.data_offsets", "in this order.*[336, 0]"),
    "offsets beyond the end": (tensors(w_q={"data_offsets": [0, 10**12]}), "$.w_q.data_offsets", "at most 2352"),
    "three offsets": (tensors(w_q={"data_offsets": [0, 1, 2]}), "$.w_q.data_offsets", "whole numbers"),
    "overlapping": (tensors(w_k={"data_offsets": [0, 336]}), "$.w_k.data_offsets", "bytes that belong to no other array"),
    "NaN in safetensors": (tensors(body=np.full(294, np.nan).tobytes()), "w_q[0, 0, 0]", "found nan"),
    "safetensors without w_v": (tensors(json.dumps({"__metadata__": {"a": "b"}}).encode()), "w_q", "an array of shape"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_gets_a_message_that_names_place_expected_and_found(name: str) -> None:
    data, place, words = BROKEN[name]
    with pytest.raises(LessonFileError) as caught:
        load(data)
    message = str(caught.value)
    assert message.startswith(f"{place}: expected ")
    parts = iter(words.split(".*"))
    rest = message
    for part in parts:
        _, found, rest = rest.partition(part.replace(" .zip. ", " (zip) ").replace("1e.30", "1e+30"))
        assert found, f"{part!r} is not in {message!r}"
    assert message.isprintable()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", BROKEN)
def test_the_message_is_in_the_language_of_the_reader_and_keeps_place_and_found(
    name: str, language: str
) -> None:
    with pytest.raises(LessonFileError) as caught:
        load(BROKEN[name][0])
    error, words = caught.value, Words(language)
    message = error.message(words)
    assert (error.place or words("file.whole")) in message
    assert (error.found or words("file.nothing")) in message
    assert "{" not in message.replace(error.found, "")
    assert len(error.found) <= LONGEST


def test_both_languages_have_the_same_words_and_placeholders() -> None:
    english, *others = [Words(language) for language in languages()]
    names = {name for name in english if name.startswith("file.")}
    for other in others:
        assert {name for name in other if name.startswith("file.")} == names
        for name in names:
            fields = [{part.split("}")[0] for part in w.raw(name).split("{")[1:]} for w in (english, other)]
            assert fields[0] == fields[1], name


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    flag = tmp_path / "ran"
    trap = Trap(flag)
    for data in (weights(w_q=np.array([trap], object)), pickle.dumps(trap), weights(w_q=pickle.dumps(trap))):
        with pytest.raises(LessonFileError):
            load(data)
    assert not flag.exists()
    pickle.loads(pickle.dumps(trap))
    assert flag.exists()  # so the trap does work


@given(st.sampled_from([SOUND, weights(), tensors(), save(WORDS, Edits())]), st.data())
def test_a_file_with_any_bytes_changed_opens_or_says_what_is_wrong(data: Any, draw: st.DataObject) -> None:
    changed = bytearray(data if isinstance(data, bytes) else data.encode())
    for _ in range(draw.draw(st.integers(1, 4))):
        changed[draw.draw(st.integers(0, len(changed) - 1))] = draw.draw(st.integers(0, 255))
    del changed[draw.draw(st.integers(len(changed) // 2, len(changed))) :]
    _opens_or_says(bytes(changed))


@given(st.binary(max_size=300))
@pytest.mark.parametrize("start", [b"", b"PK\x03\x04", b"\x10\0\0\0\0\0\0\0"])
def test_any_bytes_open_or_say_what_is_wrong(start: bytes, data: bytes) -> None:
    _opens_or_says(start + data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)


@given(
    st.fixed_dictionaries(
        {
            "settings": JSON | st.dictionaries(st.sampled_from([*KINDS]), JSON, max_size=4),
            "edits": JSON | st.lists(st.fixed_dictionaries({"matrix": JSON, "values": JSON}), max_size=2),
        }
    )
)
def test_any_json_opens_or_says_what_is_wrong(values: dict[str, Any]) -> None:  # fmt: skip
    _opens_or_says(text(file(**values)))


def _opens_or_says(data: bytes) -> None:
    try:
        settings, edits, _ = load(data)
    except LessonFileError:
        return
    assert fit(settings) == (settings, ())
    assert isinstance(edits, Edits)
