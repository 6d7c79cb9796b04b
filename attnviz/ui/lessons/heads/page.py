"""What do several heads add?"""

from attnviz.ui.kit.page.lesson_page import lesson_page
from attnviz.ui.lessons.heads.cost import heads_cost
from attnviz.ui.lessons.heads.steps import heads_steps

TERMS = ("head", "head_output", "concatenation", "w_o", "num_heads", "d_k", "d_v")


def page() -> None:
    """The whole page below the frame."""
    lesson_page("heads", heads_steps, cost=heads_cost, terms=TERMS)
