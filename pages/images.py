"""Are pictures tokens too?"""

from attnviz.ui.app import router
from attnviz.ui.lessons.images.page import page

router.ensure()
page()
