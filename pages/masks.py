"""Who may look at whom? Masks, encoder and decoder, a sentence that is written word by word."""

from attnviz.ui.app import router
from attnviz.ui.lessons.masks.page import page

router.ensure()
page()
