"""A file that is wrong in any way gets a message that names the place, what was expected and what was found."""

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz.core.exchange.errors import LONGEST
from attnviz.lesson.lesson_file import LARGEST_FILE, LessonFileError, load
from attnviz.words import Words, languages
from tests.lesson.lesson_files import (
    MATRICES,
    SOUND,
    bomb,
    file,
    lying_bomb,
    npy,
    npy_header,
    npz,
    one_edit,
    tensors,
    text,
    weights,
)

DEEP = b'{"format": "attnviz lesson", "version": 1, "settings": {}, "edits": ' + b"[" * 200_000

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
    assert caught.value.place in (place, "")
    assert message.startswith(f"{'The file' if place == '$' else place}: expected ")
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
    assert message.startswith(words("file.whole") if error.place in ("", "$") else error.place)
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


class Trap:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.path),)


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    flag = tmp_path / "ran"
    trap = Trap(flag)
    for data in (weights(w_q=np.array([trap], object)), pickle.dumps(trap), weights(w_q=pickle.dumps(trap))):
        with pytest.raises(LessonFileError):
            load(data)
    assert not flag.exists()
    pickle.loads(pickle.dumps(trap))
    assert flag.exists()  # so the trap does work
