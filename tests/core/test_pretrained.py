"""The excerpt of GloVe: what is in it, what its numbers mean, and the arithmetic of words."""

import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import embed, pretrained
from attnviz.core.streams import token_vector


def cosine(first: str, second: str, columns: int = 50) -> float:
    (a, b), _ = pretrained.word_vectors([first, second], columns, seed=0)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("columns", [50, 32, 16])
def test_king_minus_man_plus_woman_gives_queen(columns: int) -> None:
    assert pretrained.analogy(["king", "woman"], ["man"], columns=columns)[0][0] == "queen"


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        (["paris", "japan"], ["france"], "tokyo"),
        (["berlin", "italy"], ["germany"], "rome"),
        (["actor", "woman"], ["man"], "actress"),
        (["cairo", "sweden"], ["egypt"], "stockholm"),
        (["japanese", "france"], ["japan"], "french"),
        (["better", "fast"], ["good"], "faster"),
        (["went", "eat"], ["go"], "ate"),
        (["cats", "dog"], ["cat"], "dogs"),
    ],
)
def test_capitals_and_word_forms_follow_the_same_directions(
    positive: list[str], negative: list[str], expected: str
) -> None:
    assert pretrained.analogy(positive, negative)[0][0] == expected


def test_japanese_words_do_the_same_arithmetic() -> None:
    assert pretrained.analogy(["王", "女"], ["男"]) == pretrained.analogy(["king", "woman"], ["man"])


@pytest.mark.parametrize("columns", [50, 32, 16, 8])
def test_a_cat_is_more_like_a_dog_than_like_paris(columns: int) -> None:
    assert cosine("cat", "dog", columns) > cosine("cat", "paris", columns)


def test_the_columns_stand_in_the_order_of_their_variance() -> None:
    deviation = pretrained.excerpt().vectors.std(axis=0)
    assert (np.diff(deviation) <= 0.0).all()


def test_the_coordinates_have_mean_0_and_mean_square_1_and_no_correlation() -> None:
    """Up to the rounding to int8: half a step of 1/127 of the largest entry of a column."""
    vectors = pretrained.excerpt().vectors
    step = np.abs(vectors).max(axis=0) / 127
    assert (np.abs(vectors.mean(axis=0)) <= step / 2).all()
    assert np.mean(vectors**2) == pytest.approx(1.0, abs=np.mean(step * np.abs(vectors)))
    deviation = vectors.std(axis=0)
    correlation = vectors.T @ vectors / len(vectors) / np.outer(deviation, deviation)
    assert np.abs(correlation - np.eye(50)).max() < np.max(step / deviation)


def test_the_file_is_small_and_has_nothing_that_runs_when_it_is_read() -> None:
    path = files("attnviz") / "data" / "word_vectors.npz"
    with path.open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        assert {name: stored[name].dtype.kind for name in stored.files} == {
            "words": "u",
            "codes": "i",
            "scales": "f",
            "factor": "f",
        }
    assert len(path.read_bytes()) < 300_000


def test_the_account_beside_the_file_tells_its_numbers() -> None:
    account = (files("attnviz") / "data" / "README.md").read_text("utf-8")
    vectors = pretrained.excerpt().vectors
    spread = ", ".join(f"{vectors[:, column - 1].std():.2f}" for column in (1, 8, 16, 32, 50))
    for number in (f"{len(vectors):,} English words", f"**{pretrained.excerpt().factor:.4f}**", spread):
        assert number in account


def test_there_are_about_five_thousand_different_lower_case_words() -> None:
    words = pretrained.excerpt().words
    assert 4_500 < len(words) == len(set(words)) < 5_500
    assert all(word == word.lower().strip() != "" for word in words)
    assert {
        "king",
        "queen",
        "man",
        "woman",
        "pen",
        "paper",
        "cat",
        "dog",
        "mat",
        "i",
        "have",
        "a",
        ".",
    } <= set(words)


def test_the_excerpt_is_read_once_and_cannot_be_changed() -> None:
    assert pretrained.excerpt() is pretrained.excerpt()
    with pytest.raises(ValueError, match="read-only"):
        pretrained.excerpt().vectors[0, 0] = 1.0
    array, _ = pretrained.word_vectors(["cat"], 8, seed=0)
    array[:] = 0.0
    assert pretrained.word_vectors(["cat"], 8, seed=0)[0].any()


def test_case_and_full_width_letters_make_no_difference() -> None:
    array, known = pretrained.word_vectors(["cat", "Cat", "CAT", "ＣＡＴ"], 7, seed=3)
    assert known == (True,) * 4
    assert (array == array[0]).all()


@pytest.mark.parametrize(
    ("japanese", "english"),
    [
        ("猫", "cat"),
        ("犬", "dog"),
        ("私", "i"),
        ("ペン", "pen"),
        ("持つ", "have"),
        ("持っ", "have"),
        ("。", "."),
    ],
)
def test_a_japanese_word_has_the_vector_of_the_english_one(japanese: str, english: str) -> None:
    assert pretrained.english_of(japanese) == pretrained.excerpt_word(japanese) == english
    array, known = pretrained.word_vectors([japanese, english], 50, seed=0)
    assert known == (True, True)
    assert (array[0] == array[1]).all()


