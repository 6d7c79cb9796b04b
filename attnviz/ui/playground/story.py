"""What is said at a station: one paragraph with a number of this case."""

from collections.abc import Callable

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import number, vector
from attnviz.ui.kit.pictures.scene import Scene, perplexity, seen_keys
from attnviz.ui.kit.text.markup import token
from attnviz.ui.playground.sums import key_token, query_token


def paragraph(stage: str, scene: Scene) -> Markup:
    """What happens at this station, with a number of this case."""
    return PARAGRAPHS[stage](scene)


def _p_x(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    tokens = scene.lesson.tokens
    return scene.words.html(
        "playground.story.x",
        d_model=trace.x.shape[1],
        query=query_token(scene),
        id=tokens.ids[f.query],
        length=number(float(np.linalg.norm(trace.x[f.query]))),
        repeated=_repeated(scene),
    )


def _repeated(scene: Scene) -> Markup:
    tokens = scene.lesson.tokens.tokens
    twice = [t for i, t in enumerate(tokens) if t in tokens[:i]]
    if not twice or scene.lesson.settings.position != "none":
        return Markup("")
    first, second = tokens.index(twice[0]), tokens.index(twice[0], tokens.index(twice[0]) + 1)
    if not np.array_equal(scene.lesson.trace.x[first], scene.lesson.trace.x[second]):
        return Markup("")  # put in by hand
    return scene.words.html(
        "playground.story.x_repeated",
        first=token(twice[0], first, "query"),
        second=token(twice[0], second, "query"),
    )


def _p_qkv(scene: Scene) -> Markup:
    layer = scene.lesson.trace.layer
    a_head = layer.d_model * (2 * layer.d_k + layer.d_v)
    return scene.words.html(
        "playground.story.qkv", n=len(scene.lesson.tokens.tokens), d_model=layer.d_model, d_k=layer.d_k,
        d_v=layer.d_v, a_head=f"{a_head:,}",
    )  # fmt: skip


def _p_scores(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    row = trace.scores[f.head, f.query]
    best, name = int(row.argmax()), trace.recipe.score.name
    key = f"playground.story.scores_{name}"
    return scene.words.html(
        key if key in scene.words else "playground.story.scores_other",
        score_name=name,
        query=query_token(scene),
        best=key_token(scene, best),
        score=number(float(row[best])),
        low=number(float(row.min())),
    )


def _p_scaled(scene: Scene) -> Markup:
    trace, f, s = scene.lesson.trace, scene.focus, scene.lesson.settings
    before = float(np.ptp(trace.scores[f.head, f.query]))
    after = float(np.ptp(trace.scaled[f.head, f.query]))
    if np.array_equal(trace.scores, trace.scaled):
        name = "scaled_none"
    else:
        name = "scaled_gentler" if after < before else "scaled_sharper" if after > before else "scaled_same"
    return scene.words.html(
        f"playground.story.{name}",
        scale=number(trace.scale * s.temperature),
        before=number(before),
        after=number(after),
        query=query_token(scene),
    )


def _p_masked(scene: Scene) -> Markup:
    trace, f, s = scene.lesson.trace, scene.focus, scene.lesson.settings
    if trace.keep is None:
        return scene.words.html("playground.story.masked_none", m=trace.scores.shape[2])
    keep = np.broadcast_to(trace.keep, trace.scores.shape)[f.head]
    return scene.words.html(
        "playground.story.masked",
        mask=scene.words(f"common.mask.{s.mask}"),
        hidden=int((~keep).sum()),
        all=keep.size,
        empty=_empty(scene),
    )


def _empty(scene: Scene) -> Markup:
    count = int(scene.lesson.trace.empty_rows[scene.focus.head].sum())
    return scene.words.html("playground.story.empty", n=count) if count else Markup("")


def _p_weights(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    row = trace.weights[f.head, f.query]
    if not row.any():
        return scene.words.html("playground.story.weights_empty", query=query_token(scene))
    best, name = int(row.argmax()), trace.recipe.normalizer.name
    key = f"playground.story.weights_{name}"
    return scene.words.html(
        key if key in scene.words else "playground.story.weights_other",
        normalizer=name,
        query=query_token(scene),
        best=key_token(scene, best),
        weight=number(float(row[best])),
        sum=number(float(row.sum())),
        spread=number(perplexity(row[None])[0], 1),
        zeros=int((row == 0).sum()),
    ) + _empty(scene)


def _p_heads(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return scene.words.html(
        "playground.story.heads",
        query=query_token(scene),
        d_v=trace.value.shape[2],
        length=number(float(np.linalg.norm(trace.head_outputs[f.head, f.query]))),
        seen=int(seen_keys(scene).sum()),
    )


def _p_concat(scene: Scene) -> Markup:
    heads, _, d_v = scene.lesson.trace.head_outputs.shape
    return scene.words.html("playground.story.concat", heads=heads, d_v=d_v, width=heads * d_v)


def _p_output(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    lengths = np.linalg.norm(trace.contributions[:, f.query], axis=1)
    most, least = int(lengths.argmax()), int(lengths.argmin())
    name = "output" if len(lengths) > 1 else "output_one"
    return scene.words.html(
        f"playground.story.{name}",
        query=query_token(scene),
        most=most + 1,
        least=least + 1,
        longest=number(float(lengths[most])),
        shortest=number(float(lengths[least])),
    )


def mean_of_outputs(scene: Scene) -> Markup:
    """What the layer would pass on if it took the mean of its heads, beside what it does."""
    trace, f = scene.lesson.trace, scene.focus
    return scene.words.html(
        "playground.mean_output",
        query=query_token(scene),
        mean=vector(trace.head_outputs[:, f.query].mean(axis=0).tolist(), most=4),
        output=Markup('<span class="output">{}</span>').format(
            vector(trace.output[f.query].tolist(), most=4)
        ),
        d_v=trace.value.shape[2],
        d_model=trace.output.shape[1],
    )


def ids_table(scene: Scene) -> Markup:
    """Tokens and their ids as a table of two rows; the same token has the same id."""
    focus, words = scene.focus, scene.words
    sides = [(scene.lesson.tokens, "query", focus.query)]
    if scene.lesson.cross:
        sides.append((scene.lesson.source, "key", focus.key))
    tables = Markup("")
    for tokens, role, marked in sides:
        cells = Markup("").join(
            Markup('<span class="{}"><b>{}</b>{}</span>').format(
                "av-id here" if i == marked else "av-id",
                token(text, i, role if i == marked else ""),
                tokens.ids[i],
            )
            for i, text in enumerate(tokens.tokens)
        )
        tables += Markup('<div class="av-ids" aria-label="{}">{}</div>').format(
            words("playground.ids"), cells
        )
    return tables


PARAGRAPHS: dict[str, Callable[[Scene], Markup]] = {
    "x": _p_x,
    "qkv": _p_qkv,
    "scores": _p_scores,
    "scaled": _p_scaled,
    "masked": _p_masked,
    "weights": _p_weights,
    "heads": _p_heads,
    "concat": _p_concat,
    "output": _p_output,
}
