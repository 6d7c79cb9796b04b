"""What the page about masks says, with the numbers of this case."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.core.masks import causal_mask
from attnviz.figures.labels import number
from attnviz.lab.decoding.growth import added_mask_weights
from attnviz.lesson.lesson import call_arguments
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.lessons.masks.pictures import keep_of

ROUNDING = 1e-9
MOST_SHOWN = 8  # numbers of a row that are written out
LARGE = -1e9

Floats = NDArray[np.floating]


def query(scene: Scene, position: int | None = None) -> Markup:
    """A token that looks, by default the one in focus."""
    at = scene.focus.query if position is None else position
    return token(scene.lesson.tokens.tokens[at], at, "query")


def alignment(scene: Scene) -> Markup:
    """How many keys the last query sees under either alignment of the causal mask."""
    n, m = scene.lesson.trace.scores.shape[1:]
    left, right = (int(causal_mask(n, m, align)[-1].sum()) for align in ("top_left", "bottom_right"))
    name = "aligned" if n == m else "unaligned"
    return scene.words.html(
        f"masks.kinds.{name}", n=n, m=m, left=left, right=right, query=query(scene, n - 1)
    )


# --- the empty row -------------------------------------------------------------------------------------


def empty_row(scene: Scene) -> tuple[int, bool]:
    """A row of the drawn mask in which nothing may be looked at, and whether it was drawn so.

    The query in focus where it is empty, else the first empty one; where none is, the query in focus as an example.
    """
    empty = np.asarray(~keep_of(scene, "drawn").any(axis=1))
    if not empty.any():
        return scene.focus.query, False
    return (scene.focus.query if empty[scene.focus.query] else int(empty.argmax())), True


def emptied(scene: Scene, row: int) -> AttentionTrace:
    """The pass of this one query with every key hidden from it."""
    trace = scene.lesson.trace
    m = len(trace.x_source)
    arguments = call_arguments(scene.lesson.settings, 1, m) | {"keep": np.zeros((1, m), np.bool_)}
    return trace.layer(trace.x[row : row + 1], trace.x_source, **arguments)


def empty_answer(scene: Scene) -> int:
    """What the weights of an empty row are: 1 all equal, 2 all 0, 3 not a number."""
    weights = emptied(scene, empty_row(scene)[0]).weights
    return 3 if np.isnan(weights).any() else 2 if not weights.any() else 1


def empty_text(scene: Scene) -> Markup:
    """Which row is empty, and what becomes of its output."""
    row, drawn = empty_row(scene)
    trace = emptied(scene, row)
    kind = ("x" if trace.residual else "") + ("b" if trace.layer.b_o is not None else "") or "zero"
    return scene.words.html(
        "masks.drawn.empty" if drawn else "masks.drawn.example", query=query(scene, row)
    ) + scene.words.html(f"masks.drawn.output_{kind}", length=number(float(np.linalg.norm(trace.output))))


def empty_why(scene: Scene) -> Markup:
    """Why adding a large negative number does not do."""
    scores = scene.lesson.trace.scaled[scene.focus.head, empty_row(scene)[0]].astype(np.float32)
    even = float(np.ptp(added_mask_weights(scores, LARGE))) == 0.0
    return scene.words.html("masks.drawn.why" if even else "masks.drawn.why_uneven")


def empty_table(scene: Scene) -> Markup:
    """The weights of the empty row, by how the mask is applied."""
    row, _ = empty_row(scene)
    head = scene.focus.head
    scores = scene.lesson.trace.scaled[head, row]
    single, double = scores.astype(np.float32), scores.astype(np.float64)
    ways = {
        "selected": emptied(scene, row).weights[head, 0],
        "infinity": added_mask_weights(double, -np.inf),
        "large": added_mask_weights(single, LARGE),
        "large_double": added_mask_weights(double, LARGE),
    }
    words = scene.words
    rows = [
        Markup('<tr><th scope="row">{}</th><td>{}</td></tr>').format(
            words.html(f"masks.drawn.{name}"), _numbers(weights)
        )
        for name, weights in ways.items()
    ]
    heading = Markup('<tr><th scope="col">{}</th><th scope="col">{}</th></tr>').format(
        words("masks.drawn.way"), words.html("masks.drawn.row", query=query(scene, row))
    )
    return table(heading, rows)


def _numbers(values: Floats) -> str:
    shown = ["NaN" if np.isnan(v) else number(float(v)) for v in values[:MOST_SHOWN]]
    return " ".join([*shown, "…"] if len(values) > MOST_SHOWN else shown)


def table(heading: Markup, rows: Sequence[Markup]) -> Markup:
    """A table of HTML that scrolls sideways where it is too wide."""
    html = Markup('<div class="av-scroll"><table class="av-table">{}{}</table></div>')
    return html.format(heading, Markup("").join(rows))


# --- polarity ------------------------------------------------------------------------------------------

# API, its argument, what True means there, what a row gives in which nothing may be looked at.
APIS = (
    ("attnviz attend", "keep", "look", "zeros"),
    ("PyTorch scaled_dot_product_attention", "attn_mask", "look", "zeros"),
    ("PyTorch nn.MultiheadAttention", "attn_mask, key_padding_mask", "hide", "nan"),
    ("Keras MultiHeadAttention", "attention_mask", "look", "zeros"),
    ("ONNX Attention", "attn_mask", "look", "zeros"),
)


def polarity_answer(scene: Scene) -> int:
    """What is seen through a causal mask read as its opposite: 1 the past, 2 the future, 3 everything."""
    n, m = scene.lesson.trace.scores.shape[1:]
    meant = causal_mask(n, m)
    seen = ~meant
    return 3 if seen.all() else 1 if (seen & meant).any() else 2


def polarity_table(scene: Scene) -> Markup:
    """What True means in which library."""
    words = scene.words
    heading = Markup("").join(
        Markup('<th scope="col">{}</th>').format(words(f"masks.polarity.{name}"))
        for name in ("api", "argument", "true", "empty")
    )
    rows = [
        Markup("<tr><td><code>{}</code></td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>").format(
            api, argument, words.html(f"masks.polarity.{meaning}"), words.html(f"masks.polarity.{empty}")
        )
        for api, argument, meaning, empty in APIS
    ]
    return table(Markup("<tr>{}</tr>").format(heading), rows)


def polarity_text(scene: Scene) -> Markup:
    """How many tokens the one in focus sees, as meant and misread, and who then sees nothing."""
    n, m = scene.lesson.trace.scores.shape[1:]
    meant = causal_mask(n, m)
    row = scene.focus.query
    return scene.words.html(
        "masks.polarity.text",
        query=query(scene),
        meant=int(meant[row].sum()),
        misread=int((~meant[row]).sum()),
        blind=int(meant.all(axis=1).sum()),
        n=n,
    )
