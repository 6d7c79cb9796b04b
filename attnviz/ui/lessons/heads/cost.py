"""What the page on heads computes beyond its lesson: each head's plane, and the lessons with other numbers of heads."""

from attnviz.lesson.cost import Cost, lesson_cost
from attnviz.lesson.settings import Settings
from attnviz.ui.lessons.heads.pictures import nearest_count, split

PICTURES = 0.02  # seconds of the maps of one head, however small
POINT = 60e-6  # seconds of a token that is drawn as a point
FACTORED = 1e-9  # seconds of a product in a singular value decomposition
CELL = 20e-9  # seconds of a cell of a head's outputs and contributions


def heads_cost(settings: Settings, n: int, m: int) -> Cost:
    """Planes of the queries and keys of all heads, maps of what they put out, two lessons of equal width."""
    heads, points, d_k = settings.num_heads, n + m, settings.d_k
    planes = heads * points * (POINT + FACTORED * d_k * min(d_k, points))
    maps = heads * n * (settings.d_v + settings.d_model) * CELL
    cost = Cost(0.0, 24.0 * heads * n * settings.d_model, PICTURES * heads + planes + maps)
    for count in sorted({1, nearest_count(settings)}):
        cost = cost.then(lesson_cost(split(settings, count), n, m))
    return cost
