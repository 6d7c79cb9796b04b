"""The knobs of the page on sqrt(d_k)."""

from dataclasses import dataclass

from attnviz.lab.scaling.components import COMPONENTS
from attnviz.lab.scaling.limits import LIMIT_DRAWS, LIMIT_KEYS
from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Choice, Real, Whole
from attnviz.lesson.settings import knobs


@knobs("scaling")
@dataclass(frozen=True)
class ScalingKnobs:
    """What is drawn at random and how often, and what the cures are given."""

    draws: int = setting(10_000, Whole(100, LIMIT_DRAWS), look=True)
    distribution: str = setting("normal", Choice(COMPONENTS), look=True)
    num_keys: int = setting(10, Whole(2, LIMIT_KEYS), look=True)
    many_tokens: int = setting(64, Whole(8, 2048), look=True)
    cure_temperature: float = setting(8.0, Real(0.5, 64.0), look=True)
    cure_beta: float = setting(5.0, Real(0.5, 50.0), look=True)
    vector_size: float = setting(1.0, Real(0.25, 4.0), look=True)
    learned_d_k: str = setting("64", Choice(("4", "64", "512")), look=True)
