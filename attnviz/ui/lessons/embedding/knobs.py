"""The knobs of the page on embedding."""

from dataclasses import dataclass

from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Choice, Text, Whole
from attnviz.lesson.settings import LIMIT_TOKENS, knobs


@knobs("embedding")
@dataclass(frozen=True)
class EmbeddingKnobs:
    """The two tokens that change places, and the words whose vectors are compared and added up."""

    swap_one: int = setting(0, Whole(0, LIMIT_TOKENS - 1), look=True)
    swap_other: int = setting(3, Whole(0, LIMIT_TOKENS - 1), look=True)
    word_list: str = setting("", Text(400), look=True)
    word_sum: str = setting("", Text(200), look=True)
    vectors_shown: str = setting("pretrained", Choice(("pretrained", "normal")), look=True)
    likeness: str = setting("dot", Choice(("dot", "cosine")), look=True)
