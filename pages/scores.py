"""How alike are a query and a key? The score functions side by side."""

from attnviz.ui import router
from attnviz.ui.lesson_page import lesson_page
from attnviz.ui.scores_steps import score_steps

TERMS = ("score", "inner_product", "scale", "softmax", "weights", "self_attention", "cross_attention")

router.ensure()
lesson_page("scores", score_steps, terms=TERMS)
