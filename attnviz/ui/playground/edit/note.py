"""What was put in by hand, in words: which matrices, how many cells, what waits aside; and whose the weights are."""

from collections.abc import Iterator

import numpy as np
from markupsafe import Markup

from attnviz.lesson.edits import AXES, Edit
from attnviz.lesson.lesson import Lesson, is_random
from attnviz.ui.kit.array_names import array_name
from attnviz.ui.kit.edited import are_in_link, are_missing
from attnviz.words import Words

MOST_NAMED = 8


def weights_line(lesson: Lesson, words: Words) -> str:
    """Whose the weights are: drawn at random, changed by hand, or put in; "" where the preset says it all."""
    scores = lesson.trace.score_parameters.items()
    arrays = {f"score_{name}" for name, value in scores if isinstance(value, np.ndarray)}
    if lesson.hand.whole >= arrays | lesson.trace.layer.parameters().keys():
        return words("edit.own")
    if lesson.hand.weights:
        return words("edit.partly_random" if is_random(lesson) else "edit.partly_set")
    return words("common.untrained") if is_random(lesson) else ""


def hand_lines(lesson: Lesson, words: Words) -> list[Markup]:
    """What was put in by hand and where it is kept, in sentences; none where nothing was."""
    lines = []
    named = list(_edited(lesson, words))
    if lesson.settings.mask == "drawn" and "keep" not in lesson.hand.cells:
        named.append(words("edit.mask_drawn"))
    if named:
        more = [words("edit.more", n=len(named) - MOST_NAMED)] if len(named) > MOST_NAMED else []
        lines.append(words.html("edit.edited", list=" · ".join([*named[:MOST_NAMED], *more])))
    if lesson.hand.aside:
        waiting = " · ".join(_waiting(edit, words) for edit in lesson.hand.aside[:MOST_NAMED])
        lines.append(words.html("edit.aside", list=waiting))
    if not are_missing(lesson.settings) and not are_in_link(lesson.settings):
        lines.append(words.html("edit.not_in_link"))
    return lines


def _edited(lesson: Lesson, words: Words) -> Iterator[str]:
    """Each edited matrix with the number of its edited cells, each head's on its own."""
    for name, cells in lesson.hand.cells.items():
        if AXES[name][0] != "num_heads" or cells.all():
            yield words("edit.cells", name=array_name(name, words), n=f"{int(cells.sum()):,}")
            continue
        for h, count in enumerate(cells.reshape(len(cells), -1).sum(axis=1).tolist()):
            if count:
                place = f"{array_name(name, words)}, {words('common.head_n', n=h + 1)}"
                yield words("edit.cells", name=place, n=f"{count:,}")


def _waiting(edit: Edit, words: Words) -> str:
    size = " × ".join(map(str, edit.shape))
    return words("edit.cells", name=f"{array_name(edit.name, words)} ({size})", n=f"{len(edit.at):,}")
