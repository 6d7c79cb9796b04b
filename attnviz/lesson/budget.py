"""How many tokens a request may have, so that it takes no more than about 200 MB and a second."""

from collections.abc import Callable
from dataclasses import replace

from attnviz.lesson.cost import Cost, lesson_cost, screen_cost
from attnviz.lesson.settings import LIMIT_TOKENS, Settings

BYTES = 190_000_000
SECONDS = 0.9  # a little less than one: a page has more on it than the formulas know
FEWEST = 8  # tokens that a lesson has in any case: at the size limits drawing the matrices takes most of both

PageCost = Callable[[Settings, int, int], Cost]
"""What a page computes beyond the lesson of its settings, for n and m tokens; never less for more tokens."""


def nothing_more(settings: Settings, n: int, m: int) -> Cost:
    """Of a page that shows its lesson and computes nothing else worth counting."""
    return Cost()


def page_cost(settings: Settings, n: int, beyond: PageCost) -> Cost:
    """The cost of a page for n tokens, and as many of the source where there is one: its lesson and all `beyond`."""
    return lesson_cost(settings, n, n).then(beyond(settings, n, n)).then(screen_cost(settings, n, n))


def fits(cost: Cost, share: float = 1.0) -> bool:
    """Whether it takes no more than a request may, or no more than this share of it."""
    return cost.peak <= share * BYTES and cost.seconds <= share * SECONDS


def token_limit(settings: Settings, beyond: PageCost | None = None) -> int:
    """The number of tokens of each sentence that are used, from FEWEST to LIMIT_TOKENS.

    As many as a page can afford that computes all `beyond` as well; without it, as many as the lesson itself can.
    """
    if beyond is None:
        return most_that_fits(lambda n: lesson_cost(settings, n, n), LIMIT_TOKENS, FEWEST)
    return most_that_fits(lambda n: page_cost(settings, n, beyond), LIMIT_TOKENS, FEWEST)


def heads_limit(settings: Settings, cost: Callable[[Settings], Cost], share: float = 1.0) -> int:
    """With how many heads, at most those of the settings, `cost` is within the share; 0 where with none."""
    return most_that_fits(lambda h: cost(replace(settings, num_heads=h)), settings.num_heads, 0, share)


def most_that_fits(cost: Callable[[int], Cost], most: int, least: int = 1, share: float = 1.0) -> int:
    """The largest whole number from `least` to `most` whose cost is within the share; `least` where none is."""
    low, high = least, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(cost(middle), share) else (low, middle - 1)
    return low
