"""What the page about masks says, with the numbers of this case."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.core.masks import Keep, causal_mask
from attnviz.figures.labels import number
from attnviz.lab.decoding.growth import added_mask_weights
from attnviz.lesson.lesson import call_arguments
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.lessons.masks.pictures import keep_of

LEAST = 1e-290  # below it floats lose their digits
LONG = 1e6  # of a factor, from here on a power of ten
ROUNDING = 1e-9
MOST_SHOWN = 8  # numbers of a row that are written out
LARGE = -1e9

Floats = NDArray[np.floating]


def query(scene: Scene, position: int | None = None) -> Markup:
    """A token that looks, by default the one in focus."""
    at = scene.focus.query if position is None else position
    return token(scene.lesson.tokens.tokens[at], at, "query")


# --- what a mask does with the weights ---------------------------------------------------------------


def shown_mask(scene: Scene) -> str:
    """The mask in force; the causal one as an example where none is."""
    chosen = scene.lesson.settings.mask
    return "causal" if chosen == "none" else chosen


@dataclass(frozen=True, eq=False)
class Before:
    """A query from which the mask hides something, but not all: its weights (m,) without the mask and with it."""

    row: int
    keep: Keep
    scores: Floats  # scaled
    free: Floats
    masked: Floats

    softmax: bool

    @property
    def gone(self) -> bool:
        """Whether softmax gave the kept keys so little that a float cannot say it; their scores still can."""
        return self.softmax and float(self.free[self.keep].sum()) < LEAST

    def shares(self) -> Floats:
        """What each kept key had of all that the kept ones had, without the mask."""
        kept: Floats = self.free[self.keep]
        if self.gone:
            return np.asarray(np.exp(self.scores[self.keep] - np.logaddexp.reduce(self.scores[self.keep])))
        total = float(kept.sum())
        return kept / total if total else kept

    def times(self) -> tuple[float, float]:
        """How many times as large the kept weights together are with the mask, and log10 of that.

        Infinite where they were 0.
        """
        before, after = float(self.free[self.keep].sum()), float(self.masked[self.keep].sum())
        if self.gone:
            more = np.logaddexp.reduce(self.scores) - np.logaddexp.reduce(self.scores[self.keep])
            return math.inf, float(more) / math.log(10)
        return (after / before, math.log10(after / before)) if before and after else (math.inf, math.inf)


def before_and_after(scene: Scene) -> Before | None:
    """The query in focus where the mask hides a part of its keys, else the first such query; None where there is none."""
    keep = keep_of(scene, shown_mask(scene))
    partly = np.asarray(keep.any(axis=1) & ~keep.all(axis=1))
    if not partly.any():
        return None
    row = scene.focus.query if partly[scene.focus.query] else int(partly.argmax())
    scores = scene.lesson.trace.scaled[scene.focus.head, row]
    normalizer = scene.lesson.trace.recipe.normalizer.function
    softmax = scene.lesson.settings.normalizer == "softmax"
    return Before(row, keep[row], scores, normalizer(scores), normalizer(scores, keep[row]), softmax)


def share_answer(scene: Scene) -> int:
    """Who gets the weight that a mask takes away: 1 nobody, 2 the others in proportion, 3 otherwise."""
    found = before_and_after(scene)
    if found is None:
        return 1
    masked = found.masked[found.keep]
    if np.allclose(found.free[found.keep], masked, rtol=0, atol=ROUNDING):
        return 1
    return 2 if np.allclose(found.shares(), masked / masked.sum(), rtol=0, atol=ROUNDING) else 3


def share_text(scene: Scene) -> Markup:
    """What the mask takes from a query, and where it goes."""
    words, name = scene.words, shown_mask(scene)
    said = words.html(f"masks.kinds.{name}")
    text = words.html("masks.kinds.named", mask=words(f"common.mask.{name}"), text=said)
    if scene.lesson.settings.mask == "none":
        text = words.html("masks.kinds.example") + text
    found = before_and_after(scene)
    if found is None:
        return text + words.html("masks.kinds.nothing")
    normalizer = scene.lesson.settings.normalizer
    key = f"masks.kinds.taken_{normalizer}"
    return text + words.html(
        key if key in words else "masks.kinds.taken_other",
        normalizer=normalizer,
        query=query(scene, found.row),
        hidden=int((~found.keep).sum()),
        m=len(found.keep),
        lost=number(float(found.free[~found.keep].sum())),
        factor=_factor(*found.times()),
        sum=number(float(found.masked[found.keep].sum())),
    )


def _factor(times: float, power: float) -> Markup:
    """How many times as large, as a power of ten where it is long."""
    if times < LONG:
        return Markup(number(times))
    return Markup("10<sup>{}</sup>").format(number(power, 0) if math.isfinite(power) else "∞")


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
