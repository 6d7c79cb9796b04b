"""What a mask takes from a query, and who gets it."""

import math
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.masks import Keep
from attnviz.figures.labels import number
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.lessons.masks.pictures import keep_of
from attnviz.ui.lessons.masks.story import ROUNDING, query

LEAST = 1e-290  # below it floats lose their digits
LONG = 1e6  # of a factor, from here on a power of ten

Floats = NDArray[np.floating]


def shown_mask(scene: Scene) -> str:
    """The mask in force; the causal one as an example where none is."""
    chosen = scene.lesson.settings.mask
    return "causal" if chosen == "none" else chosen


@dataclass(frozen=True, eq=False)
class Before:
    """A query from which the mask hides something, but not all: its weights (m,) without the mask and with it."""

    row: int
    keep: Keep
    scores: Floats  # scaled
    free: Floats
    masked: Floats
    softmax: bool

    @property
    def gone(self) -> bool:
        """Whether softmax gave the kept keys so little that a float cannot say it; their scores still can."""
        return self.softmax and float(self.free[self.keep].sum()) < LEAST

    def shares(self) -> Floats:
        """What each kept key had of all that the kept ones had, without the mask."""
        kept: Floats = self.free[self.keep]
        if self.gone:
            return np.asarray(np.exp(self.scores[self.keep] - np.logaddexp.reduce(self.scores[self.keep])))
        total = float(kept.sum())
        return kept / total if total else kept

    def times(self) -> tuple[float, float]:
        """How many times as large the kept weights together are with the mask, and log10 of that.

        Infinite where they were 0.
        """
        before, after = float(self.free[self.keep].sum()), float(self.masked[self.keep].sum())
        if self.gone:
            more = np.logaddexp.reduce(self.scores) - np.logaddexp.reduce(self.scores[self.keep])
            return math.inf, float(more) / math.log(10)
        return (after / before, math.log10(after / before)) if before and after else (math.inf, math.inf)


def before_and_after(scene: Scene) -> Before | None:
    """The query in focus where the mask hides a part of its keys, else the first such query; None where there is none."""
    keep = keep_of(scene, shown_mask(scene))
    partly = np.asarray(keep.any(axis=1) & ~keep.all(axis=1))
    if not partly.any():
        return None
    row = scene.focus.query if partly[scene.focus.query] else int(partly.argmax())
    scores = scene.lesson.trace.scaled[scene.focus.head, row]
    normalizer = scene.lesson.trace.recipe.normalizer.function
    softmax = scene.lesson.settings.normalizer == "softmax"
    return Before(row, keep[row], scores, normalizer(scores), normalizer(scores, keep[row]), softmax)


def share_answer(scene: Scene) -> int:
    """Who gets the weight that a mask takes away: 1 nobody, 2 the others in proportion, 3 otherwise."""
    found = before_and_after(scene)
    if found is None:
        return 1
    masked = found.masked[found.keep]
    if np.allclose(found.free[found.keep], masked, rtol=0, atol=ROUNDING):
        return 1
    return 2 if np.allclose(found.shares(), masked / masked.sum(), rtol=0, atol=ROUNDING) else 3


def share_text(scene: Scene) -> Markup:
    """What the mask takes from a query, and where it goes."""
    words, name = scene.words, shown_mask(scene)
    said = words.html(f"masks.kinds.{name}")
    text = words.html("masks.kinds.named", mask=words(f"common.mask.{name}"), text=said)
    if scene.lesson.settings.mask == "none":
        text = words.html("masks.kinds.example") + text
    found = before_and_after(scene)
    if found is None:
        return text + words.html("masks.kinds.nothing")
    normalizer = scene.lesson.settings.normalizer
    key = f"masks.kinds.taken_{normalizer}"
    return text + words.html(
        key if key in words else "masks.kinds.taken_other",
        normalizer=normalizer,
        query=query(scene, found.row),
        hidden=int((~found.keep).sum()),
        m=len(found.keep),
        lost=number(float(found.free[~found.keep].sum())),
        factor=_factor(*found.times()),
        sum=number(float(found.masked[found.keep].sum())),
    )


def _factor(times: float, power: float) -> Markup:
    """How many times as large, as a power of ten where it is long."""
    if times < LONG:
        return Markup(number(times))
    return Markup("10<sup>{}</sup>").format(number(power, 0) if math.isfinite(power) else "∞")
