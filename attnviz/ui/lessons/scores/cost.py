"""What the page on scores computes beyond its lesson: a second lesson, and every score function on one head."""

from dataclasses import replace

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lab.scores.comparison import MOST_PAIRS, MOST_QUERIES
from attnviz.lesson.cost import Cost, score_cost, tokens_cost, trace_cost
from attnviz.lesson.settings import Settings

SIDES = 3  # comparisons: of the lesson, of the sentence alone, of the sentence and its source
CHANGED = 12  # times the scores of MOST_PAIRS tokens a side, for the answer and for the table


def scores_cost(settings: Settings, n: int, m: int) -> Cost:
    """The lesson beside (the sentence alone, or with a source), and what is compared."""
    cost = tokens_cost(settings, n + m).then(trace_cost(settings, n, m))  # the layer is that of the lesson
    head = min(settings.head, settings.num_heads)
    rows = min(n, MOST_QUERIES)
    pairs, source = min(n, MOST_PAIRS), min(m, MOST_PAIRS)
    for name in SCORE_FUNCTIONS:
        drawn = score_cost(replace(settings, score=name, num_heads=head))  # with those of the heads before it
        one = replace(settings, score=name, num_heads=1)
        cost = cost.then(Cost(0.0, drawn.peak, drawn.seconds))
        cost = cost.then(trace_cost(one, rows, m).times(SIDES))
        cost = cost.then(trace_cost(one, pairs, source).released().times(CHANGED))
    return cost
