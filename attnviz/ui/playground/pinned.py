"""Compare: the pinned setting A beside the present one B, and their difference."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attnviz.explain import matrix
from attnviz.explain.pinned import Change, both, largest_change, pin, pinned, settings_changed
from attnviz.explain.stations import MADE, hidden
from attnviz.figures.base import scale_of
from attnviz.figures.labels import number
from attnviz.figures.matrix import Matrix
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import find_setting
from attnviz.ui.kit import state
from attnviz.ui.kit.array_names import symbol
from attnviz.ui.kit.edited import edits_of
from attnviz.ui.kit.page.lessons import lesson_of
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.pictures.scene import FULL, Scene, cell_height, matrix_picture
from attnviz.ui.kit.setting_names import setting_name
from attnviz.ui.kit.text.prose import arithmetic, label, prose
from attnviz.ui.playground.board_data import WHOLE, labels_of
from attnviz.words import Words


def pin_button(scene: Scene) -> None:
    """Keep the present setting as A, or let it go."""
    kept = bool(state.settings().pinned)
    st.button(
        scene.words("compare.unpin" if kept else "compare.pin"),
        icon=":material/close:" if kept else ":material/push_pin:",
        type="tertiary",
        help=scene.words("compare.help"),
        key="pin",
        on_click=lambda: state.put(pinned="" if kept else pin(state.settings())),
    )


def comparison(scene: Scene) -> None:
    """A, B and B - A of this station's matrices, with the largest change in words."""
    before = pinned(scene.lesson.settings.pinned)
    if before is None:
        return
    words, a = scene.words, lesson_of(before, scene.lesson.limit)
    label(words("compare.title"))
    if a is None:
        prose(words.html("compare.no_a"))
        return
    prose(differences(scene, a))
    for name in MADE[scene.lesson.settings.stage]:
        _compare(scene, a, name)


def differences(scene: Scene, a: Lesson) -> Markup:
    """What was set differently, A -> B."""
    words, b = scene.words, scene.lesson
    changed = settings_changed(a.settings, b.settings)
    if not changed:
        return words.html("compare.same")
    parts = [
        Markup("<b>{}</b> {} → {}").format(
            setting_name(name, words), _shown(scene, a, name), _shown(scene, b, name)
        )
        for name in changed
    ]
    return words.html("compare.changed", list=Markup(" · ").join(parts))


def _shown(scene: Scene, lesson: Lesson, name: str) -> str:
    if name == "edits":
        return f"{edits_of(lesson.settings).count:,}"
    text = find_setting(name).kind.write(lesson.settings[name])
    key = f"common.{name}.{text}"
    shown = scene.words(key, auto="") if key in scene.words else text
    return shown.strip(" :") if len(shown) <= 40 else shown[:39] + "…"


def _compare(scene: Scene, a: Lesson, name: str) -> None:
    words, head = scene.words, scene.focus.head
    pair = both(a, scene.lesson, name, head)
    if pair is None:
        prose(
            words.html(
                "compare.shapes", name=_name(name, words), a=_shape(a, name), b=_shape(scene.lesson, name)
            )
        )
        return
    first, second = pair
    both_sides = ((a, first), (scene.lesson, second))
    weights = name == "weights"
    limit = 1.0 if weights else scale_of([first, second])
    rows, columns = labels_of(scene, name)
    titles = [f"{_name(name, words)}: {words(f'compare.{which}')}" for which in ("a", "b", "difference")]
    unseen = [hidden(lesson.trace)[head] if weights else np.isnan(shown) for lesson, shown in both_sides]
    word = words("playground.masked_cell")
    matrices = [
        Matrix(np.where(unseen[0], np.nan, first), rows, columns, titles[0], weights=weights, masked=word),
        Matrix(np.where(unseen[1], np.nan, second), rows, columns, titles[1], weights=weights, masked=word),
        # A weight that only one of them hides is 0 there: that is a difference.
        Matrix(
            np.where(unseen[0] & unseen[1], np.nan, second - first), rows, columns, titles[2], masked=word
        ),
    ]
    tall = first.shape[1] if scene.columns else first.shape[0]
    figure = matrix_picture(scene, matrices, limit, cell_height(tall, 260, 44), FULL, product=False)
    across = 3 * (first.shape[0] if scene.columns else first.shape[1])
    least = min(80 + 34 * across, FULL) if across <= 36 else 0
    chart(figure, key=f"compare_{name}", alt=words("compare.alt", name=_name(name, words)), least=least)
    arithmetic(_largest(scene, name, largest_change(first, second)))


def _shape(lesson: Lesson, name: str) -> str:
    return " × ".join(map(str, matrix(lesson.trace, name, 0).shape))


def _name(name: str, words: Words) -> str:
    """The matrix by its symbol; not the weights' A, which is the pinned setting here."""
    return words("playground.stages.weights") if name == "weights" else symbol(name)


def _largest(scene: Scene, name: str, change: Change | None) -> Markup:
    words = scene.words
    if change is None:
        return words.html("compare.none", name=_name(name, words))
    rows, columns = labels_of(scene, name)
    where = _name(name, words)
    if name not in WHOLE:
        where += f", {words('common.head_n', n=scene.focus.head + 1)}"
    return words.html(
        "compare.largest",
        where=f"{where} [{rows.texts[change.row]}, {columns.texts[change.column]}]",
        before=number(change.before, 3),
        after=number(change.after, 3),
        by=("+" if change.by > 0 else "") + number(change.by, 3),
    )
