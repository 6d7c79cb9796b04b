"""Rows or columns? And where in PyTorch?"""

from attnviz.lab.notations import conventions
from attnviz.lesson.lesson import is_random
from attnviz.lesson.settings import Settings, change
from attnviz.lesson.setups import setup
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import focus_of, lesson_of
from attnviz.ui.kit.page.sentence import sentence_box, token_strip
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.kit.page.steps import lesson as steps
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import note, notices
from attnviz.ui.kit.text.title import page_title
from attnviz.ui.lessons.conventions import parameter_counts, short_module, story, torch_story
from attnviz.ui.lessons.conventions import steps as draw

TERMS = ("query", "key", "value", "concatenation", "w_o", "mask", "residual", "d_model", "d_k", "d_v")


def page() -> None:
    """The whole page below the frame."""
    words = state.words()
    page_title("conventions", *TERMS)
    sentence_box()
    defined, left_out = conventions.definition(state.settings())
    near, moved = conventions.torch_sizes(defined)
    scene = _scene(defined)
    torch_scene = scene if near == defined else _scene(near)
    if scene is None or torch_scene is None:
        notices([words.html("playground.empty")])
        return
    token_strip(scene.lesson, scene.focus.query)
    _conditions(scene, left_out)
    way, short = story.walk_of(torch_scene), _scene(_short_settings())
    assert short is not None  # its sentence is ours
    steps(
        "conventions",
        [
            Step(
                "notations", lambda: draw.notations(scene, torch_scene), lambda: story.notations_answer(scene)
            ),
            Step(
                "torch",
                lambda: draw.torch(way, torch_scene, moved),
                lambda: torch_story.torch_answer(way),
                values=vars(story.sizes(torch_scene)),
            ),
            Step(
                "names",
                lambda: draw.names(scene, torch_scene),
                lambda: story.names_answer(torch_scene),
                values=story.names_question(torch_scene),
            ),
            Step(
                "short",
                lambda: draw.short(short),
                lambda: short_module.short_answer(short),
                values=vars(story.sizes(short)),
            ),
            Step("parameters", lambda: draw.parameters(scene), parameter_counts.parameters_answer),
        ],
    )
    if is_random(scene.lesson):
        note(words("common.untrained"))


def _scene(settings: Settings) -> Scene | None:
    lesson = lesson_of(settings)
    if lesson is None:
        return None
    lesson = conventions.trimmed(lesson)
    return Scene(lesson, focus_of(lesson), state.words(), state.palette())


def _short_settings() -> Settings:
    sentence = state.words()("common.setup.three_linear_sentence")
    settings, _ = change(state.settings(), **setup("three_linear"), sentence=sentence)
    return settings


def _conditions(scene: Scene, left_out: tuple[str, ...]) -> None:
    words, lines = scene.words, []
    if left_out:
        names = story.plain_names(words, left_out)
        lines.append(words.html("conventions.left_out", names=names))
    if max(scene.lesson.trace.scores.shape[1:]) == conventions.MOST_TOKENS:
        lines.append(words.html("conventions.cut", limit=conventions.MOST_TOKENS))
    notices(lines)
