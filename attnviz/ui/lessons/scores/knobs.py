"""The knobs of the page on score functions."""

from dataclasses import dataclass

from attnviz.lesson.declared import setting
from attnviz.lesson.kinds import Real, Whole
from attnviz.lesson.settings import knobs


@knobs("scores")
@dataclass(frozen=True)
class ScoresKnobs:
    """How much longer vectors become and how far they turn; the query of the landscapes. Angles in degrees."""

    stretch: float = setting(2.0, Real(0.0, 4.0), look=True)
    turn: int = setting(90, Whole(0, 360), look=True)
    query_angle: int = setting(30, Whole(-180, 180), look=True)
    query_length: float = setting(1.5, Real(0.0, 3.0), look=True)
