"""What the page about images says, with the numbers of this picture."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.figures.labels import magnitude, number
from attnviz.lab.images import image_lesson
from attnviz.ui.lessons.images.pictures import View

RULE = 0.4  # a mean correlation beyond this is a rule
MOST_HEADS = 4  # whose correlations are written out


def times(shape: Sequence[int]) -> str:
    """A shape on one line: 36 × 8."""
    return "\u00a0×\u00a0".join(str(size) for size in shape)


def numbers_of_a_patch(view: View) -> dict[str, object]:
    """The sizes that the first question speaks of."""
    lesson = view.lesson
    h, w = lesson.image.shape[:2]
    return {"h": h, "w": w, "n": lesson.count, "patch_size": lesson.patch_size}


def patches_answer(view: View) -> int:
    """How many numbers a patch is: 1 p p, 2 three times as many, 3 d_model."""
    p, count = view.lesson.patch_size, view.lesson.patches.shape[1]
    return {p * p: 1, 3 * p * p: 2}.get(count, 3)


def first_numbers(view: View) -> Markup:
    """How the flattened patch begins."""
    values = view.lesson.patches[view.patch]
    shown = ", ".join(number(float(v)) for v in values[:6]) + ", …"
    return view.words.html("images.patches.first", numbers=shown, count=len(values))


def layer_formula(view: View) -> str:
    """x = (2 patch - 1) E with its sizes, in row or column notation; no user text."""
    inputs, d_model = view.lesson.layer.shape
    position = r" + P_i" if view.lesson.settings.position != "none" else ""
    patch, table = r"(2\,\mathrm{patch} - 1)", "E"
    if view.lesson.settings.notation == "columns":
        return (
            rf"\underset{{{d_model}\times 1}}{{x}} = \underset{{{d_model}\times {inputs}}}{{{table}^{{\top}}}}\;"
            rf"\underset{{{inputs}\times 1}}{{{patch}}}{position}"
        )
    return (
        rf"\underset{{1\times {d_model}}}{{x}} = \underset{{1\times {inputs}}}{{{patch}}}\;"
        rf"\underset{{{inputs}\times {d_model}}}{{{table}}}{position}"
    )


# --- who looks at whom ----------------------------------------------------------------------------


def look_answer(by_seed: Sequence[float]) -> int:
    """Whether weight follows likeness: 1 yes, 2 the opposite, 3 no rule; from the mean over the seeds."""
    mean = float(np.mean(by_seed))
    return 1 if mean >= RULE else 2 if mean <= -RULE else 3


def most_text(view: View) -> Markup:
    """Where the chosen patch looks most in the focused head."""
    row = view.lesson.trace.weights[view.head, view.patch]
    if not row.any():
        return view.words.html("images.look.empty", patch=view.patch_name())
    best = int(row.argmax())
    return view.words.html(
        "images.look.most",
        head=view.head_name(view.head),
        patch=view.patch_name(),
        other=view.patch_name(best),
        weight=number(float(row[best]), 3),
        n=len(row),
        even=number(1 / len(row), 3),
    )


def rule_text(view: View, by_seed: Sequence[float]) -> Markup:
    """The correlation of weights and likeness, head by head, and how it scatters over the seeds."""
    found = image_lesson.follows_likeness(view.lesson)
    shown = [
        view.words("images.look.in_head", value=number(value), head=view.head_name(h))
        for h, value in enumerate(found[:MOST_HEADS])
    ]
    values = {"correlations": ", ".join([*shown, *["…"] * (len(found) > MOST_HEADS)])}
    if len(by_seed) == 1:
        return view.words.html("images.look.rule_one", **values)
    return view.words.html(
        "images.look.rule",
        count=len(by_seed),
        low=number(min(by_seed)),
        high=number(max(by_seed)),
        **values,
    )


def equal_text(view: View) -> Markup:
    """The same with equal projections."""
    alike = image_lesson.follows_likeness(image_lesson.with_equal_projections(view.lesson))
    return view.words.html("images.look.equal", correlation=number(float(np.mean(alike))))


def shapes_text(view: View) -> str:
    """The shapes of the whole way."""
    trace = view.lesson.trace
    return view.words(
        "images.look.shapes",
        patches=times(view.lesson.patches.shape),
        x=times(trace.x.shape),
        query=times(trace.query.shape),
        weights=times(trace.weights.shape),
        head_outputs=times(trace.head_outputs.shape),
        output=times(trace.output.shape),
    )


# --- channels and heads ---------------------------------------------------------------------------


def moved(values: NDArray[np.floating]) -> int:
    """In how many places something moved more than rounding does."""
    return int((values > 1e-9 * (1.0 + float(values.max(initial=0.0)))).sum())


def channels_answer(x: NDArray[np.floating], heads: NDArray[np.floating]) -> int:
    """1 one and one, 2 one and many, 3 many and many."""
    if moved(x) > 1:
        return 3
    return 2 if max(moved(head) for head in heads) > 1 else 1


def channels_text(view: View, x: NDArray[np.floating], heads: NDArray[np.floating]) -> Markup:
    """Where x and the focused head changed."""
    return view.words.html(
        "images.channels.text",
        x=moved(x),
        n=view.lesson.count,
        head=view.head_name(view.head),
        heads=moved(heads[view.head]),
        least=magnitude(float(heads[view.head].min())),
        most=magnitude(float(heads[view.head].max())),
    )


def channels_table(view: View, x: NDArray[np.floating], heads: NDArray[np.floating]) -> Markup:
    """Where channels and heads are alike, and where not, each with a number of this picture."""
    words = view.words
    x_moved, output_moved = image_lesson.reordered(view.lesson)
    trace = view.lesson.trace
    values = {
        "places": {"heads": len(trace.head_outputs), "d_v": trace.value.shape[2]},
        "made": {},
        "order": {"x": magnitude(x_moved), "output": magnitude(output_moved)},
        "moves": {"x": moved(x), "heads": moved(heads[view.head]), "n": view.lesson.count},
    }
    verdicts = {"places": "alike", "order": "alike", "made": "unlike", "moves": "unlike"}
    body = Markup("").join(
        Markup(
            '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td class="av-muted av-nowrap">{}</td></tr>'
        ).format(
            words(f"images.channels.row_{row}"),
            words.html(f"images.channels.{row}_channels", **values[row]),
            words.html(f"images.channels.{row}_heads", **values[row]),
            words(f"images.channels.{verdict}"),
        )
        for row, verdict in verdicts.items()
    )
    return Markup(
        '<div class="av-scroll"><table class="av-table av-wide"><thead><tr><td></td><th scope="col">{}</th>'
        '<th scope="col">{}</th><td></td></tr></thead><tbody>{}</tbody></table></div>'
    ).format(words("images.channels.channels"), words("images.channels.heads"), body)
