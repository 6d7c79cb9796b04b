"""The page about notations: every case draws, and the numbers it prints are those of an independent walk."""

import re

import numpy as np
import pytest

from attnviz.lab.heads.parameters import MODELS
from attnviz.lab.notations.torch_walk import WALK_STEPS
from attnviz.words import languages
from tests.pages.app import checked, figures, heatmaps, html, open_more, open_page, settings

HOSTILE = "<img src=x onerror=alert(1)> $x$ **a** :smile:"
CASES = [
    {},
    {"source": "the black cat"},
    {"sentence": "one"},
    {"sentence": "one", "d_model": 1, "num_heads": 16, "d_k": 1, "d_v": 1},
    {"d_model": 7, "num_heads": 3, "d_k": 3, "d_v": 5, "mask": "causal", "bias": 1, "notation": "columns"},
    {"preset": "folded", "scale": "none", "residual": 1, "notation": "columns"},
    {"preset": "three_linear", "num_heads": 1, "d_k": 8, "bias": 1},
    {"score": "additive", "normalizer": "sigmoid", "rotary": 1, "softcap": 2, "bias_kind": "alibi"},
    {"mask": "padding", "padding": 64, "source": HOSTILE, "sentence": HOSTILE},
    {"sentence": "w " * 600, "num_heads": 16, "d_model": 64, "d_k": 4},
]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn_in_every_language(language: str, case: dict[str, object]) -> None:
    app = open_page("conventions", language=language, reveal=1, **case)
    shown = figures(app)
    assert set(shown) == {
        "notation_rows", "notation_columns", "tensor", "readings", "short_map", "parameters",
    }  # fmt: skip
    assert all(figure["alt"] for figure in shown.values())
    assert "<img" not in html(app)
    assert not re.search(r"\b(nan|inf)\b", html(app))  # no number is missing


@pytest.mark.parametrize("step", [*WALK_STEPS, "equal"])
@pytest.mark.parametrize("source", ["", "the black cat"])
def test_every_step_of_pytorch_is_drawn_with_its_numbers(step: str, source: str) -> None:
    app = open_page("conventions", reveal=1, torch_step=step, source=source, mask="causal", bias=1)
    maps = heatmaps(figures(app)["tensor"])
    assert maps and all(m.size for m in maps)


def test_the_walk_ends_equal_to_ours_and_says_so() -> None:
    app = open_page("conventions", reveal=1, torch_step="equal", scale="none", temperature=3, residual=1)
    theirs, ours = heatmaps(figures(app)["tensor"])
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-6)
    line = re.search(r"equal to ours \(<code>output</code>\), largest difference <b>([^<]*)</b>", html(app))
    assert line and (line[1] == "0" or line[1].endswith(("⁻¹⁵", "⁻¹⁶", "⁻¹⁷")))


def test_all_notations_differ_by_rounding_only() -> None:
    app = open_page("conventions", reveal=1, d_model=7, num_heads=3, d_k=2, d_v=5, mask="causal", bias=1)
    (table,) = [m.value for m in app.markdown if m.value.startswith("| notation")]
    differences = [row.split("|")[-2].strip() for row in table.splitlines()[2:]]
    assert len(differences) == 6
    assert all(text == "0" or text.endswith(("⁻¹⁵", "⁻¹⁶", "⁻¹⁷")) for text in differences)
    assert "d_model = 6, H = 3, d_k = d_v = 2" in html(app)


def test_the_parameters_are_counted_and_the_published_figures_stand_beside_them() -> None:
    app = open_page("conventions", reveal=1, d_model=512, num_heads=8, d_k=64, d_v=64, bias=1)
    assert "= 1,050,624" in html(app)
    texts = [text for trace in figures(app)["parameters"]["data"] for text in trace.get("text", [])]
    for name in ("bert_base", "gpt2_small", "gpt3"):
        assert any(f"{MODELS[name].count().total:,}" in text for text in texts)
    assert any("175B published (Brown et al. 2020" in text for text in texts)


def test_the_buttons_and_the_box_under_more_put_whole_layers_in() -> None:
    app = open_page("conventions", reveal=1, softcap=3, seed=5)
    app = checked(app.button(key="put_three_linear").click().run())
    found = settings(app)
    assert (found.num_heads, found.d_k, found.d_v, found.d_model, found.bias) == (1, 64, 64, 64, True)
    assert (found.embedding, found.preset, found.softcap, found.seed) == ("uniform", "three_linear", 0, 5)
    app = checked(app.button(key="put_mathematics").click().run())
    assert (settings(app).preset, settings(app).scale, settings(app).residual) == ("folded", "none", True)
    app = checked(open_more(app).selectbox(key="setup").select("paper").run())
    assert (settings(app).preset, settings(app).scale, settings(app).residual) == (
        "random",
        "sqrt_d_k",
        False,
    )
    assert app.selectbox(key="setup").value is None


def test_without_a_sentence_the_page_asks_for_one() -> None:
    app = open_page("conventions", sentence=" ", reveal=1)
    assert not figures(app) and "Type a sentence" in html(app)


def test_nothing_is_given_away_before_a_guess() -> None:
    app = open_page("conventions")
    assert not figures(app)
    assert "equal to ours" not in html(app)
