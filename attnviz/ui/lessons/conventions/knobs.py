"""The knobs of the page on conventions."""

from dataclasses import dataclass

from attnviz.lab.notations.torch_walk import WALK_STEPS
from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Choice
from attnviz.lesson.settings import knobs


@knobs("conventions")
@dataclass(frozen=True)
class ConventionsKnobs:
    """The step of the walk through nn.MultiheadAttention."""

    torch_step: str = setting("in_proj_weight", Choice((*WALK_STEPS, "equal")), look=True)
