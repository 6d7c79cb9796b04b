"""The pictures of the page about masks: which arrays, with which labels."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.core.drawn import MOST_DRAWN
from attnviz.core.masks import Keep, causal_mask
from attnviz.figures.base import Figure
from attnviz.figures.labels import Labels
from attnviz.figures.maps import Statistic, attention_map
from attnviz.figures.masks.patterns import Pattern, mask_patterns
from attnviz.lesson.kinds import Choice
from attnviz.lesson.lesson import mask
from attnviz.lesson.settings import Settings, find_setting
from attnviz.ui.kit.pictures.scene import Scene, cell_height


def mask_names() -> tuple[str, ...]:
    """The masks that a reader can choose."""
    kind = find_setting("mask").kind
    assert isinstance(kind, Choice)
    return kind.options


def keep_of(scene: Scene, name: str) -> Keep:
    """The mask of this name for the sentence at hand, (n, m)."""
    n, m = scene.lesson.trace.scores.shape[1:]
    return drawing_of(replace(scene.lesson.settings, mask=name), n, m)


def drawing_of(settings: Settings, n: int, m: int) -> Keep:
    """The mask to draw on, (n, m): the drawn one, and where another is in force, that."""
    kept = mask(settings, n, m)
    return np.ones((n, m), np.bool_) if kept is None else kept


def gallery(scene: Scene) -> Figure:
    """All masks as small patterns, the one in force marked."""
    patterns = [
        _pattern(scene, keep_of(scene, name), _short(scene, name), name == scene.lesson.settings.mask)
        for name in mask_names()
    ]
    return mask_patterns(patterns, palette=scene.palette, height=330)


def _short(scene: Scene, mask_name: str) -> str:
    """The name of a mask where there is little room."""
    short = f"masks.short.{mask_name}"
    return scene.words(short if short in scene.words else f"common.mask.{mask_name}")


def _pattern(scene: Scene, keep: Keep, title: str, bold: bool = False) -> Pattern:
    count = scene.words("masks.kinds.count", kept=int(keep.sum()), all=keep.size)
    return Pattern(keep.T if scene.columns else keep, title, count, bold)


def opposite(scene: Scene) -> Figure:
    """The causal mask read as it is meant, and as its opposite."""
    n, m = scene.lesson.trace.scores.shape[1:]
    meant = causal_mask(n, m)
    patterns = [
        _pattern(scene, meant, scene.words("masks.polarity.meant")),
        _pattern(scene, ~meant, scene.words("masks.polarity.misread")),
    ]
    return mask_patterns(patterns, palette=scene.palette, height=250, a_row=2)


def drawing(scene: Scene) -> tuple[Figure, int]:
    """The drawn mask as a map to click on, at most MOST_DRAWN tokens a side; and the least width in pixels."""
    keep = keep_of(scene, scene.lesson.settings.mask)[:MOST_DRAWN, :MOST_DRAWN]
    queries, keys = (first(labels, MOST_DRAWN) for labels in (scene.queries, scene.keys))
    n, m = keep.shape
    focus = (min(scene.focus.query, n - 1), min(scene.focus.key, m - 1))
    sees = Statistic(scene.words("masks.drawn.sees"), tuple(str(count) for count in keep.sum(axis=1)))
    figure = attention_map(
        *turned(scene, np.where(keep, 1.0, np.nan)),
        **sides(scene, queries, keys, focus),
        palette=scene.palette,
        limit=4.0,
        weights=True,
        digits=0,
        statistics=(sees,),
        height=60 + cell_height(m if scene.columns else n, 320, 44) * (m if scene.columns else n),
        name=scene.words("masks.drawn.may"),
        masked=scene.words("playground.masked_cell"),
    )
    # Not the blue of weights: these are truth values.
    quiet = {"colorscale": [[0, scene.palette.muted], [1, scene.palette.muted]], "opacity": 0.6}
    figure["data"] = [trace | quiet if trace["type"] == "heatmap" else trace for trace in figure["data"]]
    return figure, min(90 + 46 * (n if scene.columns else m), 620)


def turned(scene: Scene, matrix: NDArray[np.floating]) -> tuple[NDArray[np.floating]]:
    return (matrix.T if scene.columns else matrix,)


def sides(scene: Scene, queries: Labels, keys: Labels, focus: tuple[int, int]) -> dict[str, Any]:
    if scene.columns:
        return {"rows": keys, "columns": queries, "focus": focus[::-1]}
    return {"rows": queries, "columns": keys, "focus": focus}


def first(labels: Labels, count: int, start: int = 0) -> Labels:
    end = start + count
    return Labels(labels.texts[start:end], labels.wholes[start:end], labels.role, labels.title)
