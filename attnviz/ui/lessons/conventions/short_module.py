"""The short module with one head: its shapes, its weights, and sqrt(d_model) beside sqrt(d_k)."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import number
from attnviz.lab.notations.conventions import Divisors
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.lessons.conventions.story import times
from attnviz.words import Words


def short_answer(scene: Scene) -> int:
    """Its divisor beside sqrt(d_k): 1 smaller, 2 the same, 3 larger."""
    root = np.sqrt(scene.lesson.trace.layer.d_k)
    if np.isclose(scene.lesson.trace.scale, root):
        return 2
    return 1 if scene.lesson.trace.scale < root else 3


def short_texts(scene: Scene, table: Sequence[Divisors]) -> list[Markup]:
    """The coincidence, where it ends, how flat the weights are, how many parameters there are."""
    words, layer, weights = scene.words, scene.lesson.trace.layer, scene.lesson.trace.weights
    one, several = table[0], next((row for row in table if row.num_heads == 8), table[-1])
    count = sum(array.size for name, array in layer.parameters().items() if name != "w_o")
    return [
        words.html("conventions.short.coincide", d_model=layer.d_model, root=f"{one.by_d_k:g}"),
        words.html(
            "conventions.short.part",
            heads=several.num_heads,
            by_d_k=number(several.by_d_k),
            by_d_model=number(several.by_d_model),
            own=number(several.largest_by_d_k),
            whole=number(several.largest_by_d_model),
        ),
        words.html(
            "conventions.short.flat",
            count=weights.size,
            low=number(float(weights.min()), 3),
            high=number(float(weights.max()), 3),
            n=weights.shape[2],
            even=number(1 / weights.shape[2], 3),
        ),
        words.html("conventions.short.parameters", d_model=layer.d_model, parameters=f"{count:,}"),
    ]


def shapes_table(scene: Scene) -> Markup:
    """The module's tensors with their shapes."""
    trace = scene.lesson.trace
    layer = trace.layer
    rows = [
        ("x", trace.x.shape),
        ("query.weight", layer.w_q[0].T.shape),
        ("key.weight", layer.w_k[0].T.shape),
        ("value.weight", layer.w_v[0].T.shape),
        ("query.bias, key.bias, value.bias", layer.w_q[0, 0].shape),
        ("q, k, v", trace.query[0].shape),
        ("scores, weights", trace.weights[0].shape),
        ("weights @ v", trace.output.shape),
    ]
    body = Markup("").join(
        Markup("<tr><td><code>{}</code></td><td>{}</td></tr>").format(name, times(shape))
        for name, shape in rows
    )
    return Markup('<div class="av-scroll"><table class="av-table"><tbody>{}</tbody></table></div>').format(
        body
    )


def divisors_table(words: Words, table: Sequence[Divisors]) -> Markup:
    """sqrt(d_k) beside sqrt(d_model), and what each does to the weights."""
    d_k, d_model = (Markup("√<var>d</var><sub>{}</sub>").format(name) for name in ("k", "model"))
    largest = words("conventions.short.mean_largest")
    heads = [
        words("conventions.short.heads"),
        d_k,
        d_model,
        *(
            Markup("{}<br>{}").format(largest, words.html("conventions.short.divided_by", symbol=symbol))
            for symbol in (d_k, d_model)
        ),
    ]
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in heads)
    body = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            row.num_heads,
            *(
                number(value)
                for value in (row.by_d_k, row.by_d_model, row.largest_by_d_k, row.largest_by_d_model)
            ),
        )
        for row in table
    )
    return Markup(
        '<div class="av-scroll"><table class="av-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(head, body)
