"""What do several heads add?"""

from attnviz.ui.app import router
from attnviz.ui.lessons.heads.page import page

router.ensure()
page()
