"""The grid of numbers as a reader uses it: choose a cell, type, press Enter."""

from typing import Any

from playwright.sync_api import expect

from tests.e2e.screen import Screen

WIDTH, HEIGHT = 78, 35  # pixels of a cell of the grid


def open_grid(screen: Screen, matrix: str = "") -> None:
    """Open the grids of the station, and there the one of this name."""
    screen.of("edit").get_by_role("button").first.click()
    expect(grid(screen)).to_be_visible()
    if matrix:
        screen.page.locator(".st-key-edit_box").get_by_role("radio", name=matrix, exact=True).click()
    screen.settle()


def grid(screen: Screen) -> Any:
    """The canvas of the open grid."""
    return screen.page.locator(".st-key-edit_box [data-testid='stDataFrame'] canvas").first


def click(screen: Screen, row: int, column: int, columns: int) -> None:
    """Click a cell of the grid of so many columns."""
    box = grid(screen).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] - WIDTH * (columns - column - 0.5)
    screen.page.mouse.click(x, box["y"] + HEIGHT * (row + 1.5))


def pick(screen: Screen, row: int, column: int, columns: int) -> None:
    """Choose a cell of the grid, for typing."""
    click(screen, row, column, columns)
    cell = screen.page.locator(f".st-key-edit_box [data-testid=glide-cell-{column + 1}-{row}]")
    expect(cell).to_have_attribute("aria-selected", "true")
    drawn_twice(screen)


def type_in(screen: Screen, text: str) -> None:
    """Type into the chosen cell and press Enter: a box opens with the first key and closes with Enter."""
    box = screen.page.locator("[id^=gdg-overlay] textarea")
    screen.page.keyboard.type(text[0])
    expect(box).to_be_focused()
    screen.page.keyboard.type(text[1:])
    expect(box).to_have_value(text)
    drawn_twice(screen)  # the grid takes over what is in the box on its next frame; no finger is faster
    screen.page.keyboard.press("Enter")
    expect(box).to_have_count(0)


def drawn_twice(screen: Screen) -> None:
    """Wait until the browser has drawn twice."""
    screen.page.evaluate(
        "async () => { for (let i = 0; i < 2; i++) await new Promise(done => requestAnimationFrame(done)); }"
    )
