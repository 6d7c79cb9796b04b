"""Layers in files: what we write other libraries read, what they write we read, and what is broken is told."""

import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz import MultiHeadAttention
from attnviz.core.exchange.files import WRITERS
from tests.core.exchange.exchanged import Array, H, assert_same, layer, linears, square

ENDS = [*WRITERS]
each_end = pytest.mark.parametrize("end", ENDS)


def write_by_library(path: Path, arrays: dict[str, Array]) -> None:
    """The arrays as NumPy, or the library of Hugging Face, writes them."""
    plain: dict[str, Any] = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if path.suffix == ".npz":
        np.savez_compressed(path, **plain)
    else:
        pytest.importorskip("safetensors.numpy").save_file(plain, path)


def read_by_library(path: Path) -> dict[str, Array]:
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    found: dict[str, Array] = pytest.importorskip("safetensors.numpy").load_file(path)
    return found


@each_end
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bias", [False, True])
def test_a_saved_layer_is_loaded_bit_for_bit_of_its_own_type(
    end: str, dtype: Any, bias: bool, tmp_path: Path
) -> None:
    own, path = layer(bias).astype(dtype), tmp_path / f"layer{end}"
    own.save(path)
    assert_same(MultiHeadAttention.load(str(path)), own)


@each_end
def test_what_we_write_the_libraries_read(end: str, tmp_path: Path) -> None:
    layer().save(tmp_path / f"layer{end}")
    found = read_by_library(tmp_path / f"layer{end}")
    assert [*found] == [*layer().parameters()] or end == ".safetensors"  # whose library sorts the names
    assert_same(MultiHeadAttention(**found), layer())


OTHERS: dict[str, Callable[[], tuple[dict[str, Array], MultiHeadAttention]]] = {
    "attnviz": lambda: (dict(layer().parameters()), layer()),
    "PyTorch": lambda: (square().to_torch(), square()),
    "Hugging Face": lambda: (linears(layer(), "q_proj", "k_proj", "v_proj", "o_proj"), layer()),
    "Keras": lambda: (
        {
            f"{stem}/{kind}": array.swapaxes(0, 1) if name in ("w_q", "w_k", "w_v") else array
            for stem, one in (("query", "q"), ("key", "k"), ("value", "v"), ("attention_output", "o"))
            for kind, name in (("kernel", f"w_{one}"), ("bias", f"b_{one}"))
            for array in [layer().parameters()[name]]
        },
        layer(),
    ),
}


@each_end
@pytest.mark.parametrize("library", OTHERS)
@pytest.mark.parametrize("prefix", ["", "model.layers.3.self_attn.", "encoder/layer_0/"])
def test_what_libraries_write_by_their_names_is_loaded(
    library: str, prefix: str, end: str, tmp_path: Path
) -> None:
    arrays, own = OTHERS[library]()
    path = tmp_path / f"weights{end}"
    more = {"embedding.weight": np.arange(6.0), "step": np.array([3])}
    write_by_library(path, {prefix + name: array for name, array in arrays.items()} | more)
    assert_same(MultiHeadAttention.load(path, num_heads=H), own)


@each_end
def test_of_several_layers_one_is_chosen(end: str, tmp_path: Path) -> None:
    path, other = tmp_path / f"weights{end}", layer(seed=7)
    first = {f"layers.0.attn.{name}": array for name, array in layer().parameters().items()}
    mixed = linears(other, "q_proj", "k_proj", "v_proj", "out_proj")
    write_by_library(path, first | {f"layers.1.attn.{name}": array for name, array in mixed.items()})
    assert_same(MultiHeadAttention.load(path, layer="layers.0.attn"), layer())
    assert_same(MultiHeadAttention.load(path, num_heads=H, layer="layers.1.attn"), other)
    with pytest.raises(
        ValueError,
        match=r"The file: expected one layer, or layer= .*; found 2: layers\.0\.attn, layers\.1\.attn",
    ):
        MultiHeadAttention.load(path, num_heads=H)
    with pytest.raises(
        ValueError, match=r"layer: expected one of the layers layers\.0\.attn, layers\.1\.attn; found 'x'"
    ):
        MultiHeadAttention.load(path, layer="x")


