"""The knobs of the page on masks."""

from dataclasses import dataclass

from attnviz.lab.decoding.decoding import LIMIT_FITTED
from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Switch, Whole
from attnviz.lesson.settings import knobs


@knobs("masks")
@dataclass(frozen=True)
class MasksKnobs:
    """How many tokens the decoder is given, and whether it is one that was fitted to the sentence."""

    given: int = setting(3, Whole(1, LIMIT_FITTED - 1), look=True)
    fitted: bool = setting(False, Switch(), look=True)
