"""What the playground computes beyond its lesson: the pinned one."""

from attnviz.explain.pinned import pinned
from attnviz.lesson.cost import Cost, lesson_cost
from attnviz.lesson.settings import Settings


def playground_cost(settings: Settings, n: int, m: int) -> Cost:
    """The lesson A that is pinned, and the difference of a matrix of each head."""
    before = pinned(settings.pinned)
    if before is None:
        return Cost()
    difference = 8.0 * settings.num_heads * n * max(m, settings.d_model)
    return lesson_cost(before, n, m).then(Cost(difference, difference))
