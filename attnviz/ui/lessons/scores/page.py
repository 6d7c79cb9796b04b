"""How alike are a query and a key? The score functions side by side."""

from attnviz.ui.kit.page.lesson_page import lesson_page
from attnviz.ui.lessons.scores.cost import scores_cost
from attnviz.ui.lessons.scores.steps import score_steps

TERMS = ("score", "inner_product", "scale", "softmax", "weights", "self_attention", "cross_attention")


def page() -> None:
    """The whole page below the frame."""
    lesson_page("scores", score_steps, cost=scores_cost, terms=TERMS)
