"""What a notebook sees of a trace and a layer: names and shapes, maps, and where a number comes from."""

import pydoc
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from attnviz import MultiHeadAttention, attend, causal_mask
from attnviz.explain import matrix_names
from attnviz.explain.parts import matrix
from tests.core.layers import SOURCE, H, M, N, X, layer

README = Path(__file__).parents[1] / "README.md"
TRACE = layer(True)(X, SOURCE, keep=causal_mask(N, M), score="additive", v=np.ones(2),
                    w_query=np.ones((2, 3)), w_key=np.ones((2, 3)))  # fmt: skip


def test_a_trace_and_a_layer_are_told_by_names_and_shapes_in_a_few_lines() -> None:
    for text in (repr(TRACE), repr(layer(True))):
        assert len(text) < 500
        assert text.count("\n") < 8
    assert f"weights ({H}, {N}, {M})" in repr(TRACE)
    assert "b_o (7,)" in repr(layer(True))


def test_the_maps_have_the_numbers_of_the_weights_and_no_number_where_masked() -> None:
    maps = TRACE._repr_html_()
    assert maps is not None
    first = maps.split("</table>")[0]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", first)
    keep = causal_mask(N, M).ravel()
    expected = [f"{w:.2f}" if kept else "" for w, kept in zip(TRACE.weights[0].ravel(), keep, strict=True)]
    assert cells == expected
    assert maps.count("<details") == maps.count("</details>") == 9


def test_a_large_trace_is_drawn_in_part_and_says_so() -> None:
    large = MultiHeadAttention.random(32, 16)(np.ones((40, 32)))
    maps = large._repr_html_()
    assert maps is not None
    assert "12 of 16 heads" in maps
    assert "(12, 12) of (40, 40)" in maps
    assert len(maps) < 1_500_000


@pytest.mark.parametrize("name", matrix_names(TRACE))
def test_every_matrix_explains_its_cells(name: str) -> None:
    told = TRACE.explain(name, head=1, row=0, column=0)
    np.testing.assert_equal(told.value, matrix(TRACE, name, 1)[0, 0])
    assert repr(told).startswith(f"{name}, head 1, row 0, column 0 = ")
    assert "Part(" not in repr(told)


def test_a_weight_is_written_out_with_its_sum() -> None:
    told = TRACE.explain("weights", head=0, query=1, key=0)
    assert told.value == TRACE.weights[0, 1, 0]
    assert "exp(" in repr(told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "x_y"}, "name must be one of x, .*; got 'x_y'"),
        ({"name": "weights", "head": 2}, "head must be a whole number from 0 to 1; got 2"),
        ({"name": "weights", "query": N}, f"row must be a whole number from 0 to {N - 1}; got {N}"),
    ],
)
def test_a_cell_that_there_is_not_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TRACE.explain(**arguments)


def test_a_batch_explains_no_cell_and_draws_no_map() -> None:
    batch = layer()(np.stack([X, X]))
    assert batch._repr_html_() is None
    with pytest.raises(ValueError, match=r"one sentence; got a batch, x \(2, 4, 7\)"):
        batch.explain("weights")


def test_a_trace_as_a_dictionary_has_every_array_and_setting() -> None:
    held = TRACE.to_dict()
    assert {"x", "weights", "output", "keep", "w_q", "b_o", "score_v"} <= held.keys()
    assert (held["score"], held["normalizer"], held["scale"], held["residual"]) == (
        "additive",
        "softmax",
        1.0,
        False,
    )
    assert held["weights"] is TRACE.weights


def test_the_example_of_the_readme_runs_and_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)[0]
    exec(example, {})
    promised = re.search(r"print\(.*?\)  # (.*)", example)
    assert promised is not None
    assert capsys.readouterr().out.strip() == promised[1].strip()


@pytest.mark.parametrize("name", matrix_names(TRACE))
@pytest.mark.parametrize("head", [None, 1])
def test_every_matrix_is_drawn_with_its_numbers(name: str, head: int | None) -> None:
    figure = TRACE.plot(name, head=head, tokens=["a", "<b>", "c", "d"])
    drawn = figure.data[0].z
    np.testing.assert_allclose(np.nan_to_num(drawn), np.nan_to_num(matrix(TRACE, name, head or 0)), atol=1e-6)


def test_many_heads_are_small_maps() -> None:
    figure = MultiHeadAttention.random(12, 6)(np.ones((3, 12))).plot()
    assert sum(trace.type == "heatmap" for trace in figure.data) == 6


def test_help_names_types_as_they_are_written() -> None:
    told = pydoc.render_doc(attend, renderer=pydoc.plaintext)
    assert "_NestedSequence" not in told
    assert len(told) < 4000


def test_without_plotly_a_plot_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "attnviz.figures.base", None)  # as if its import of Plotly had failed
    with pytest.raises(ModuleNotFoundError, match=r"plot must have Plotly: pip install attnviz\[app\]; got"):
        TRACE.plot()
