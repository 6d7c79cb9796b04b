"""Case 46: a weight that the mask hides is hatched and says so on hover; no picture draws it as 0."""

from typing import Any

import numpy as np
import pytest

from attnviz.figures.palette import LIGHT
from attnviz.words import Words
from tests.pages.app import checked, figures, open_page
from tests.pages.test_every_page import each_language

SCREENS = {
    "weights": ("playground", {"stage": "weights"}), "heads": ("playground", {"stage": "heads"}),
    "overview": ("playground", {"stage": "overview"}), "A and B": ("playground", {"pinned": "mask=causal&seed=1"}),
    "A": ("playground", {"pinned": "mask=causal", "mask": "none"}), "masks": ("masks", {}), "ablation": ("heads", {}),
    "score functions": ("scores", {}), "notations": ("conventions", {}),
    "PyTorch": ("conventions", {"torch_step": "weights"}),
}  # fmt: skip
each_screen = pytest.mark.parametrize("screen", SCREENS)
WEIGHTS = [list(stop) for stop in LIGHT.weights]


def weight_maps(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """The heat maps on the scale of weights."""
    return [
        trace for trace in figure["data"] if trace["type"] == "heatmap" and trace.get("colorscale") == WEIGHTS
    ]


@each_screen
@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_case_46_no_picture_draws_a_hidden_weight_as_a_number(screen: str, notation: str) -> None:
    page, link = SCREENS[screen]
    app = open_page(page, **{"mask": "causal", "notation": notation, "reveal": 1, "mean": 1} | link)
    drawn = [trace for figure in figures(app).values() for trace in weight_maps(figure)]
    assert any(np.isnan(trace["z"]).any() for trace in drawn)
    for trace in drawn:
        assert not (trace["z"] == 0).any()  # softmax gives no key exactly 0


@each_language
@pytest.mark.parametrize(
    ("key", "link"),
    [("mean_map", {"mask": "causal"}), ("compare_weights", {"pinned": "mask=causal"})],
)
def test_case_46_hidden_cells_are_hatched_and_say_so(key: str, link: dict[str, str], language: str) -> None:
    app = open_page(language=language, **link)
    app.session_state["mean"] = True
    checked(app.run())
    figure = figures(app)[key]
    strokes = [
        trace for trace in figure["data"] if (trace.get("marker") or {}).get("symbol") == "line-ne-open"
    ]
    assert [len(trace["x"]) for trace in strokes] == [10]  # of 5 tokens, those above the diagonal
    said = [str(trace.get("hovertemplate")) for trace in figure["data"]]
    assert any(Words(language)("playground.masked_cell") in text for text in said)
