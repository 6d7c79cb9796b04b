"""What of x is real and what was drawn: outlined in the picture, told in words."""

import numpy as np
import pytest

from attnviz.core.pretrained import excerpt
from attnviz.core.streams import token_vector
from attnviz.ui.kit.pictures.real_vectors import origin, seeded_marks
from attnviz.ui.kit.pictures.stations import picture
from attnviz.words import Words, languages
from tests.ui.scenes import scene

SENTENCE = "the zzqx qqzy cat vvkk"
UNKNOWN = [1, 2, 4]


def marked(d_model: int) -> tuple[np.ndarray, np.ndarray]:
    """Which entries of x are outlined as drawn, and which were drawn."""
    made = scene(sentence=SENTENCE, embedding="pretrained", d_model=d_model, d_v=2)
    outlined = np.zeros((5, d_model), bool)
    for mark in seeded_marks(made.lesson, made.lesson.tokens.tokens):
        rows, columns = mark.rows, mark.columns
        outlined[rows[0] : rows[1] + 1, columns[0] : columns[1] + 1] = True
    tokens = SENTENCE.split()
    drawn = np.array([token_vector(token, made.lesson.settings.seed, d_model) for token in tokens])
    return outlined, made.lesson.trace.x == drawn


@pytest.mark.parametrize("d_model", [7, 50, 64])
def test_exactly_the_drawn_numbers_are_outlined(d_model: int) -> None:
    outlined, drawn = marked(d_model)
    assert (outlined == drawn).all()
    assert outlined[UNKNOWN].all()
    assert outlined[[0, 3], 50:].all() and not outlined[[0, 3], :50].any()


def test_known_tokens_have_the_vectors_of_the_excerpt() -> None:
    x = scene(sentence="The cat", embedding="pretrained").lesson.trace.x
    rows = [excerpt().row_of[word] for word in ("the", "cat")]
    assert (x == excerpt().vectors[rows, :7]).all()


@pytest.mark.parametrize("language", languages())
def test_the_unknown_the_translated_and_the_columns_beyond_fifty_are_told(language: str) -> None:
    made = scene(sentence="猫 zzqx 。", embedding="pretrained", d_model=60, d_v=2)
    lines = origin(made.lesson, Words(language), outlined=True)
    text = " ".join(lines)
    assert len(lines) == 5
    assert "zzqx" in text and "→ cat" in text and "50" in text
    assert "→ ." not in text  # a full stop is no translation


def test_nothing_is_told_of_vectors_that_are_all_drawn() -> None:
    made = scene(sentence=SENTENCE)
    assert origin(made.lesson, Words("en")) == ()
    assert seeded_marks(made.lesson, made.lesson.tokens.tokens) == ()


def test_what_is_all_real_needs_no_outline() -> None:
    made = scene(sentence="the cat sat", embedding="pretrained")
    assert seeded_marks(made.lesson, made.lesson.tokens.tokens) == ()
    assert len(origin(made.lesson, Words("en"), outlined=True)) == 1


def test_tokens_are_text() -> None:
    made = scene(sentence="<b>x</b> cat", embedding="pretrained")
    text = " ".join(origin(made.lesson, Words("en")))
    assert "<b>x" not in text and "&lt;" in text


@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("source", ["", "vvkk the"])
def test_the_picture_of_x_shows_the_outlines_in_both_notations(notation: str, source: str) -> None:
    made = scene(sentence=SENTENCE, source=source, embedding="pretrained", notation=notation, key=0)
    shapes = picture("x", made).main["layout"]["shapes"]
    grey = [s for s in shapes if s["type"] == "rect" and s["line"]["color"] == made.palette.muted]
    assert len(grey) == (3 if source else 2)  # zzqx qqzy | vvkk | and vvkk of the source
