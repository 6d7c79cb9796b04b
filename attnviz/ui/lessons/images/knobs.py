"""The knobs of the page on pictures as tokens."""

from dataclasses import dataclass

from attnviz.lab.images.images import IMAGES, MOST_PATCHES, PATCH_SIZES
from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Choice, Whole
from attnviz.lesson.settings import knobs


@knobs("images")
@dataclass(frozen=True)
class ImagesKnobs:
    """The picture, the side of its patches in pixels, and the patch in focus."""

    image: str = setting("house", Choice(IMAGES), look=True)
    patch_size: str = setting("8", Choice(PATCH_SIZES), look=True)
    patch: int = setting(9, Whole(0, MOST_PATCHES - 1), look=True)
