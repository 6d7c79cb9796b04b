"""What a setting is called on screen: in the words of its page where it is a page's own."""

from attnviz.lesson.settings import all_settings
from attnviz.words import Words


def setting_name(name: str, words: Words) -> str:
    """The name of a setting in words; as it stands in links where there is none."""
    one = all_settings().get(name)
    group = f"{one.page}.knobs" if one is not None and one.page else "common.names"
    return words.either(f"{group}.{name}", name)
