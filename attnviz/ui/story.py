"""What is said under a station: one paragraph with a number of this case, and the sum written out."""

from collections.abc import Callable, Sequence

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import number, vector
from attnviz.lesson import Lesson
from attnviz.ui.markup import token
from attnviz.ui.pictures import Scene, spread

MOST_TERMS = 8


def paragraph(stage: str, scene: Scene) -> Markup:
    """What happens at this station, with a number of this case."""
    return PARAGRAPHS[stage](scene)


def sum_line(stage: str, scene: Scene) -> Markup:
    """The arithmetic of the focus, written out with its numbers."""
    line = SUMS.get(stage, _weighted_sum)(scene)
    return Markup('<p class="av-sum">{}</p>').format(line)


def _query(scene: Scene) -> Markup:
    return token(scene.lesson.tokens.tokens[scene.focus.query], scene.focus.query, "query")


def _key(scene: Scene, position: int | None = None, role: str = "key") -> Markup:
    at = scene.focus.key if position is None else position
    return token(scene.lesson.source.tokens[at], at, role)


def _bold(value: float, digits: int = 2) -> Markup:
    return Markup("<b>{}</b>").format(number(value, digits))


def _head(scene: Scene) -> str:
    return scene.words("common.head_n", n=scene.focus.head + 1)


# --- sums ---------------------------------------------------------------------------------------


def _weighted_sum(scene: Scene) -> Markup:
    """0.41 x v(pen) + ... = head output."""
    trace, f = scene.lesson.trace, scene.focus
    weights = trace.weights[f.head, f.query]
    if not weights.any():
        return scene.words.html("playground.sum_empty", head=_head(scene), query=_query(scene))
    order, rest = _largest(weights)
    terms = [
        Markup('{} × <var class="value">v</var><span class="value">({})</span>').format(
            _bold(float(weights[j])), _key(scene, j, "value")
        )
        for j in order
    ]
    if rest:
        terms.append(scene.words.html("playground.rest", n=rest))
    result = Markup('<span class="value">{}</span>').format(
        vector(trace.head_outputs[f.head, f.query].tolist())
    )
    return Markup("{}, {}: {} = {}").format(_head(scene), _query(scene), Markup(" + ").join(terms), result)


def _largest(weights: np.ndarray) -> tuple[list[int], int]:  # type: ignore[type-arg]
    """The keys to write out, in their order, and how many are left: all of a few, else the largest."""
    m = len(weights)
    if m <= MOST_TERMS:
        return list(range(m)), 0
    kept = sorted(np.argsort(-weights, kind="stable")[: MOST_TERMS - 1].tolist())
    return kept, m - len(kept)


def _dot(scene: Scene) -> Markup:
    """q . k term by term, or for another score its value."""
    trace, f, s = scene.lesson.trace, scene.focus, scene.lesson.settings
    q, k = trace.query[f.head, f.query], trace.key[f.head, f.key]
    score = float(trace.scores[f.head, f.query, f.key])
    left = Markup('<var class="query">q</var>({}) · <var class="key">k</var>({})').format(
        _query(scene), _key(scene)
    )
    if s.score != "dot":
        name = scene.words(f"common.score.{s.score}")
        left = Markup('{}(<var class="query">q</var>({}), <var class="key">k</var>({}))').format(
            name, _query(scene), _key(scene)
        )
        return Markup("{}: {} = {}").format(_head(scene), left, _bold(score))
    return Markup("{}: {} = {} = {}").format(_head(scene), left, products(q, k), _bold(score))


def products(left: Sequence[float], right: Sequence[float], digits: int = 2) -> str:
    """a x b + c x d + ..., negative factors in brackets, a long sum cut in its middle."""

    def factor(value: float) -> str:
        text = number(float(value), digits)
        return f"({text})" if text.startswith("−") else text

    terms = [f"{factor(a)} × {factor(b)}" for a, b in zip(left, right, strict=True)]
    if len(terms) > MOST_TERMS:
        terms = [*terms[: MOST_TERMS - 2], "…", terms[-1]]
    text = " + ".join(terms)
    return text.removeprefix("(").replace(")", "", 1) if text.startswith("(") else text


