"""What the page about heads says, with the numbers of this case."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import magnitude, number, vector
from attnviz.lab.heads.heads import joined, with_mean_weights, without_heads
from attnviz.lesson.settings import Settings
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.lessons.heads.knobs import HeadsKnobs
from attnviz.ui.lessons.heads.pictures import image_of, plane_of

ROUNDING = 1e-9  # a difference that many times smaller than the numbers is rounding


def query(scene: Scene) -> Markup:
    """The token in focus."""
    position = scene.focus.query
    return token(scene.lesson.tokens.tokens[position], position, "query")


def key(scene: Scene, position: int) -> Markup:
    """A token that is looked at."""
    return token(scene.lesson.source.tokens[position], position, "key")


def head(scene: Scene, number_from_0: int) -> str:
    """A head's name."""
    return scene.words("common.head_n", n=number_from_0 + 1)


def _listed(scene: Scene, parts: Sequence[Markup]) -> Markup:
    return Markup(scene.words("heads.join")).join(parts)


def muted_heads(settings: Settings) -> tuple[int, ...]:
    """The muted heads that there are, counted from 0; what is no such head is passed over."""
    names = {part.strip() for part in settings.of(HeadsKnobs).muted.split(",")}
    return tuple(h for h in range(settings.num_heads) if str(h + 1) in names)


# --- channels -------------------------------------------------------------------------------------


def swapped(scene: Scene) -> tuple[float, float]:
    """How far the output moves if the heads' order is turned round: with their blocks of W^O, and without."""
    trace = scene.lesson.trace
    kept = joined(trace.head_outputs, trace.layer.w_o)
    turned = trace.head_outputs[::-1]
    both, alone = joined(turned, trace.layer.w_o[::-1]), joined(turned, trace.layer.w_o)
    return float(np.abs(both - kept).max()), float(np.abs(alone - kept).max())


def swap_answer(scene: Scene) -> int:
    """1 nothing changes, 2 columns change places, 3 all of it changes."""
    trace = scene.lesson.trace
    kept = joined(trace.head_outputs, trace.layer.w_o)
    both = joined(trace.head_outputs[::-1], trace.layer.w_o[::-1])
    if np.abs(both - kept).max() <= _rounding(kept):
        return 1
    return 2 if np.allclose(np.sort(both, axis=1), np.sort(kept, axis=1)) else 3


def _rounding(values: np.ndarray) -> float:
    return ROUNDING * (1.0 + float(np.abs(values).max()))


def channel_line(scene: Scene) -> Markup:
    """The pixel's three numbers and the token's views, written out."""
    image, (row, column) = image_of(scene.lesson.settings)
    red, green, blue = image[row, column].tolist()
    return scene.words.html("heads.channels.pixel", x=column, y=row, red=red, green=green, blue=blue)


def view_line(scene: Scene) -> Markup:
    """The views of the token in focus, one vector a head."""
    outputs = scene.lesson.trace.head_outputs[:, scene.focus.query]
    shown = list(range(len(outputs)))[:4]
    parts = [
        Markup('<span class="value">{}</span> <span class="av-muted">{}</span>').format(
            vector(outputs[h].tolist(), most=4), head(scene, h)
        )
        for h in shown
    ]
    if len(outputs) > len(shown):
        parts.append(Markup("…"))
    return scene.words.html("heads.channels.token", query=query(scene), views=_listed(scene, parts))


def channels_alike(scene: Scene) -> Markup:
    """How heads and channels are alike."""
    heads, _, d_v = scene.lesson.trace.head_outputs.shape
    return scene.words.html(
        "heads.channels.alike", heads=heads, d_v=d_v, width=heads * d_v, query=query(scene)
    )


def channels_unlike(scene: Scene) -> list[Markup]:
    """Where the likeness ends, each with a number."""
    trace, f = scene.lesson.trace, scene.focus
    if scene.lesson.cross:
        first = scene.words.html("heads.channels.unlike_cross", query=query(scene))
    else:
        weights = trace.weights[f.head, f.query]
        total = float(weights.sum())
        others = 1.0 - float(weights[f.query]) / total if total else 0.0
        first = scene.words.html(
            "heads.channels.unlike_others",
            share=f"{others:.0%}",
            head=head(scene, f.head),
            query=query(scene),
        )
    both, alone = swapped(scene)
    name = "unlike_names" if len(trace.head_outputs) > 1 else "unlike_one"
    second = scene.words.html(f"heads.channels.{name}", both=magnitude(both), alone=magnitude(alone))
    third = scene.words.html("heads.channels.unlike_size", d_v=trace.value.shape[2])
    return [first, second, third]


# --- planes ---------------------------------------------------------------------------------------


def agreeing(scene: Scene) -> tuple[int, int]:
    """In how many rows all heads look most at the same key, of how many rows that may look at all."""
    weights = scene.lesson.trace.weights
    best = weights.argmax(axis=2)  # (H, n)
    seeing = weights.any(axis=(0, 2))
    return int(((best == best[0]).all(axis=0) & seeing).sum()), int(seeing.sum())


