"""Who may look at whom? Masks, encoder and decoder, a sentence that is written word by word."""

from attnviz.ui import router
from attnviz.ui.lesson_page import lesson_page
from attnviz.ui.masks_steps import masks_steps

TERMS = ("mask", "causal", "self_attention", "cross_attention", "softmax", "residual")

router.ensure()
lesson_page("masks", masks_steps, terms=TERMS, source=True)
