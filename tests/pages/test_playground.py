"""The playground: every station shows the numbers of an independent layer."""

import csv
import io

import numpy as np
import pytest

from attnviz.core.layer import AttentionTrace
from attnviz.lesson.settings import STAGES
from attnviz.ui.playground.edit.grid import Editing
from attnviz.words import languages
from tests.pages.app import checked, figures, heatmaps, html, link, open_page, session, settings, weights
from tests.pages.independent import ODD, SENTENCE, SIZES, SOURCE, Matrix, independent


def on_screen(stage: str, trace: AttentionTrace, head: int, cross: bool) -> list[Matrix]:
    """The matrices of the large picture, in row notation."""
    w_o = trace.layer.w_o.reshape(-1, trace.layer.d_model)
    return {
        "x": [trace.x, trace.x_source] if cross else [trace.x],
        "qkv": [trace.query[head], trace.key[head], trace.value[head]],
        "scores": [trace.scores[head]],
        "scaled": [trace.scaled[head]],
        "masked": [trace.scaled[head]],
        "weights": [trace.weights[head]],
        "heads": [trace.weights[head], trace.value[head], trace.head_outputs[head]],
        "concat": [trace.concat],
        "output": [trace.concat, w_o, trace.output],
    }[stage]


PRODUCTS = ("heads", "output")  # A V = O in rows is O = V A in columns: the factors change places
SMALL = {"qkv": None, "scores": "scores", "scaled": "scaled", "masked": "scaled", "weights": "weights",
         "heads": "head_outputs", "concat": "head_outputs", "output": "contributions"}  # fmt: skip


@pytest.mark.parametrize("source", ["", " ".join(SOURCE)], ids=["self", "cross"])
@pytest.mark.parametrize("notation", ["rows", "columns"])
@pytest.mark.parametrize("language", languages())
def test_every_station_shows_the_numbers_of_an_independent_layer(
    language: str, notation: str, source: str
) -> None:
    trace = independent(SENTENCE, SOURCE if source else SENTENCE, **SIZES)
    app = open_page(language=language, notation=notation, source=source, **ODD)
    for stage in STAGES:
        app.query_params["stage"] = stage
        checked(app.run())
        shown = figures(app)
        assert shown.keys() == {f"main_{stage}"} | ({f"heads_{stage}"} if stage in SMALL else set())
        expected = on_screen(stage, trace, 1, bool(source))
        if notation == "columns":
            expected = [matrix.T for matrix in (expected[::-1] if stage in PRODUCTS else expected)]
        for drawn, matrix in zip(heatmaps(shown[f"main_{stage}"]), expected, strict=True):
            np.testing.assert_allclose(drawn, matrix, rtol=1e-6, atol=1e-7)
        if SMALL.get(stage):
            heads = getattr(trace, SMALL[stage] or "")
            for drawn, matrix in zip(heatmaps(shown[f"heads_{stage}"]), heads, strict=False):
                np.testing.assert_allclose(
                    drawn, matrix.T if notation == "columns" else matrix, rtol=1e-6, atol=1e-7
                )
        assert all(figure["alt"] for figure in shown.values())


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_the_table_of_a_station_can_be_copied_to_the_last_bit(notation: str) -> None:
    trace = independent(SENTENCE, SOURCE, **SIZES)
    app = open_page(source=" ".join(SOURCE), notation=notation, **ODD)
    firsts = {"x": trace.x, "qkv": trace.query[1], "scores": trace.scores[1], "scaled": trace.scaled[1],
              "masked": trace.scaled[1], "weights": trace.weights[1], "heads": trace.head_outputs[1],
              "concat": trace.concat, "output": trace.output}  # fmt: skip
    for stage, matrix in firsts.items():
        app.query_params["stage"] = stage
        app.session_state["table"] = True
        checked(app.run())
        _, *lines = csv.reader(io.StringIO(app.code[0].value))
        numbers = [[float(cell) for cell in line[1:]] for line in lines]
        np.testing.assert_array_equal(numbers, matrix.T if notation == "columns" else matrix)


@pytest.mark.parametrize("language", languages())
def test_the_overview_shows_every_station_of_the_head(language: str) -> None:
    trace = independent(SENTENCE, SOURCE, **SIZES)
    app = open_page(stage="overview", source=" ".join(SOURCE), language=language, **ODD)
    drawn = heatmaps(figures(app)["overview_map"])
    expected = [trace.x, trace.query[1], trace.key[1], trace.value[1], trace.scores[1], trace.scaled[1],
                trace.scaled[1], trace.weights[1], trace.head_outputs[1], trace.concat, trace.contributions[1],
                trace.output]  # fmt: skip
    for shown, matrix in zip(drawn, expected, strict=True):
        np.testing.assert_allclose(shown, matrix, rtol=1e-6, atol=1e-7)


def test_above_12_keys_a_switch_sets_the_scale_to_the_largest_weight_of_all_heads() -> None:
    tokens = [f"w{i}" for i in range(13)]
    largest = float(independent(tokens, tokens, **SIZES).weights.max())
    app = open_page(**(ODD | {"sentence": " ".join(tokens)}))
    for wanted in (1.0, largest):
        shown = [trace for name in ("main_weights", "heads_weights") for trace in figures(app)[name]["data"]]
        limits = [(trace["zmin"], trace["zmax"]) for trace in shown if trace["type"] == "heatmap"]
        assert limits == [(0, pytest.approx(wanted, rel=1e-12))] * len(limits)
        app.toggle(key="w_full_scale").set_value(False)
        checked(app.run())
    assert link(app)["full_scale"] == "0"
    assert not [toggle for toggle in open_page(**ODD).toggle if toggle.key == "w_full_scale"]


def test_the_page_is_filled_when_it_opens() -> None:
    app = open_page()
    assert app.text_input(key="w_sentence").value == "I have a pen."
    trace = independent(
        ["I", "have", "a", "pen", "."], ["I", "have", "a", "pen", "."], d_model=8, num_heads=2, d_k=4, d_v=4
    )
    np.testing.assert_allclose(weights(app), trace.weights[0], rtol=1e-6)
    assert link(app) == {}


def test_one_key_goes_on_and_back_along_the_path_and_stops_at_its_ends() -> None:
    app = open_page(stage="x")
    for stage in STAGES[1:]:
        checked(app.button(key="icon_on").click().run())
        assert settings(app).stage == stage
        assert app.button_group(key="path").value == stage
    assert app.button(key="icon_on").proto.disabled
    for stage in STAGES[-2::-1]:
        checked(app.button(key="icon_back").click().run())
        assert settings(app).stage == stage
    assert app.button(key="icon_back").proto.disabled


def test_the_grids_stay_open_from_station_to_station() -> None:
    app = open_page(stage="qkv")
    assert not app.dataframe and not session(app).of(Editing).open
    checked(app.button(key="edit").click().run())
    for _ in range(2):
        assert len(app.dataframe) == 1
        checked(app.button(key="icon_on").click().run())
    checked(app.button(key="edit").click().run())
    assert not app.dataframe


def test_the_line_on_untrained_weights_is_there_for_random_weights_only() -> None:
    line = "the preferences are not"
    assert line in html(open_page())
    assert line in html(open_page(stage="overview"))
    assert line not in html(open_page(preset="identity"))


def test_the_same_link_gives_the_same_numbers_in_another_session() -> None:
    first, second = (open_page(stage="output", mask="causal", preset="integers", **ODD) for _ in range(2))
    for one, other in zip(*(heatmaps(figures(app)["main_output"]) for app in (first, second)), strict=True):
        np.testing.assert_array_equal(one, other)
