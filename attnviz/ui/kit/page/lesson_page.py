"""What the lesson pages about a sentence share: title and glossary, sentence, tokens, steps."""

from collections.abc import Callable, Sequence

from attnviz.lesson.budget import PageCost, nothing_more, token_limit
from attnviz.lesson.lesson import is_random
from attnviz.ui.kit import state
from attnviz.ui.kit.page.lessons import focus_of, lesson_of
from attnviz.ui.kit.page.sentence import sentence_box, token_strip
from attnviz.ui.kit.page.source import source_box
from attnviz.ui.kit.page.steps import Step, lesson
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.prose import note, notices
from attnviz.ui.kit.text.title import page_title


def lesson_page(
    page: str,
    steps: Callable[[Scene], Sequence[Step]],
    *,
    terms: Sequence[str],
    cost: PageCost = nothing_more,
    source: bool = False,
) -> None:
    """The page: its title, the glossary of `terms`, the sentence (and the source), and its steps.

    cost says what the steps compute beyond the lesson: of the sentence as much is used as the page can afford.
    """
    words = state.words()
    page_title(page, *terms)
    sentence_box()
    if source:
        source_box()
    made = lesson_of(state.settings(), token_limit(state.settings(), cost))
    if made is None:
        notices([words.html("playground.empty")])
        return
    scene = Scene(made, focus_of(made), words, state.palette())
    token_strip(made, scene.focus.query)
    lesson(page, steps(scene))
    if is_random(made):
        note(words("common.untrained"))
