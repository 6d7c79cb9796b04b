"""The playground with numbers put in by hand: every station shows what an independent layer computes from them."""

import numpy as np
import pytest

from attnviz.core.embedding import embed
from attnviz.core.layer import AttentionTrace, MultiHeadAttention
from attnviz.lesson.edits import NO_EDITS, Edit, Edits, fingerprint, write_edits
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import DEFAULTS, STAGES
from attnviz.words import Words, languages
from tests.pages.app import checked, figures, heatmaps, html, link, notices, open_page, session, settings
from tests.pages.independent import ODD, SENTENCE, SIZES, SOURCE

PUT: dict[str, dict[tuple[int, ...], float]] = {
    "x": {(4, 6): 1.5}, "w_q": {(1, 0, 0): -2.0, (0, 6, 2): 0.1}, "w_k": {(2, 3, 1): 1e-3}, "w_v": {(1, 2, 4): 3.0},
    "w_o": {(1, 4, 6): -0.5, (2, 0, 0): 2.0},
}  # fmt: skip
OUTLINES = {"x": 1, "output": 2}  # edited cells in the pictures of these stations


def edits(keys: list[str]) -> Edits:
    """The numbers of PUT as edits of this lesson."""
    layer = MultiHeadAttention.random(seed=0, **SIZES)
    shapes = {name: array.shape for name, array in layer.parameters().items()} | {
        "x": (6, 7),
        "x_source": (len(keys), 7),
    }
    cells = PUT | ({"x_source": {(0, 0): -1.0}} if keys is SOURCE else {})
    tokens = {"x": fingerprint(SENTENCE), "x_source": fingerprint(keys)}
    return Edits(
        tuple(
            Edit(name, shapes[name], np.array([]), np.array([]), tokens.get(name, "")).changed(
                {int(np.ravel_multi_index(at, shapes[name])): value for at, value in found.items()}
            )
            for name, found in cells.items()
        )
    )


def independent(keys: list[str]) -> AttentionTrace:
    """The layer with the numbers put in, called by itself: no settings, no lesson, no page."""
    arrays = {name: a.copy() for name, a in MultiHeadAttention.random(seed=0, **SIZES).parameters().items()}
    x, x_source = embed(SENTENCE, 7, 0), embed(keys, 7, 0)
    for name, cells in PUT.items():
        for at, value in cells.items():
            (arrays | {"x": x})[name][at] = value
    if keys is SOURCE:
        x_source[0, 0] = -1.0
    return MultiHeadAttention(**arrays)(x, x_source if keys is SOURCE else None)


@pytest.mark.parametrize("keys", [SENTENCE, SOURCE], ids=["self", "cross"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("language", languages())
def test_every_station_shows_the_edited_numbers_and_outlines_them(
    language: str, notation: str, keys: list[str]
) -> None:
    trace = independent(keys)
    source = " ".join(keys) if keys is SOURCE else ""
    app = open_page(
        language=language, notation=notation, source=source, edits=write_edits(edits(keys)), **ODD
    )
    turned = (lambda a: a.T) if notation == "columns" else (lambda a: a)
    last = {
        "x": trace.x, "qkv": trace.query[1], "scores": trace.scores[1], "scaled": trace.scaled[1],
        "masked": trace.scaled[1], "weights": trace.weights[1], "heads": trace.head_outputs[1],
        "concat": trace.concat, "output": trace.output,
    }  # fmt: skip
    for stage in STAGES:
        app.query_params["stage"] = stage
        checked(app.run())
        drawn = figures(app)[f"main_{stage}"]
        shapes = [matrix for matrix in heatmaps(drawn) if matrix.shape == turned(last[stage]).shape]
        np.testing.assert_allclose(
            min(np.abs(matrix - turned(last[stage])).max() for matrix in shapes), 0, atol=1e-6, err_msg=stage
        )
        dotted = [shape for shape in drawn["layout"].get("shapes", []) if shape["line"].get("dash") == "dot"]
        assert len(dotted) == OUTLINES.get(stage, 0) + (stage == "x" and keys is SOURCE)
    assert Words(language)("edit.partly_random") in html(app)


def test_edits_are_part_of_the_link_and_reset_takes_them_out() -> None:
    text = write_edits(edits(SENTENCE))
    app = open_page(edits=text, **ODD)
    assert link(app)["edits"] == text
    checked(next(b for b in app.button if b.label == "Reset").click().run())
    assert settings(app).edits == ""
    assert "edits" not in link(app)


def test_another_page_shows_the_edited_lesson_and_says_so() -> None:
    app = open_page("heads", edits=write_edits(edits(SENTENCE)), **ODD)
    assert Words("en")("edit.count", n=7) in html(app)


@pytest.mark.parametrize(
    "text", ["nonsense", "w_q~2x8x4~0~nan", "w_q~2x8x4~64~1", "kept~0123", "~~~~", "x~5x8~zz~0~1"]
)
@pytest.mark.parametrize("language", languages())
def test_edits_that_cannot_be_read_are_said_and_change_nothing(text: str, language: str) -> None:
    plain, broken = open_page(language=language), open_page(language=language, edits=text)
    for one, other in zip(
        heatmaps(figures(plain)["main_weights"]), heatmaps(figures(broken)["main_weights"]), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    missing, name = Words(language)("edit.missing"), Words(language)("common.names.edits")
    assert (missing if text.startswith("kept~") else name) in notices(broken)
    assert notices(plain) == ""


def test_a_lesson_of_one_session_is_not_shown_to_another_whose_edits_are_missing() -> None:
    # Both links name the same edits; only the first session has them.
    large = Edits(
        (Edit.whole("w_q", np.full((2, 8, 4), 1 / 3)), Edit.whole("w_k", np.full((2, 8, 4), 1 / 7)))
    )
    ours = open_page()
    session(ours).edits = {large.digest: large}
    ours.query_params["edits"] = f"kept~{large.digest}"
    checked(ours.run())
    theirs = open_page(edits=f"kept~{large.digest}")
    for app, put in ((ours, large), (theirs, NO_EDITS)):
        lesson = make_lesson(DEFAULTS, put)
        assert lesson is not None
        np.testing.assert_array_equal(
            heatmaps(figures(app)["main_weights"])[0], lesson.trace.weights[0].astype(np.float32)
        )
