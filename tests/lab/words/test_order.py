"""Swapping two words: without positions attention only moves rows."""

import numpy as np
import pytest

from attnviz.lab.words.order import sees_order, swap
from attnviz.lesson.lesson import Lesson, make_lesson
from attnviz.lesson.settings import Settings

SENTENCE = "the cat sat on a mat ."


def lesson(**values: object) -> Lesson:
    made = make_lesson(Settings(sentence=SENTENCE, d_model=7, num_heads=3, d_k=5, d_v=2, **values))  # type: ignore[arg-type]
    assert made is not None
    return made


def by_typing(sentence: str, **values: object) -> np.ndarray:
    """The outputs of a sentence that was really typed in this order."""
    made = make_lesson(Settings(sentence=sentence, d_model=7, num_heads=3, d_k=5, d_v=2, **values))  # type: ignore[arg-type]
    assert made is not None
    return made.trace.output


@pytest.mark.parametrize("position", ["none", "sinusoidal"])
def test_the_swapped_outputs_are_those_of_the_sentence_typed_in_that_order(position: str) -> None:
    found = swap(lesson(), 1, 5, position)
    typed = by_typing("the mat sat on a cat .", position=position)
    assert found.order == (0, 5, 2, 3, 4, 1, 6)
    assert found.after == pytest.approx(typed[[0, 5, 2, 3, 4, 1, 6]], abs=1e-12)
    assert found.before == pytest.approx(by_typing(SENTENCE, position=position), abs=1e-12)


@pytest.mark.parametrize("source", ["", "a pen"])
def test_without_positions_each_word_takes_its_output_along(source: str) -> None:
    assert swap(lesson(source=source), 1, 5, "none").changed == ()


def test_with_positions_every_output_changes_in_self_attention() -> None:
    assert swap(lesson(), 1, 5, "sinusoidal").changed == tuple(range(7))


def test_with_a_second_sentence_only_the_swapped_queries_change() -> None:
    """Keys and values stay where they are, so a query that does not move sees nothing new."""
    assert swap(lesson(source="a pen"), 1, 5, "sinusoidal").changed == (1, 5)


@pytest.mark.parametrize(
    ("values", "name"),
    [({"mask": "causal"}, "mask"), ({"rotary": True}, "rotary"), ({"bias_kind": "alibi"}, "bias_kind")],
)
def test_masks_and_relative_positions_see_the_order_too_and_are_named(
    values: dict[str, object], name: str
) -> None:
    made = lesson(**values)
    assert sees_order(made) == (name,)
    assert swap(made, 1, 5, "none").changed != ()


def test_a_plain_layer_sees_no_order() -> None:
    assert sees_order(lesson(position="sinusoidal")) == ()


def test_a_word_swapped_with_itself_changes_nothing() -> None:
    found = swap(lesson(), 2, 2, "sinusoidal")
    assert (found.change == 0).all() and found.changed == ()


@pytest.mark.parametrize(("one", "other"), [(-1, 2), (0, 7)])
def test_places_outside_the_sentence_are_refused(one: int, other: int) -> None:
    with pytest.raises(IndexError, match="one and other must be from 0 to 6"):
        swap(lesson(), one, other, "none")
