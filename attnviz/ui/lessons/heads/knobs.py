"""The knobs of the page on several heads."""

from dataclasses import dataclass

from attnviz.lab.images.images import IMAGES, SIDE
from attnviz.lesson.declared import setting
from attnviz.lesson.edits import SIDES
from attnviz.lesson.kinds import Choice, Text, Whole, names_among
from attnviz.lesson.settings import knobs

HEADS = tuple(str(h + 1) for h in range(SIDES["num_heads"]))


@knobs("heads")
@dataclass(frozen=True)
class HeadsKnobs:
    """The picture whose channels are shown, its pixel, and the heads that are muted (counted from 1)."""

    channel_image: str = setting("house", Choice(IMAGES), look=True)
    pixel: int = setting(15 * SIDE + 23, Whole(0, SIDE * SIDE - 1), look=True)
    muted: str = setting("1", Text(60, names_among(HEADS)), look=True)
