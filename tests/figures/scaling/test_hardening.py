"""The maps that harden: every d_k has a frame with just its numbers, and the first picture is the chosen one."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.curve_axes import LARGE
from attnviz.figures.labels import number, token_labels
from attnviz.figures.palette import LIGHT, cell_inks
from attnviz.figures.scaling.hardening import Hardening, Names, hardening
from tests.figures.traces import heatmaps, markers, texts

D_K = (1, 4, 64, 512)
NAMES = Names("with", "without", ("head 1", "head 2", "head 3"), "Play", "Pause", "back", "largest", "weight")
HERE = 2


def weights(heads: int, n: int, m: int, seed: int) -> np.ndarray[Any, Any]:
    drawn = np.random.default_rng(seed).random((len(D_K), heads, n, m))
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def figure(
    heads: int = 3, n: int = 2, m: int = 4, here: int = HERE, **how: Any
) -> tuple[go.Figure, Hardening]:
    scaled, unscaled = weights(heads, n, m, 0), weights(heads, n, m, 1)
    one, other = (w.max(axis=-1).mean(axis=(1, 2)) for w in (scaled, unscaled))
    sweep = Hardening(D_K, scaled, unscaled, one, other, here)
    tokens = ["<b>", "$x$", "the", "the"]
    labels: dict[str, Any] = {
        "rows": token_labels(tokens[:n], "query", "looks"),
        "columns": token_labels(tokens[:m], "key", "seen"),
    }
    return hardening(sweep, **labels, names=NAMES, palette=LIGHT, **how), sweep


def test_the_picture_shows_the_chosen_d_k_heads_with_the_scale_first() -> None:
    shown, sweep = figure()
    maps = np.stack([np.asarray(trace.z) for trace in heatmaps(shown)])
    expected = np.concatenate([sweep.scaled[HERE], sweep.unscaled[HERE]])
    np.testing.assert_array_equal(maps, expected.astype(np.float32))
    assert all((trace.zmin, trace.zmax) == (0, 1) for trace in heatmaps(shown))


def test_every_d_k_has_a_frame_with_its_maps() -> None:
    shown, sweep = figure()
    assert [frame.name for frame in shown.frames] == ["1", "4", "64", "512"]
    for place, frame in enumerate(shown.frames):
        maps = np.stack([np.asarray(trace.z) for trace in frame.data if trace.type == "heatmap"])
        expected = np.concatenate([sweep.scaled[place], sweep.unscaled[place]])
        np.testing.assert_array_equal(maps, expected.astype(np.float32))


def test_the_chosen_frame_changes_nothing_in_the_first_picture() -> None:
    shown, _ = figure()
    frame = shown.frames[HERE]
    for place, change in zip(frame.traces, frame.data, strict=True):
        for name, value in change.to_plotly_json().items():
            if name != "type":
                first = shown.data[place][name]
                kept = first.to_plotly_json() if hasattr(first, "to_plotly_json") else first
                if isinstance(value, dict):
                    assert {key: list(kept[key]) for key in value} == {k: list(v) for k, v in value.items()}
                else:
                    np.testing.assert_array_equal(np.asarray(kept), np.asarray(value))


def test_the_numbers_in_the_cells_go_along_with_the_frames() -> None:
    shown, sweep = figure(heads=1)
    assert len(texts(shown)) == 2 + 1 + 2  # two maps, the d_k, the names of two curves
    for place, frame in enumerate(shown.frames):
        for change, matrix in zip(frame.data[2:4], sweep.maps(place), strict=True):
            assert list(change.text) == [number(v) for v in matrix.ravel().tolist()]
            assert list(change.textfont.color) == cell_inks(matrix.ravel(), LIGHT.weights).tolist()


def test_the_points_ride_on_the_curves_and_say_their_d_k() -> None:
    shown, sweep = figure()
    scatters = [trace for trace in shown.data if trace.type == "scatter"]
    lines = [trace for trace in scatters if trace.mode == "lines" and len(trace.x) == len(D_K)]
    assert [list(line.y) for line in lines] == [list(sweep.largest_scaled), list(sweep.largest_unscaled)]
    for place, frame in enumerate(shown.frames):
        line, points, said = frame.data[-3:]
        assert list(line.x) == list(points.x) == [D_K[place]] * 2
        assert list(points.y) == [sweep.largest_scaled[place], sweep.largest_unscaled[place]]
        assert f"dₖ = {D_K[place]} " in said.text[0]
    (dots,) = markers(shown)
    assert list(dots.x) == [64, 64]


def test_the_buttons_play_all_frames_pause_and_go_back_to_the_chosen_one() -> None:
    shown, _ = figure()
    play, pause, back = shown.layout.updatemenus[0].buttons
    assert {button.method for button in (play, pause, back)} == {"animate"}
    assert play.args[0] is None and list(pause.args[0]) == [None] and list(back.args[0]) == ["64"]
    assert play.args[1]["frame"]["redraw"] is True  # heat maps are drawn in no other way
    assert "Play" in play.label


def test_tokens_are_shown_as_they_are() -> None:
    shown, _ = figure(heads=1)
    assert list(shown.layout.yaxis.ticktext) == ["&lt;b&gt;₀", "$\u2060x$\u2060₁"]
    assert "<b>₀" not in str(shown.layout.xaxis.ticktext)


def test_where_there_is_no_room_for_numbers_there_are_none() -> None:
    scaled = weights(4, 16, 16, 0)
    labels = token_labels([str(k) for k in range(16)], "query")
    flat = np.zeros(len(D_K))
    names = Names("with", "without", tuple("abcd"), "Play", "Pause", "back", "largest", "weight")
    shown = hardening(
        Hardening(D_K, scaled, scaled, flat, flat, 0), rows=labels, columns=labels, names=names, palette=LIGHT
    )
    assert len(texts(shown)) == 3
    assert len(shown.frames[0].data) == 8 + 3
    assert shown.layout.height > figure()[0].layout.height


def test_one_token_and_one_head_can_be_drawn_large() -> None:
    shown, _ = figure(1, 1, 1, here=0, type_=LARGE)
    assert len(heatmaps(shown)) == 2