def planes_answer(scene: Scene) -> int:
    """1 the same token in every head, 2 for some tokens, 3 never."""
    agree, rows = agreeing(scene)
    return 1 if agree == rows else 2 if agree else 3


def planes_text(scene: Scene) -> Markup:
    """What a panel shows, and how much of the truth it shows."""
    trace, f = scene.lesson.trace, scene.focus
    d_k, d_model = trace.query.shape[2], trace.x.shape[1]
    if d_k == 1:
        return scene.words.html("heads.planes.text_line") + narrow(scene, d_k, d_model)
    text = scene.words.html(
        "heads.planes.text", d_k=d_k, head=head(scene, f.head), share=f"{plane_of(scene, f.head).share:.0%}"
    )
    return text + narrow(scene, d_k, d_model)


def narrow(scene: Scene, d_k: int, d_model: int) -> Markup:
    """How many of the directions of x a head keeps, where it is not all."""
    return scene.words.html("heads.planes.narrow", d_k=d_k, d_model=d_model) if d_k < d_model else Markup("")


def planes_favourites(scene: Scene) -> Markup:
    """Which key each head likes best for the token in focus, and how often all heads agree."""
    weights = scene.lesson.trace.weights[:, scene.focus.query]  # (H, m)
    if not weights.any():
        return scene.words.html("heads.planes.empty", query=query(scene))
    parts = [
        scene.words.html(
            "heads.planes.favourite",
            head=head(scene, h),
            key=key(scene, int(row.argmax())),
            weight=number(float(row.max())),
        )
        for h, row in enumerate(weights[:4])
    ]
    agree, rows = agreeing(scene)
    return scene.words.html(
        "heads.planes.favourites", query=query(scene), list=_listed(scene, parts), agree=agree, rows=rows
    )


# --- blocks ---------------------------------------------------------------------------------------


def two_ways(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The sum of head_h W_h^O and the one product concat W^O, each (n, d_model)."""
    trace = scene.lesson.trace
    return trace.contributions.sum(axis=0), joined(trace.head_outputs, trace.layer.w_o)


def blocks_answer(scene: Scene) -> int:
    """1 equal up to rounding, 2 the sum is shorter, 3 it is longer."""
    added, at_once = two_ways(scene)
    if np.abs(added - at_once).max() <= _rounding(at_once):
        return 1
    return 2 if np.linalg.norm(added) < np.linalg.norm(at_once) else 3


def blocks_lines(scene: Scene) -> list[Markup]:
    """Both ways with their numbers for the token in focus, and the difference over all tokens."""
    trace, row = scene.lesson.trace, scene.focus.query
    added, at_once = two_ways(scene)
    shown = range(len(trace.contributions))[:3]
    parts = [
        Markup('{} <span class="av-muted">{}</span>').format(
            vector(trace.contributions[h, row].tolist(), most=4), head(scene, h)
        )
        for h in shown
    ]
    if len(trace.contributions) > len(shown):
        parts.append(Markup("…"))
    return [
        scene.words.html(
            "heads.blocks.added",
            query=query(scene),
            parts=Markup(" + ").join(parts),
            total=vector(added[row].tolist(), most=4),
        ),
        scene.words.html(
            "heads.blocks.at_once", query=query(scene), total=vector(at_once[row].tolist(), most=4)
        ),
        scene.words.html(
            "heads.blocks.difference",
            difference=magnitude(float(np.abs(added - at_once).max())),
            n=len(added),
            d_model=added.shape[1],
        ),
    ]


def blocks_text(scene: Scene) -> Markup:
    """What the picture shows; with several heads, that a mean of their weights is another thing."""
    trace = scene.lesson.trace
    heads, _, d_v = trace.head_outputs.shape
    text = scene.words.html("heads.blocks.text", heads=heads, d_v=d_v, d_model=trace.x.shape[1])
    if heads == 1:
        return text
    apart = float(np.abs(with_mean_weights(trace) - trace.contributions.sum(axis=0)).max())
    return text + scene.words.html("heads.blocks.mean", apart=magnitude(apart))


# --- muting ---------------------------------------------------------------------------------------


def mute_answer(scene: Scene, muted: Sequence[int]) -> int:
    """1 only some tokens' outputs change, 2 all of them, 3 none."""
    output = scene.lesson.trace.output
    moved = (np.abs(output - without_heads(scene.lesson.trace, muted)) > _rounding(output)).any(axis=1)
    return 2 if moved.all() else 1 if moved.any() else 3


def mute_text(scene: Scene, muted: Sequence[int]) -> Markup:
    """By how much the output of the token in focus moves."""
    trace, row = scene.lesson.trace, scene.focus.query
    left = without_heads(trace, muted)
    if not muted:
        return scene.words.html("heads.mute.none")
    moved = int((np.abs(trace.output - left) > _rounding(trace.output)).any(axis=1).sum())
    return scene.words.html(
        "heads.mute.text",
        muted=_listed(scene, [Markup.escape(head(scene, h)) for h in muted]),
        query=query(scene),
        before=number(float(np.linalg.norm(trace.output[row]))),
        after=number(float(np.linalg.norm(left[row]))),
        change=number(float(np.linalg.norm(trace.output[row] - left[row]))),
        moved=moved,
        n=len(left),
    )
