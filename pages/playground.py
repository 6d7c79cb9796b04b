"""The front page: a sentence becomes attention, every number on screen."""

from attnviz.ui.app import router
from attnviz.ui.playground.page import page

router.ensure()
page()
