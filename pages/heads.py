"""What do several heads add?"""

from attnviz.ui import router
from attnviz.ui.heads_steps import heads_steps
from attnviz.ui.lesson_page import lesson_page

TERMS = ("head", "head_output", "concatenation", "w_o", "num_heads", "d_k", "d_v")

router.ensure()
lesson_page("heads", heads_steps, terms=TERMS)
