"""Why divide by sqrt(d_k)?"""

from attnviz.ui.app import router
from attnviz.ui.lessons.scaling.page import page

router.ensure()
page()
