"""The arithmetic of the focus at each station, written out with its numbers."""

from collections.abc import Callable, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.figures.labels import decimals, number, vector
from attnviz.lesson.settings import Settings
from attnviz.ui.kit.pictures.scene import Scene, seen_keys
from attnviz.ui.kit.text.markup import token

MOST_TERMS = 8
Vector = NDArray[np.floating]


def sum_line(stage: str, scene: Scene) -> Markup:
    """The arithmetic of the focus, written out with its numbers."""
    line = SUMS.get(stage, _weighted_sum)(scene)
    return Markup('<p class="av-sum">{}</p>').format(line)


def query_token(scene: Scene) -> Markup:
    return token(scene.lesson.tokens.tokens[scene.focus.query], scene.focus.query, "query")


def key_token(scene: Scene, position: int | None = None, role: str = "key") -> Markup:
    at = scene.focus.key if position is None else position
    return token(scene.lesson.source.tokens[at], at, role)


def bold(value: float, digits: int = 2) -> Markup:
    return Markup("<b>{}</b>").format(number(value, digits))


def head_name(scene: Scene) -> Markup:
    """The head in focus; its number is not drawn to the numbers that follow it where words run from right to left."""
    return Markup("<bdi>{}</bdi>").format(scene.words("common.head_n", n=scene.focus.head + 1))


def _weighted_sum(scene: Scene) -> Markup:
    """0.41 x v(pen) + ... = head output."""
    trace, f = scene.lesson.trace, scene.focus
    weights = trace.weights[f.head, f.query]
    if not weights.any():
        return scene.words.html("playground.sum_empty", head=head_name(scene), query=query_token(scene))
    order, rest = _largest(weights, seen_keys(scene))
    terms = [
        Markup("{} × <i><var>v</var>({})</i>").format(bold(float(weights[j])), key_token(scene, j, ""))
        for j in order
    ]
    if rest:
        terms.append(scene.words.html("playground.rest", n=rest))
    result = Markup('<span class="value">{}</span>').format(
        vector(trace.head_outputs[f.head, f.query].tolist())
    )
    return Markup("{}, {}: {} = {}").format(
        head_name(scene), query_token(scene), Markup(" + ").join(terms), result
    )


def _largest(weights: NDArray[np.floating], seen: NDArray[np.bool_]) -> tuple[list[int], int]:
    """The keys to write out, in their order, and how many are left: all that are seen if few, else the largest."""
    keys = np.flatnonzero(seen)
    if len(keys) <= MOST_TERMS:
        return keys.tolist(), 0
    kept = keys[np.argsort(-weights[keys], kind="stable")[: MOST_TERMS - 1]]
    return sorted(kept.tolist()), len(keys) - len(kept)


def _score(scene: Scene) -> Markup:
    """The score of query and key, written out with its numbers where the function has a short form."""
    trace, f, s = scene.lesson.trace, scene.focus, scene.lesson.settings
    q, k = trace.query[f.head, f.query], trace.key[f.head, f.key]
    digits = decimals((*q.tolist(), *k.tolist())) if s.score == "dot" else 2
    written = WRITTEN[s.score](q, k, s, digits) if s.score in WRITTEN else ""
    sides = query_token(scene), key_token(scene)
    both = Markup('<var class="query">q</var>({}) · <var class="key">k</var>({})').format(*sides)
    if s.score != "dot":
        name = scene.words(f"common.score.{s.score}")
        both = Markup('{}(<var class="query">q</var>({}), <var class="key">k</var>({}))').format(name, *sides)
    score = bold(float(trace.scores[f.head, f.query, f.key]), digits)
    steps = (both, written, score) if written else (both, score)
    return Markup("{}: {}").format(head_name(scene), Markup(" = ").join(steps))


def _dot(q: Vector, k: Vector, _: Settings, digits: int) -> str:
    return products(q.tolist(), k.tolist(), digits)


def _cosine(q: Vector, k: Vector, settings: Settings, digits: int) -> str:
    lengths = " × ".join(number(float(np.linalg.norm(side)), digits) for side in (q, k))
    return f"{settings['beta']:g} × ({_dot(q, k, settings, digits)}) / ({lengths})"


def _gaussian(q: Vector, k: Vector, settings: Settings, digits: int) -> str:
    """The squared distance by the differences of the coordinates."""
    squares = [f"{factor(d, digits)}²" for d in (q - k).tolist()]
    return f"−({' + '.join(_some(squares))}) / (2 × {settings['sigma']:g}²)"


def products(left: Sequence[float], right: Sequence[float], digits: int = 2) -> str:
    """a x b + c x d + ..., negative factors in brackets, a long sum cut in its middle."""
    terms = [f"{factor(a, digits)} × {factor(b, digits)}" for a, b in zip(left, right, strict=True)]
    text = " + ".join(_some(terms))
    return text.removeprefix("(").replace(")", "", 1) if text.startswith("(") else text


def factor(value: float, digits: int = 2) -> str:
    """A number as a factor: in brackets where it is negative."""
    text = number(float(value), digits)
    return f"({text})" if text.startswith("−") else text


def _some(terms: list[str]) -> list[str]:
    return [*terms[: MOST_TERMS - 2], "…", terms[-1]] if len(terms) > MOST_TERMS else terms


def _scaled_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    raw, scaled = (float(a[f.head, f.query, f.key]) for a in (trace.scores, trace.scaled))
    s = scene.lesson.settings
    plain = s.temperature == 1 and not s.softcap and s.bias_kind == "none"
    arrow = "=" if plain else "→"
    return Markup("{}, {} → {}: {} / {} {} {}").format(
        head_name(scene),
        query_token(scene),
        key_token(scene),
        number(raw),
        number(trace.scale),
        arrow,
        bold(scaled),
    )


def _masked_sum(scene: Scene) -> Markup:
    kept = seen_keys(scene)
    named = [key_token(scene, j) for j in np.flatnonzero(kept)[:MOST_TERMS].tolist()]
    seen = Markup(", ").join([*named, "…"] if kept.sum() > len(named) else named)
    return scene.words.html(
        "playground.sees", query=query_token(scene), n=int(kept.sum()), m=len(kept), seen=seen or "—"
    )


def _x_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return Markup("<var>x</var>({}) = {}").format(
        query_token(scene), vector(trace.x[f.query].tolist(), decimals(trace.x[f.query]), most=8)
    )


def _concat_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    return Markup('{}: <span class="value">{}</span>').format(
        query_token(scene), vector(trace.concat[f.query].tolist(), most=10)
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
        parts.append(Markup("<var>x</var>({})").format(query_token(scene)))
    result = Markup('<span class="output">{}</span>').format(vector(trace.output[f.query].tolist(), most=4))
    return Markup("{}: {} = {}").format(query_token(scene), Markup(" + ").join(parts), result)


SUMS: dict[str, Callable[[Scene], Markup]] = {
    "x": _x_sum,
    "qkv": _score,
    "scores": _score,
    "scaled": _scaled_sum,
    "masked": _masked_sum,
    "weights": _weighted_sum,
    "heads": _weighted_sum,
    "concat": _concat_sum,
    "output": _output_sum,
}
WRITTEN: dict[str, Callable[[Vector, Vector, Settings, int], str]] = {
    "dot": _dot,
    "cosine": _cosine,
    "gaussian": _gaussian,
}