def _scaled_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    raw, scaled = (float(a[f.head, f.query, f.key]) for a in (trace.scores, trace.scaled))
    s = scene.lesson.settings
    plain = s.temperature == 1 and not s.softcap and s.bias_kind == "none"
    arrow = "=" if plain else "→"
    return Markup("{}, {} → {}: {} / {} {} {}").format(
        _head(scene), _query(scene), _key(scene), number(raw), number(trace.scale), arrow, _bold(scaled)
    )


def _masked_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    keep = (
        np.ones(trace.scores.shape, bool)
        if trace.keep is None
        else np.broadcast_to(trace.keep, trace.scores.shape)
    )
    kept = keep[f.head, f.query]
    seen = Markup(", ").join(_key(scene, j) for j in np.flatnonzero(kept)[:MOST_TERMS].tolist())
    return scene.words.html(
        "playground.sees", query=_query(scene), n=int(kept.sum()), m=len(kept), seen=seen or "—"
    )


def _x_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return Markup("<var>x</var>({}) = {}").format(_query(scene), vector(trace.x[f.query].tolist(), most=8))


def _concat_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return Markup('{}: <span class="value">{}</span>').format(
        _query(scene), vector(trace.concat[f.query].tolist(), most=10)
    )


def _output_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    heads = range(len(trace.contributions))
    shown = [h for h in heads if h < 3 or h == len(heads) - 1]
    parts = [
        Markup('<b>{}</b> <span class="av-muted">{}</span>').format(
            vector(trace.contributions[h, f.query].tolist(), most=4), scene.words("common.head_n", n=h + 1)
        )
        for h in shown
    ]
    if len(shown) < len(heads) - 0 and len(heads) > 4:
        parts.insert(3, Markup("…"))
    if trace.layer.b_o is not None:
        parts.append(Markup("<var>b</var>"))
    if trace.residual:
        parts.append(Markup("<var>x</var>({})").format(_query(scene)))
    result = Markup('<span class="output">{}</span>').format(vector(trace.output[f.query].tolist(), most=4))
    return Markup("{}: {} = {}").format(_query(scene), Markup(" + ").join(parts), result)


# --- paragraphs ---------------------------------------------------------------------------------


def _p_x(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    tokens = scene.lesson.tokens
    return scene.words.html(
        "playground.story.x",
        d_model=trace.x.shape[1],
        query=_query(scene),
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
    best = int(row.argmax())
    return scene.words.html(
        f"playground.story.scores_{scene.lesson.settings.score}",
        query=_query(scene),
        best=_key(scene, best),
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
        query=_query(scene),
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
    trace, f, s = scene.lesson.trace, scene.focus, scene.lesson.settings
    row = trace.weights[f.head, f.query]
    if not row.any():
        return scene.words.html("playground.story.weights_empty", query=_query(scene))
    best = int(row.argmax())
    return scene.words.html(
        f"playground.story.weights_{s.normalizer}",
        query=_query(scene),
        best=_key(scene, best),
        weight=number(float(row[best])),
        sum=number(float(row.sum())),
        spread=number(spread(row[None])[0], 1),
        zeros=int((row == 0).sum()),
    ) + _empty(scene)


def _p_heads(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return scene.words.html(
        "playground.story.heads",
        query=_query(scene),
        d_v=trace.value.shape[2],
        length=number(float(np.linalg.norm(trace.head_outputs[f.head, f.query]))),
        m=trace.weights.shape[2],
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
        query=_query(scene),
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
        query=_query(scene),
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


def is_random(lesson: Lesson) -> bool:
    """Whether weights were drawn at random, those of the score function among them: the page must say so."""
    drawn = lesson.settings.preset in ("random", "integers", "folded", "three_linear")
    return drawn or any(isinstance(value, np.ndarray) for value in lesson.trace.score_parameters.values())


SUMS: dict[str, Callable[[Scene], Markup]] = {
    "x": _x_sum,
    "qkv": _dot,
    "scores": _dot,
    "scaled": _scaled_sum,
    "masked": _masked_sum,
    "weights": _weighted_sum,
    "heads": _weighted_sum,
    "concat": _concat_sum,
    "output": _output_sum,
}

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
