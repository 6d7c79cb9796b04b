"""How alike are a query and a key? The score functions side by side."""

from attnviz.ui.app import router
from attnviz.ui.lessons.scores.page import page

router.ensure()
page()
