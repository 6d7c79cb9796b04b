"""Word arithmetic as typed: what is read, what is added, what is found."""

import itertools

import numpy as np
import pytest

from attnviz.core.pretrained import analogy, combine, excerpt
from attnviz.lab.words.sums import MOST_TERMS, MOST_WORDS, add_up, arrows, read_sum, read_words, suggestions


def signed(text: str) -> list[tuple[int, str]]:
    return [(term.sign, term.text) for term in read_sum(text)]


@pytest.mark.parametrize(
    "text",
    [
        "king - man + woman",
        "king-man+woman",
        "  king −man＋ woman  ",
        "+king – man + woman",
        "king - man + + woman -",
    ],
)
def test_a_sum_is_read_however_its_signs_are_written(text: str) -> None:
    assert signed(text) == [(1, "king"), (-1, "man"), (1, "woman")]


@pytest.mark.parametrize("text", ["", "   ", "+", "- + -"])
def test_a_text_without_a_word_has_no_terms(text: str) -> None:
    assert read_sum(text) == ()
    assert add_up(read_sum(text)).vector is None


def test_the_long_vowel_of_katakana_is_no_minus_sign() -> None:
    assert signed("コーヒー - テーブル") == [(1, "コーヒー"), (-1, "テーブル")]


@pytest.mark.parametrize("text", ["king - man + woman", "王 − 男 + 女"])
def test_king_minus_man_plus_woman_is_nearest_to_queen(text: str) -> None:
    total = add_up(read_sum(text))
    assert list(total.found) == analogy(["king", "woman"], ["man"])
    assert total.found[0][0] == "queen" and total.unknown == ()


def test_with_no_word_left_out_king_itself_is_nearest() -> None:
    first = add_up(read_sum("king - man + woman")).first
    assert first is not None and first[0] == "king"


def test_unknown_words_are_named_and_the_others_still_add_up() -> None:
    total = add_up(read_sum("king - zzqx + woman"))
    assert total.unknown == ("zzqx",)
    assert total.vector == pytest.approx(combine(["king", "woman"]))
    assert add_up(read_sum("zzqx + qqzy")).vector is None


def test_a_sum_that_is_nothing_has_no_direction() -> None:
    for text in ("king - king", "king - man + man - king"):
        assert add_up(read_sum(text)).vector is None
        assert arrows(add_up(read_sum(text))) == ()


def test_a_very_long_sum_is_cut_at_a_stated_number_of_terms() -> None:
    assert len(read_sum(" + ".join(["cat"] * 50))) == MOST_TERMS


def test_fewer_columns_are_the_first_ones() -> None:
    total = add_up(read_sum("paris - france + japan"), columns=32)
    assert total.vector == pytest.approx(combine(["paris", "japan"], ["france"])[:32])
    assert list(total.found) == analogy(["paris", "japan"], ["france"], columns=32)


@pytest.mark.parametrize(
    "text",
    [
        "king - man + woman",
        "cat + dog",
        "cat",
        "cat - dog",
        "- cat",
        "cat - dog - pen",
        "king + cat - dog + pen - paper + paris",
    ],
)
def test_the_arrows_lead_to_the_sum(text: str) -> None:
    total = add_up(read_sum(text))
    way = [arrow for arrow in arrows(total) if not arrow.given]
    if len(total.terms) == 1 and total.terms[0].sign > 0:
        assert way == []
        return
    for before, after in itertools.pairwise(way):
        assert (before.end == after.start).all()
    assert way[-1].end == pytest.approx(total.vector)


def test_the_arrow_of_an_analogy_is_the_difference_of_the_given_pair() -> None:
    given, laid = arrows(add_up(read_sum("king - man + woman")))
    king, man, woman = (combine([word]) for word in ("king", "man", "woman"))
    assert (given.start == man).all() and (given.end == king).all() and given.given
    assert (laid.start == woman).all()
    assert laid.end - laid.start == pytest.approx(king - man)


def test_a_list_of_words_is_read_with_blanks_or_commas_each_word_once() -> None:
    assert read_words("cat, dog  cat\tpen、猫・犬") == ("cat", "dog", "pen", "猫", "犬")
    assert read_words(" ,, ") == ()
    assert len(read_words(" ".join(map(str, range(99))))) == MOST_WORDS


def test_a_misspelt_word_gets_suggestions_that_exist() -> None:
    found = suggestions("Qeen")
    assert found[0] == "queen" and set(found) <= set(excerpt().words)
    assert suggestions("zzzzqqqq") == ()


def test_nothing_typed_is_ever_an_error() -> None:
    rng = np.random.default_rng(0)
    alphabet = list("king+-−– 猫\n\t<b>&$*\u200b\ud800")
    for _ in range(60):
        text = "".join(rng.choice(alphabet, 9))
        total = add_up(read_sum(text))
        assert len(arrows(total)) <= 2 * MOST_TERMS
        read_words(text)
