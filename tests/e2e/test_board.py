"""Ask a cell, compare, lines: what the components show recomputes, by mouse and by keyboard."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from attnviz.core.written import shown
from attnviz.explain import matrix
from attnviz.explain.pinned import pin
from attnviz.explain.reference import asked_cell
from attnviz.lesson.lesson import make_lesson
from attnviz.lesson.settings import DEFAULTS
from tests.e2e.screen import Screen

# Each line as text in which every number is replaced by its unrounded value, and as it is printed.
LINES = """board => [...board.querySelectorAll('.line')].map(line => ({
  terms: [...line.querySelectorAll('.term')].map((term, i) => [...term.childNodes].slice(i ? 1 : 0).map(node =>
    node.dataset?.value ? `(${node.dataset.value})` : node.textContent).join('')),
  result: line.querySelector('.result')?.dataset.value ?? null}))"""
PRINTED = "board => [...board.querySelectorAll('.n')].map(n => [n.textContent, n.dataset.value])"


def value_of(term: str) -> float:
    """The value of a term as printed, by Python's arithmetic."""
    for mark, operator in {"×": "*", "−": "-", "²": "**2", "b ": "", "x ": ""}.items():
        term = term.replace(mark, operator)
    return float(eval(term, {"__builtins__": {}}, {"exp": math.exp, "tanh": math.tanh, "max": max}))


def assert_board_recomputes(screen: Screen) -> None:
    """The asked cell of the address: its printed parts add up to the number that NumPy finds there."""
    lesson, settings = screen.lesson(), screen.settings
    trace = lesson.trace
    head, query = settings.head - 1, min(settings.query, len(trace.x) - 1)
    key = settings.key if settings.key >= 0 else int(trace.weights[head, query].argmax())
    cell = asked_cell(settings.ask, lesson.trace, head, query, key)
    assert cell is not None
    board = screen.page.locator(".board")
    expect(board).to_be_visible()
    lines = board.evaluate(LINES)
    for line in lines:
        if line["result"] is not None:
            total = math.fsum(value_of(term) for term in line["terms"])
            assert total == pytest.approx(float(line["result"]), rel=1e-9, abs=1e-12)
    stored = float(matrix(lesson.trace, cell.matrix, cell.head)[cell.row, cell.column])
    last = lines[-1]["result"] or lines[-1]["terms"][-1].strip("()")
    assert float(last) == stored
    for text, value in board.evaluate(PRINTED):
        assert text.strip("()") == shown(float(value))
    assert shown(stored) in board.locator(".title").inner_text()
    marked = board.get_by_role("gridcell").filter(has_text=shown(stored, 3)).and_(board.locator(".on"))
    assert marked.count() >= 1


@pytest.mark.parametrize("notation", ["rows", "columns"])
def test_walking_back_from_the_output_every_cell_recomputes(screen: Screen, notation: str) -> None:
    screen.open(stage="output", ask="output.3", notation=notation, bias=1, residual=1, mask="causal")
    walked = []
    while True:
        assert_board_recomputes(screen)
        walked.append(screen.settings.ask.split(".")[0])
        back = screen.page.locator(".board button").first
        if back.is_disabled():
            break
        before = screen.settings.ask
        back.click()
        screen.page.wait_for_function("ask => !location.search.includes('ask=' + ask + '&')", arg=before)
        screen.settle()
    assert walked == [
        "output", "contributions", "concat", "head_outputs", "weights", "masked", "scaled", "scores", "query", "x",
    ]  # fmt: skip


@pytest.mark.parametrize("score", ["general", "additive", "cosine", "gaussian"])
def test_the_other_scores_recompute_too(screen: Screen, score: str) -> None:
    screen.open(stage="scores", ask="scores", score=score, rotary=1)
    assert_board_recomputes(screen)


def test_a_click_on_a_cell_asks_it_with_one_rerun(screen: Screen) -> None:
    screen.open()
    assert screen.page.locator(".board").count() == 0
    screen.click_cell("main_weights", 1, 2, (5, 5))
    screen.wait_for_link(ask="weights", query=1, key=2)
    assert_board_recomputes(screen)


def test_a_click_on_a_value_of_q_k_v_asks_that_matrix(screen: Screen) -> None:
    screen.open(stage="qkv")
    screen.click_cell("main_qkv", 0, 0, (5, 4), matrix=1)
    screen.wait_for_link(ask="key.0", key=0)
    assert_board_recomputes(screen)


