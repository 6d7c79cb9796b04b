"""Change it by hand: the matrices that a station's numbers come from, each in a grid."""

import streamlit as st

from attnviz.lesson.editing import edited_sheet, without_sheet
from attnviz.lesson.edits import AXES, NO_EDITS
from attnviz.lesson.lesson import editable
from attnviz.ui.kit import state
from attnviz.ui.kit.array_names import array_name
from attnviz.ui.kit.edited import edits_of, put_edits
from attnviz.ui.kit.page.pressed import pressed
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import label, note
from attnviz.ui.playground.edit.grid import editing, forget_refusals, grid, plain_lesson, refusals
from attnviz.words import Words

HIGH, LOW = 420, 240  # pixels of the grid; what is longer scrolls in it


def edit_button(words: Words) -> None:
    """Open or close the grids; they stay open from station to station."""
    st.button(
        pressed(words("edit.edit"), editing().open),
        icon=":material/edit:",
        type="tertiary",
        key="edit",
        on_click=_open_or_close,
    )


def edit_grids(stage: str, scene: Scene, *, wide: bool = False) -> None:
    """The grids of the station, where they are open: beside the picture that changes with them, or low and `wide`."""
    if not editing().open:
        forget_refusals()
        return
    names = [name for name in EDITED_AT[stage] if name in editable(scene.lesson)]
    with st.container(key="edit_box", gap="small"):
        left, right = st.columns((3, 1), gap="medium") if wide else (st.container(), st.container())
        with left:
            name = _which(stage, names, scene.words)
            grid(scene, name, highest=LOW if wide else HIGH)
        with right:
            refusals(scene, name)
            note(scene.words("edit.mask_hint" if name == "keep" else "edit.hint"))
            _resets(scene, name)


def _open_or_close() -> None:
    editing().open = not editing().open
    state.touch()


def _which(stage: str, names: list[str], words: Words) -> str:
    """The matrix to edit, picked where there are several."""
    if len(names) == 1:
        label(array_name(names[0], words))
        return names[0]
    chosen = st.segmented_control(
        words("edit.which"),
        names,
        format_func=lambda name: array_name(name, words).replace("_", "\\_"),
        required=True,
        default=names[0],
        label_visibility="collapsed",
        key=f"edit_{stage}",
    )
    return chosen if chosen in names else names[0]


def _resets(scene: Scene, name: str) -> None:
    words, head = scene.words, scene.focus.head
    drawn = scene.lesson.settings.mask == "drawn"
    edited = drawn if name == "keep" else edited_sheet(scene.lesson, name, head) is not None
    title = array_name(name, words)
    if AXES[name][0] == "num_heads" and name != "w_o":
        title = f"{title}, {words('common.head_n', n=head + 1)}"
    with st.container(horizontal=True, gap="small", key="edit_resets"):
        st.button(
            words("edit.reset", name=title.replace("_", "\\_")),
            key="edit_reset",
            disabled=not edited,
            on_click=_reset,
            args=(scene, name),
        )
        st.button(
            words("edit.reset_all"),
            key="edit_reset_all",
            disabled=not (drawn or scene.lesson.settings.edits),
            on_click=lambda: put_edits(NO_EDITS, **_mask_before()),
        )


def _reset(scene: Scene, name: str) -> None:
    edits = edits_of(state.settings())
    if name == "keep":
        put_edits(edits.without(["keep"]), **_mask_before())
    else:
        put_edits(without_sheet(plain_lesson(scene), edits, name, scene.focus.head))


def _mask_before() -> dict[str, str]:
    """The mask that was chosen before one was drawn."""
    if state.settings().mask != "drawn":
        return {}
    return {"mask": editing().mask_before, "drawn": ""}


_SCORES = ("score_w", "score_w_query", "score_w_key", "score_v", "w_q", "w_k")
EDITED_AT: dict[str, tuple[str, ...]] = {
    "x": ("x", "x_source"),
    "qkv": ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "scores": _SCORES,
    "scaled": _SCORES,
    "masked": ("keep",),
    "weights": (*_SCORES, "keep"),
    "heads": ("w_v", "b_v"),
    "concat": ("w_v", "b_v"),
    "output": ("w_o", "b_o"),
}