def test_every_english_word_of_the_table_is_in_the_excerpt() -> None:
    for table in pretrained.word_tables().values():
        assert set(table.values()) <= set(pretrained.excerpt().words)
    assert len(set(pretrained.word_tables()["ja"].values())) >= 150


def test_no_japanese_word_stands_in_the_table_twice() -> None:
    lines = (files("attnviz") / "words" / "ja" / "english.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    forms = [form for _, forms in rows for form in forms.split()]
    assert sorted(forms) == sorted(pretrained.word_tables()["ja"])
    assert len({english for english, _ in rows}) == len(rows)


def test_an_english_token_is_no_japanese_one_and_the_other_way_round() -> None:
    assert pretrained.english_of("cat") is None
    assert pretrained.english_of("は") is None
    assert pretrained.excerpt_word("zzqx") is None


def test_unknown_words_and_columns_beyond_fifty_are_the_seeded_ones() -> None:
    array, known = pretrained.word_vectors(["cat", "zzqx", "は"], 64, seed=5)
    assert known == (True, False, False)
    assert (array[0, 50:] == token_vector("cat", 5, 64)[50:]).all()
    assert (array[1] == token_vector("zzqx", 5, 64)).all()
    assert (array[2] == token_vector("は", 5, 64)).all()


@given(st.integers(1, 80), st.integers(0, 30), st.integers(0, 9))
def test_a_larger_d_model_only_appends_columns(d_model: int, more: int, seed: int) -> None:
    tokens = ["The", "zzqx", "猫", "mat"]
    small, known = pretrained.word_vectors(tokens, d_model, seed)
    large, known_too = pretrained.word_vectors(tokens, d_model + more, seed)
    assert (small == large[:, :d_model]).all() and known == known_too


def test_the_seed_changes_nothing_that_is_real() -> None:
    first, _ = pretrained.word_vectors(["cat", "zzqx"], 60, seed=1)
    second, _ = pretrained.word_vectors(["cat", "zzqx"], 60, seed=2)
    assert (first[0, :50] == second[0, :50]).all()
    assert (first[0, 50:] != second[0, 50:]).all() and (first[1] != second[1]).all()


def test_no_tokens_give_no_rows() -> None:
    array, known = pretrained.word_vectors([], 6, seed=0)
    assert array.shape == (0, 6) and known == ()


@pytest.mark.parametrize("columns", [50, 9])
def test_the_nearest_words_are_those_that_a_loop_over_all_words_finds(columns: int) -> None:
    vector = pretrained.combine(["pen"], columns=columns)
    cosines = {}
    for word, row in zip(pretrained.excerpt().words, pretrained.excerpt().vectors[:, :columns], strict=True):
        cosines[word] = sum(a * b for a, b in zip(vector, row, strict=True)) / np.sqrt(
            sum(a * a for a in vector) * sum(b * b for b in row)
        )
    expected = sorted(cosines, key=lambda word: -cosines[word])[:7]
    found = pretrained.nearest(vector, top=7)
    assert [word for word, _ in found] == expected and expected[0] == "pen"
    assert [value for _, value in found] == pytest.approx([cosines[word] for word in expected], abs=1e-12)


def test_excluded_words_are_left_out_whatever_their_case_or_language() -> None:
    vector = pretrained.combine(["cat"])
    best = [word for word, _ in pretrained.nearest(vector, exclude=["CAT", "犬"], top=8)]
    assert len(best) == 8 and not {"cat", "dog"} & set(best)


def test_a_longer_vector_in_the_same_direction_has_the_same_neighbours() -> None:
    vector = pretrained.combine(["pen"])
    assert pretrained.nearest(4 * vector) == pretrained.nearest(vector)


@pytest.mark.parametrize("shape", [(0,), (51,), (2, 5)])
def test_a_vector_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"vector must have shape \(d,\)"):
        pretrained.nearest(np.ones(shape))


def test_a_vector_without_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="vector must not be zero"):
        pretrained.analogy(["king"], ["king"])
    with pytest.raises(ValueError, match="vector must be finite"):
        pretrained.nearest(np.array([1.0, np.nan]))


def test_words_that_are_not_there_are_named() -> None:
    with pytest.raises(ValueError, match=r"words must be in the excerpt; got 'zzqx', 'qqzy'"):
        pretrained.analogy(["king", "zzqx"], ["qqzy"])
    with pytest.raises(ValueError, match="columns must be from 1 to 50; got 51"):
        pretrained.analogy(["king"], columns=51)


def test_the_embedding_pretrained_is_made_of_these_vectors() -> None:
    tokens = ["The", "zzqx", "猫", "zzqx"]
    assert (embed(tokens, 60, 3, "pretrained") == pretrained.word_vectors(tokens, 60, seed=3)[0]).all()


def test_importing_the_core_does_not_read_the_file() -> None:
    code = "from attnviz.core import pretrained; print(pretrained.excerpt.cache_info().currsize)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "0"