def test_the_board_goes_along_with_the_path_and_can_be_closed(screen: Screen) -> None:
    screen.open(ask="weights")
    screen.page.keyboard.press("n")
    screen.wait_for_link(stage="heads", ask="head_outputs")
    assert_board_recomputes(screen)
    screen.page.locator(".board").get_by_role("button", name="Close").click()
    screen.wait_for_link(ask=None)
    expect(screen.page.locator(".board")).to_have_count(0)


def test_cells_are_reached_and_asked_by_keyboard(screen: Screen) -> None:
    screen.open(ask="weights", query=3, key=4)
    grid = screen.page.locator(".board [role=grid]").last
    cell = grid.get_by_role("gridcell").and_(screen.page.locator("[tabindex='0']"))
    expect(cell).to_have_count(1)
    cell.focus()
    screen.page.keyboard.press("ArrowUp")
    screen.page.keyboard.press("ArrowLeft")
    screen.page.keyboard.press("Enter")
    screen.wait_for_link(query=2, key=3, ask="weights")
    assert_board_recomputes(screen)


def test_hover_lights_the_same_number_everywhere_without_the_server(screen: Screen) -> None:
    screen.open(stage="scores", ask="scores")
    board = screen.page.locator(".board")
    term = board.locator(".n[data-ref^='query.']").nth(1)
    ref = term.get_attribute("data-ref")
    asked = len(screen.requests)
    screen.answered = True
    term.hover()
    expect(board.locator(f"[role=gridcell][data-ref='{ref}']")).to_have_class(re.compile(r"\bhot\b"))
    assert screen.answered
    assert len(screen.requests) == asked


def test_a_long_sum_is_folded_and_unfolds(screen: Screen) -> None:
    screen.open(stage="qkv", ask="query.1", d_model=40)
    board = screen.page.locator(".board")
    assert board.locator(".term:visible").count() == 7
    board.locator(".more").click()
    assert board.locator(".term:visible").count() == 40
    assert_board_recomputes(screen)


def test_hostile_tokens_stay_text_on_the_board_and_on_the_lines(screen: Screen) -> None:
    screen.open(sentence="<img src=x onerror=alert(1)> **a** $x$", ask="weights", lines=1)
    assert screen.page.locator(".board img, .lines[role=group] img").count() == 0
    for part in (".board", ".lines[role=group]"):
        text = screen.page.locator(part).inner_text()
        assert "onerror" in text
        assert "**" in text


# --- compare ------------------------------------------------------------------------------------


def test_the_difference_on_screen_is_numpys(screen: Screen) -> None:
    screen.open()
    screen.of("pin").get_by_role("button").click()
    screen.wait_for_link(pinned=pin(DEFAULTS))
    screen.set_number("w_d_k", 9)
    screen.wait_for_link(d_k=9)
    before = replace(screen.settings, d_k=4)
    after = screen.lesson().trace.weights[0]
    first = make_lesson(before)
    assert first is not None
    a, b, difference = screen.charts()[-1].maps()
    np.testing.assert_array_equal(a, first.trace.weights[0].astype(np.float32))
    np.testing.assert_array_equal(b, after.astype(np.float32))
    np.testing.assert_array_equal(difference, (after - first.trace.weights[0]).astype(np.float32))
    change = (after - first.trace.weights[0]).ravel()
    largest = change[np.abs(change).argmax()]
    text = screen.page.locator(".av-sum").last.inner_text()
    assert f"{largest:+.3f}".replace("-", "−") in text


# --- lines --------------------------------------------------------------------------------------


def test_a_token_shows_its_weights_in_numbers(screen: Screen) -> None:
    screen.open(lines=1, source="one two three")
    weights = screen.lesson().trace.weights
    lines = screen.page.locator(".lines")
    lines.locator("[data-token='left-2']").hover()
    shown_weights = lines.locator(".right .w").all_inner_texts()
    expected = [" ".join(f"{w:.2f}" for w in weights[:, 2, j]) for j in range(weights.shape[2])]
    assert shown_weights == expected
    lines.locator(".heads button").nth(1).click()
    lines.locator("[data-token='left-2']").hover()
    assert lines.locator(".right .w").all_inner_texts() == [f"{w:.2f}" for w in weights[0, 2]]
    lines.locator("[data-token='left-1']").click()
    screen.wait_for_link(query=1)


def test_a_key_that_the_mask_hides_has_a_stroke_and_no_number(screen: Screen) -> None:
    screen.open(lines=1, mask="causal", source="one two three", query=1)
    weights = screen.lesson().trace.weights
    seen = screen.page.locator(".lines .right .w").all_inner_texts()
    assert seen == [" ".join(f"{w:.2f}" for w in weights[:, 1, j]) for j in range(2)] + ["∕ ∕"]
