"""What the page on embedding computes beyond its lesson: the outputs with two words swapped, under two positions."""

from attnviz.lab.words.order import MOST_TOKENS
from attnviz.lesson.cost import Cost, tokens_cost, trace_cost
from attnviz.lesson.settings import Settings

WORDS = 0.15  # seconds of the steps that need no sentence
CELL = 1e-6  # seconds of a cell of the matrices that are drawn number by number


def embedding_cost(settings: Settings, n: int, m: int) -> Cost:
    """Before and after the swap, without positions and with them; of each only the output stays."""
    n, m = min(n, MOST_TOKENS), min(m, MOST_TOKENS)
    swaps = tokens_cost(settings, n).then(trace_cost(settings, n, m)).released().times(4)
    return swaps.then(Cost(0.0, 0.0, WORDS + CELL * n * (settings.d_model + n)))
