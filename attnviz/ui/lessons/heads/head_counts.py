"""One large head or several small ones: what is counted, and what is said about it."""

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import magnitude
from attnviz.lab.heads.heads import head_counts
from attnviz.lab.heads.parameters import attention_parameters
from attnviz.lesson.lesson import Lesson
from attnviz.lesson.settings import Settings
from attnviz.ui.kit.pictures.scene import Scene


def counts(settings: Settings) -> list[tuple[int, int, int, int]]:
    """H, d_k = d_v, the numbers in one head's W^Q, and the parameters of the layer, where H d_k = d_model."""
    rows = []
    for heads in head_counts(settings.d_model):
        size = settings.d_model // heads
        total = attention_parameters(settings.d_model, heads, size, size, bias=settings.bias).attention
        rows.append((heads, size, settings.d_model * size, total))
    return rows


def one_answer(settings: Settings) -> int:
    """1 as many parameters whatever H, 2 more with more heads, 3 fewer."""
    totals = [total for *_, total in counts(settings)]
    return 1 if len(set(totals)) == 1 else 2 if totals[-1] > totals[0] else 3


def counts_table(scene: Scene) -> Markup:
    """The parameters for every number of heads that divides d_model, as a table."""
    words, settings = scene.words, scene.lesson.settings
    heading = Markup("").join(
        Markup('<th scope="col">{}</th>').format(words.html(f"heads.one.{name}"))
        for name in ("heads", "size", "matrix", "maps", "total")
    )
    rows = Markup("").join(
        Markup(
            "<tr><td>{}</td><td>{}</td><td>{} × {} = {:,}</td><td>{}</td><td><b>{:,}</b></td></tr>"
        ).format(heads, size, settings.d_model, size, matrix, heads, total)
        for heads, size, matrix, total in counts(settings)
    )
    return Markup('<div class="av-scroll"><table class="av-table tight"><tr>{}</tr>{}</table></div>').format(
        heading, rows
    )


def own_count(scene: Scene) -> Markup:
    """The parameters of the layer as it is set, which need not keep H d_k = d_model."""
    s = scene.lesson.settings
    total = attention_parameters(s.d_model, s.num_heads, s.d_k, s.d_v, bias=s.bias).attention
    name = "own" if s.num_heads * s.d_k == s.num_heads * s.d_v == s.d_model else "own_free"
    return scene.words.html(
        f"heads.one.{name}", heads=s.num_heads, d_k=s.d_k, d_v=s.d_v, d_model=s.d_model, total=f"{total:,}"
    )


def one_text(scene: Scene, one: Lesson) -> Markup:
    """H = 1: the concatenation is the head, W^O has one block."""
    trace = one.trace
    apart = float(np.abs(trace.concat - trace.head_outputs[0]).max())
    return scene.words.html("heads.one.text", difference=magnitude(apart), d_model=trace.x.shape[1])
