"""Rows or columns? And where in PyTorch?"""

from attnviz.ui.app import router
from attnviz.ui.lessons.conventions.page import page

router.ensure()
page()
