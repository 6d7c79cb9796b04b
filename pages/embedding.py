"""How do words become vectors? Ids, one-hot vectors, the table, positions, real word vectors."""

from attnviz.ui.app import router
from attnviz.ui.lessons.embedding.page import page

router.ensure()
page()
