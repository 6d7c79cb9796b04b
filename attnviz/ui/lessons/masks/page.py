"""Who may look at whom? Masks, encoder and decoder, a sentence that is written word by word."""

from attnviz.ui.kit.page.lesson_page import lesson_page
from attnviz.ui.lessons.masks.cost import masks_cost
from attnviz.ui.lessons.masks.steps import masks_steps

TERMS = ("mask", "causal", "self_attention", "cross_attention", "softmax", "residual")


def page() -> None:
    """The whole page below the frame."""
    lesson_page("masks", masks_steps, cost=masks_cost, terms=TERMS, source=True)