def test_bfloat16_is_read_exactly(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch_files = pytest.importorskip("safetensors.torch")
    halves = {n: torch.from_numpy(a).to(torch.bfloat16).contiguous() for n, a in square().to_torch().items()}
    torch_files.save_file(halves, tmp_path / "half.safetensors")
    ours = MultiHeadAttention.load(tmp_path / "half.safetensors", num_heads=H)
    assert ours.w_q.dtype == np.float32
    for name, array in ours.to_torch().items():
        np.testing.assert_array_equal(array, halves[name].float().numpy())


def test_only_the_chosen_layer_is_read_from_a_large_file(tmp_path: Path) -> None:
    """Eight gigabytes of nothing stand before it: whoever read all would need as much memory."""
    small, large, before = tmp_path / "small.safetensors", tmp_path / "large.safetensors", 2**33
    layer().save(small)
    data = small.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    for entry in header.values():
        entry["data_offsets"] = [at + before for at in entry["data_offsets"]]
    packed = json.dumps(header).encode()
    with large.open("wb") as file:
        file.write(len(packed).to_bytes(8, "little") + packed)
        file.seek(before, 1)
        file.write(data[begin:])
    tracemalloc.start()
    assert_same(MultiHeadAttention.load(large), layer())
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def broken(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@each_end
def test_a_file_cut_off_anywhere_is_refused(end: str, tmp_path: Path) -> None:
    layer().save(tmp_path / f"layer{end}")
    data = (tmp_path / f"layer{end}").read_bytes()
    for length in (0, 1, 5, 9, 40, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match=r": expected .*; found"):
            MultiHeadAttention.load(broken(tmp_path, f"cut{end}", data[:length]))


@each_end
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"w_k": np.full((3, 12, 5), np.nan)}, r"w_k\[0, 0, 0\]: expected a finite number; found nan"),
        ({"b_o": np.r_[np.zeros(11), np.inf]}, r"b_o\[11\]: expected a finite number; found inf"),
        ({"w_o": np.ones((3, 12, 7))}, r"w_o must have shape .* = \(3, 7, 12\); got \(3, 12, 7\)"),
        ({"w_v": None}, r"w_v: expected an array of shape \(H, d_model, d_v\); found nothing"),
        ({"w_q": np.ones((3, 12, 5), np.uint32)}, r"w_q.*: expected one of the types F64, .*; found .*32"),
    ],
)
def test_a_wrong_array_is_told_by_its_name(
    changed: dict[str, Any], message: str, end: str, tmp_path: Path
) -> None:
    arrays = {name: array for name, array in (layer().parameters() | changed).items() if array is not None}
    write_by_library(tmp_path / f"wrong{end}", arrays)
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.load(tmp_path / f"wrong{end}")


@each_end
def test_unknown_names_are_listed(end: str, tmp_path: Path) -> None:
    write_by_library(tmp_path / f"a{end}", {"wte": np.ones(2), "wpe": np.ones(3)})
    with pytest.raises(
        ValueError,
        match=r"The file: expected names of attnviz \(w_q, …\), PyTorch \(in_proj_weight, …\), .*; found w[tp]e, w[tp]e",
    ):
        MultiHeadAttention.load(tmp_path / f"a{end}")


@each_end
def test_whole_numbers_are_a_matrix_by_our_names_and_a_quantised_one_by_others(
    end: str, tmp_path: Path
) -> None:
    whole = {name: (array * 9).round().astype(np.int8) for name, array in layer().parameters().items()}
    write_by_library(tmp_path / f"own{end}", whole)
    assert_same(
        MultiHeadAttention.load(tmp_path / f"own{end}"),
        MultiHeadAttention(**{name: array.astype(np.float64) for name, array in whole.items()}),
    )
    state = {name: array.astype(np.int8) for name, array in square().to_torch().items()}
    write_by_library(tmp_path / f"torch{end}", state)
    with pytest.raises(
        ValueError, match=r"_proj.*: expected floating-point numbers; a quantised matrix .*; found int8"
    ):
        MultiHeadAttention.load(tmp_path / f"torch{end}", num_heads=H)


def test_heads_that_the_file_does_not_tell_have_to_be_said(tmp_path: Path) -> None:
    write_by_library(tmp_path / "torch.npz", square().to_torch())
    with pytest.raises(
        ValueError, match="num_heads: expected a whole number of heads from 1 on; found nothing"
    ):
        MultiHeadAttention.load(tmp_path / "torch.npz")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"\x89HDF\r\n\x1a\n" + bytes(99),
            r"HDF5 is opened by Keras, whose layer\.get_weights\(\) .*; found HDF5",
        ),
        (pickle.dumps({"w_q": 1}), r"expected \.npz or \.safetensors; found 80 04"),
        (b"", r"expected \.npz or \.safetensors; found nothing"),
    ],
)
def test_other_kinds_of_files_are_refused_with_a_way_out(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.load(broken(tmp_path, "other", data))


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("archive/data.pkl", "a pickle is never loaded: torch.load opens it"),
        ("model.weights.h5", "HDF5 is opened by Keras"),
    ],
)
def test_zips_of_torch_and_keras_are_told_from_those_of_numpy(
    member: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, b"")
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.load(path)


def test_torch_writes_such_a_zip(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"in_proj_weight": torch.ones(3)}, tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"a pickle is never loaded: torch\.load opens it, from_torch takes"):
        MultiHeadAttention.load(tmp_path / "model.pt", num_heads=H)


def test_a_layer_is_saved_only_as_what_can_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path: expected \.npz or \.safetensors; found '.*layer\.pt'"):
        layer().save(tmp_path / "layer.pt")
    with pytest.raises(ValueError, match="w_q: expected one of the types F64, F32, F16; found "):
        layer().astype(np.longdouble).save(tmp_path / "layer.npz")
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(FileNotFoundError):
        MultiHeadAttention.load(tmp_path / "nothing.npz")
