"""Every page opens in every language, with one sentence or two, in any state that a link can carry."""

import gc
from importlib import import_module
from typing import Any

import plotly.graph_objects as go
import pytest

from attnviz.ui.kit.page import pages
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.words import Words, languages
from tests.pages.app import ROOT, checked, html, link, markdown, notices, open_page, settings

PAGES = tuple(path.stem for path in sorted((ROOT / "pages").glob("*.py")))
each_page = pytest.mark.parametrize("page", PAGES)
each_language = pytest.mark.parametrize("language", languages())
HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile: <b> {n} %{x} the the"
STATES: dict[str, dict[str, Any]] = {
    "self": {},
    "cross": {
        "source": "a dog sleeps here", "notation": "columns", "mask": "causal",
        "d_model": 7, "d_k": 3, "d_v": 5, "num_heads": 3,
    },
    "smallest": {"sentence": "one", "d_model": 1, "d_k": 1, "d_v": 1, "num_heads": 1},
    "empty": {"sentence": ""},
    "hostile": {"sentence": HOSTILE, "source": HOSTILE, "mask": "padding", "padding": 64},
    "long": {"sentence": "word " * 600, "d_model": 4, "num_heads": 1},
    "many heads": {"num_heads": 16, "preset": "integers", "score": "general", "bias": 1, "residual": 1, "rotary": 1},
}  # fmt: skip


def test_every_file_in_pages_is_a_page_of_the_app() -> None:
    assert set(pages.names()) == set(PAGES)
    assert len(pages.names()) == len(PAGES)


def test_the_pages_stand_in_reading_order_and_no_two_claim_one_place() -> None:
    assert pages.names()[:5] == ("playground", "embedding", "scores", "scaling", "heads")
    assert pages.names()[5:8] == ("masks", "conventions", "images")
    places = [import_module(f"attnviz.ui.lessons.{name}").PLACE for name in pages.names()[1:]]
    assert len(set(places)) == len(places)


@each_page
@each_language
@pytest.mark.parametrize("state", ["self", "cross"])
def test_a_page_opens_with_its_answers_shown(page: str, language: str, state: str) -> None:
    app = open_page(page, language=language, reveal=1, **STATES[state])
    title = Words(language)(f"{page}.menu")
    assert f"**{title}**" in [entry.proto.label for entry in app.get("page_link")]
    assert html(app)
    assert notices(app) == ""


@each_page
@pytest.mark.parametrize("state", [name for name in STATES if name not in ("self", "cross")])
def test_a_page_survives(page: str, state: str) -> None:
    app = open_page(page, reveal=1, **STATES[state])
    assert "<img" not in html(app)
    for text in markdown(app):
        assert not any(mark in text for mark in ("<img", "$x", "**a", ":smile:")), text


@each_page
@each_language
def test_everything_that_opens_on_a_page_opens(page: str, language: str) -> None:
    app = open_page(page, language=language, reveal=1, sentence=HOSTILE)
    for popover in app.get("popover"):
        app.session_state[popover.proto.id.rsplit("-", 1)[1]] = True
    checked(app.run())
    assert "<img" not in html(app)


@each_page
def test_a_page_with_a_hostile_link_says_what_it_could_not_take(page: str) -> None:
    app = open_page(page, num_heads=9999, d_k=-3, seed="abc", mask="<b>", reveal="maybe", step="0")
    assert (settings(app).num_heads, settings(app).d_k, settings(app).seed) == (16, 1, 0)
    said = notices(app)
    names = Words("en")
    for name in ("num_heads", "d_k", "seed", "mask", "reveal", "step"):
        assert names(f"common.names.{name}") in said
    assert "&lt;b&gt;" in said


@each_page
def test_a_page_shows_its_steps_one_by_one_to_a_class(page: str) -> None:
    app = open_page(page, present=1, reveal=1, language="ja")
    for step in ("2", "20"):
        app.query_params["step"] = step
        checked(app.run())


@each_page
def test_going_to_a_page_keeps_the_whole_state(page: str) -> None:
    app = open_page("playground", d_k=3, sentence="a b", mask="causal", language="ja")
    app.switch_page(f"pages/{page}.py")
    checked(app.run())
    assert link(app) == {"d_k": "3", "sentence": "a b", "mask": "causal", "language": "ja"}
    assert settings(app).sentence == "a b"


def kept() -> int:
    """The figures of Plotly, and the scenes that figures were drawn from, that something still holds."""
    gc.collect()
    return sum(isinstance(thing, go.Figure | Scene) for thing in gc.get_objects())


@each_page
def test_no_answer_keeps_what_the_answers_before_have_shown(page: str) -> None:
    app = open_page(page, reveal=1, ask="weights")
    for popover in app.get("popover"):
        app.session_state[popover.proto.id.rsplit("-", 1)[1]] = True
    counts = []
    for d_k in (3, 5, 6, 7, 9):
        checked(app.number_input(key="w_d_k").set_value(d_k).run())
        counts.append(kept())
    assert counts[-1] <= counts[1]
