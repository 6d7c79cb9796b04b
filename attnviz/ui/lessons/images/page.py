"""Are pictures tokens too?"""

from dataclasses import dataclass
from functools import cache

import streamlit as st

from attnviz.lab.images import image_lesson
from attnviz.lab.images.image_lesson import ImageLesson, make_image_lesson
from attnviz.lab.images.images import IMAGES, MOST_PATCHES, PATCH_SIZES, Image, fitting_grid
from attnviz.ui.kit import state, style
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.page.steps import lesson as steps
from attnviz.ui.kit.session import session
from attnviz.ui.kit.style import SPLIT
from attnviz.ui.kit.text.prose import note, notices
from attnviz.ui.kit.text.title import page_title
from attnviz.ui.lessons.images import steps as draw
from attnviz.ui.lessons.images import story, uploads
from attnviz.ui.lessons.images.knobs import ImagesKnobs
from attnviz.ui.lessons.images.pictures import View

LONGEST = 96  # pixels of an uploaded picture's longer side


@dataclass
class Uploaded:
    """The file that the reader uploaded last: its id, and the picture or what is wrong with it."""

    file_id: str = ""
    found: Image | str = ""


def page() -> None:
    """The whole page below the frame."""
    words, settings = state.words(), state.settings()
    page_title("images", "token", "embedding", "position", "head", "head_output", "weights")
    lesson = _controls()
    patch = min(settings.of(ImagesKnobs).patch, lesson.count - 1)
    head = min(settings.head, settings.num_heads) - 1
    view = View(lesson, patch, head, words, state.theme())
    by_seed = cache(lambda: image_lesson.follows_likeness_by_seed(lesson))  # only where a step is open
    moved = cache(lambda: image_lesson.repainted(lesson, patch))
    steps(
        "images",
        [
            Step(
                "patches",
                lambda: draw.patches(view),
                lambda: story.patches_answer(view),
                values=story.numbers_of_a_patch(view),
            ),
            Step("look", lambda: draw.look(view, by_seed()), lambda: story.look_answer(by_seed())),
            Step(
                "channels",
                lambda: draw.channels(view, *moved()),
                lambda: story.channels_answer(*moved()),
                values={"patch": view.patch_name(), "n": lesson.count},
            ),
        ],
    )
    note(words("images.untrained"))


def _controls() -> ImageLesson:
    """The picture, the patch size and the reader's own file; the lesson that they make."""
    words, settings = state.words(), state.settings()
    left, right = st.columns(SPLIT, gap="medium")
    with left:
        st.segmented_control(
            words("images.picture"),
            list(IMAGES),
            format_func=lambda name: words(f"images.{name}"),
            required=True,
            **state.widget("image"),
        )
        st.select_slider(words("images.patch_size"), PATCH_SIZES, **state.widget("patch_size"))
    with right:
        uploaded = _upload()
    knobs = settings.of(ImagesKnobs)
    patch_size = int(knobs.patch_size)
    if uploaded is None:
        return make_image_lesson(settings, IMAGES[knobs.image](), patch_size)
    h, w = uploaded.shape[:2]
    rows, columns = fitting_grid(h, w, patch_size, MOST_PATCHES, LONGEST)
    note(
        words(
            "images.upload_scaled",
            rows=rows,
            columns=columns,
            patch_size=patch_size,
            most=MOST_PATCHES,
        )
    )
    image = uploads.resized(uploaded, rows * patch_size, columns * patch_size)
    return make_image_lesson(settings, image, patch_size)


def _upload() -> Image | None:
    """The reader's own picture, decoded once a file; None where there is none or it cannot be taken."""
    words, uploaded = state.words(), session().of(Uploaded)
    with st.container(key="file_box_picture"):
        most = words("images.most", limit=uploads.LIMIT_MEGABYTES)
        st.html(style.upload_words("file_box_picture", words("file.pick"), most))
        file = st.file_uploader(
            words("images.upload", limit=uploads.LIMIT_MEGABYTES),
            type=["png", "jpg", "jpeg"],
            max_upload_size=uploads.LIMIT_MEGABYTES,
            key="upload",
        )
    note(words("images.upload_note"))
    if file is None:
        uploaded.file_id, uploaded.found = "", ""
        return None
    if uploaded.file_id != file.file_id:
        uploaded.file_id, uploaded.found = file.file_id, _read(file.getvalue())
    if isinstance(uploaded.found, str):
        notices(
            [
                words.html(
                    f"images.problem.{uploaded.found}",
                    limit=uploads.LIMIT_MEGABYTES,
                    pixels=uploads.LIMIT_PIXELS // 10**6,
                    ratio=uploads.LIMIT_RATIO,
                )
            ]
        )
        return None
    return uploaded.found


def _read(data: bytes) -> Image | str:
    try:
        return uploads.read_picture(data)
    except uploads.PictureError as error:
        return error.problem
