"""What the page about notations says, with the numbers of this case: tables, comparisons, answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.masks import Keep, causal_mask
from attnviz.figures.labels import magnitude, number
from attnviz.lab.notations.conventions import FORMULAS, NAMES, Sizes, case_of
from attnviz.lab.notations.notations import NOTATIONS, columns, largest_difference
from attnviz.lab.notations.torch_walk import TorchParameters, TorchWalk, walk
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.words import Words

ROUNDING = 1e-9  # a difference below this share of the numbers is rounding


def query(scene: Scene) -> Markup:
    """The token in focus."""
    at = scene.focus.query
    return token(scene.lesson.tokens.tokens[at], at, "query")


def same(difference: float, *arrays: NDArray[np.floating]) -> bool:
    """Whether a difference is rounding only, beside these numbers."""
    return difference <= ROUNDING * (1.0 + max(float(np.abs(a).max(initial=0.0)) for a in arrays))


def sizes(scene: Scene) -> Sizes:
    """The sizes of the scene."""
    layer = scene.lesson.trace.layer
    n, m = scene.lesson.trace.scores.shape[1:]
    return Sizes(n, m, layer.d_model, layer.num_heads, layer.d_k, layer.d_v)


def times(shape: Sequence[int]) -> str:
    """A shape on one line: 5 × 8."""
    return "\u00a0×\u00a0".join(str(size) for size in shape)


def plain_names(words: Words, names: Sequence[str]) -> str:
    """The settings by their names on screen."""
    return ", ".join(words.either(f"common.names.{name}", name) for name in names)


# --- notations ------------------------------------------------------------------------------------


def differences(scene: Scene, torch_scene: Scene) -> dict[str, tuple[float, str]]:
    """Of each notation: the largest difference from our weights and output, and its output's shape.

    PyTorch is compared at the sizes it can have, against our layer at the same sizes.
    """
    found = {}
    for name, write in NOTATIONS.items():
        lesson = (torch_scene if name == "torch" else scene).lesson
        written = write(case_of(lesson))
        ours = (lesson.trace.weights, lesson.trace.output)
        found[name] = largest_difference(ours, written.rows()), times(written.output.shape)
    return found


def notations_answer(scene: Scene) -> int:
    """1 no number changes in columns, 2 the weights do, 3 the output does."""
    trace = scene.lesson.trace
    weights, output = columns(case_of(scene.lesson)).rows()
    if not same(largest_difference((trace.output,), (output,)), trace.output):
        return 3
    return 1 if same(largest_difference((trace.weights,), (weights,)), trace.weights) else 2


def notations_text(scene: Scene) -> Markup:
    """Rows and columns give the same."""
    trace = scene.lesson.trace
    difference = largest_difference((trace.weights, trace.output), columns(case_of(scene.lesson)).rows())
    return scene.words.html("conventions.notations.text", difference=magnitude(difference))


def trap_text(scene: Scene) -> Markup:
    """What happens where softmax keeps running along the rows."""
    wrong = columns(case_of(scene.lesson), softmax_axis=1)
    moved = largest_difference((scene.lesson.trace.output,), (wrong.rows()[1],))
    total = float(wrong.weights[scene.focus.head, :, scene.focus.query].sum())
    return scene.words.html(
        "conventions.notations.trap", query=query(scene), sum=number(total), moved=magnitude(moved)
    )


def forms_table(scene: Scene, torch_scene: Scene) -> str:
    """The notations with their formulas and differences, as a Markdown table without any user text."""
    words = scene.words
    heads = ("notation", "formula", "output", "difference")
    lines = [
        "| " + " | ".join(words(f"conventions.notations.{name}") for name in heads) + " |",
        "|:--|:--|:--|:--|",
    ]
    for name, (difference, shape) in differences(scene, torch_scene).items():
        title = words(f"conventions.notations.{'columns_name' if name == 'columns' else name}")
        lines.append(f"| {title} | ${FORMULAS[name]}$ | {shape} | {magnitude(difference)} |")
    return "\n".join(lines)


def folding_text(scene: Scene) -> Markup:
    """What the short form folds in."""
    layer, case = scene.lesson.trace.layer, case_of(scene.lesson)
    return scene.words.html(
        "conventions.notations.folding",
        divisor=number(case.divisor),
        d_model=layer.d_model,
        d_v=layer.d_v,
        adds=scene.words(f"conventions.notations.{'adds' if case.residual else 'leaves'}"),
    )


def rows_and_columns(scene: Scene) -> tuple[Scene, Scene]:
    """The scene with tokens as rows, and with tokens as columns."""
    lesson = scene.lesson
    first, second = (
        replace(lesson, settings=replace(lesson.settings, notation=n)) for n in ("rows", "columns")
    )
    return replace(scene, lesson=first), replace(scene, lesson=second)


def walk_of(scene: Scene, blocked: Keep | None = None) -> TorchWalk:
    """The walk of a scene with PyTorch's sizes; `blocked` stands in for its mask, in PyTorch's meaning."""
    case = case_of(scene.lesson)
    if blocked is None and case.keep is not None:
        blocked = ~case.keep
    source = case.source if scene.lesson.cross else None
    return walk(TorchParameters.of(case.layer, case.divisor), case.x, source, attn_mask=blocked)


# --- names ----------------------------------------------------------------------------------------


def names_answer(torch_scene: Scene) -> int:
    """1 the first token may look at the last, 2 it may not, 3 the mask changes nothing."""
    n, m = torch_scene.lesson.trace.scores.shape[1:]
    mask = np.zeros((n, m), bool)
    mask[0, -1] = True
    before = walk_of(torch_scene, np.zeros((n, m), bool)).weights[0, :, 0, -1]
    after = walk_of(torch_scene, mask).weights[0, :, 0, -1]
    if (after == 0).all():
        return 2
    return 3 if np.array_equal(before, after) else 1


def names_question(scene: Scene) -> dict[str, object]:
    """The two tokens that the question speaks of."""
    last = len(scene.lesson.source.tokens) - 1
    first = token(scene.lesson.tokens.tokens[0], 0, "query")
    return {"first": first, "key": token(scene.lesson.source.tokens[last], last, "key"), "last": last}


def names_table(scene: Scene, torch_scene: Scene) -> Markup:
    """Names, shapes and meanings, one column a notation."""
    words = scene.words
    head = Markup("").join(
        Markup('<th scope="col">{}</th>').format(
            words(f"conventions.notations.{'columns_name' if name == 'columns' else name}")
        )
        for name in NOTATIONS
    )
    rows = Markup("").join(_names_row(thing, scene, torch_scene) for thing in NAMES)
    return Markup(
        '<div class="av-scroll"><table class="av-table av-names"><thead><tr><th scope="col">{}</th>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(words("conventions.names.thing"), head, rows)


def _names_row(thing: str, scene: Scene, torch_scene: Scene) -> Markup:
    cells = Markup("")
    for name, cell in NAMES[thing].items():
        at = sizes(torch_scene if name == "torch" else scene)
        parts = [Markup(cell.name)] if cell.name else []
        if cell.word:
            parts.append(scene.words.html(f"conventions.names.{cell.word}"))
        if cell.shape is not None:
            parts.append(Markup('<span class="av-muted">{}</span>').format(times(cell.shape(at))))
        cells += Markup("<td>{}</td>").format(Markup("<br>").join(parts))
    title = scene.words(f"conventions.names.{thing}")
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(title, cells)


def shared_mask(torch_scene: Scene) -> tuple[Keep, str]:
    """The mask that is handed to both functions, and the key of its name: the reader's, else a causal one."""
    keep = case_of(torch_scene.lesson).keep
    if keep is not None:
        return keep, "own_mask"
    return causal_mask(*torch_scene.lesson.trace.scores.shape[1:]), "causal"


def readings_text(torch_scene: Scene, kept: TorchWalk, blocked: TorchWalk) -> Markup:
    """How much weight falls on the keys marked True, in the one reading and in the other."""
    mask, _ = shared_mask(torch_scene)
    f = torch_scene.focus
    shares = [float(way.weights[0, f.head, f.query, mask[f.query]].sum()) for way in (kept, blocked)]
    text = torch_scene.words.html(
        "conventions.names.readings",
        query=query(torch_scene),
        kept=number(shares[0]),
        blocked=number(shares[1]),
    )
    empty = int((blocked.weights[0, f.head] == 0).all(axis=-1).sum())
    return text + torch_scene.words.html("conventions.names.readings_empty", count=empty) if empty else text
