"""The arithmetic of the focus at each station, written out with its numbers."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.written import Cell, Line, Part
from attnviz.explain.scores import pair_of, written_score
from attnviz.figures.labels import decimals, number, vector
from attnviz.ui.kit.pictures.scene import Scene, seen_keys
from attnviz.ui.kit.text.markup import token

MOST_TERMS = 8


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
    """The score of query and key, written out with its numbers where the function says how in one line."""
    trace, f = scene.lesson.trace, scene.focus
    pair, name = pair_of(trace, Cell("scores", f.query, f.key, f.head)), trace.recipe.score.name
    digits = decimals(trace.query[f.head, f.query].tolist() + trace.key[f.head, f.key].tolist())
    written = written_score(trace, pair)
    line = None if written is None else one_line(written.lines, digits if name == "dot" else 2)
    sides = query_token(scene), key_token(scene)
    both = Markup('<var class="query">q</var>({}) · <var class="key">k</var>({})').format(*sides)
    if name != "dot":
        both = Markup('{}(<var class="query">q</var>({}), <var class="key">k</var>({}))').format(
            scene.words.either(f"common.score.{name}", name), *sides
        )
    score = bold(float(trace.scores[f.head, f.query, f.key]), digits if name == "dot" else 2)
    steps = (both, line, score) if line else (both, score)
    return Markup("{}: {}").format(head_name(scene), Markup(" = ").join(steps))


def one_line(lines: Sequence[Line], digits: int) -> str:
    """The last line's terms, what an earlier line comes to written out in its place; "" where that is not all.

    A long sum is cut in its middle; a negative number at the very beginning needs no brackets.
    """
    *before, last = lines
    known = {id(line.result): f"({_terms(line, digits)})" for line in before if line.result is not None}
    used = {id(part) for term in last.terms for part in term}
    if last.result is None or len(known) < len(before) or not used >= known.keys():
        return ""
    text = _terms(last, digits, known)
    return text.removeprefix("(").replace(")", "", 1) if text.startswith("(−") else text


def _terms(line: Line, digits: int, known: Mapping[int, str] | None = None) -> str:
    known = known or {}
    terms = ["".join(known.get(id(p)) or _part(p, digits) for p in term) for term in line.terms]
    return line.joiner.join(_some(terms))


def _part(part: Part, digits: int) -> str:
    """A number of a vector or of its length with so many digits, a parameter and a sign as they are."""
    if part.value is None or (part.cell is None and not part.role):
        return part.text
    return factor(part.value, digits) if part.text.startswith("(") else number(part.value, digits)


def factor(value: float, digits: int = 2) -> str:
    """A number as a factor: in brackets where it is negative."""
    text = number(float(value), digits)
    return f"({text})" if text.startswith("−") else text


def _some(terms: list[str]) -> list[str]:
    return [*terms[: MOST_TERMS - 2], "…", terms[-1]] if len(terms) > MOST_TERMS else terms


def _scaled_sum(scene: Scene) -> Markup:
    trace, f = scene.lesson.trace, scene.focus
    raw, scaled = (float(a[f.head, f.query, f.key]) for a in (trace.scores, trace.scaled))
    recipe = trace.recipe
    plain = recipe.temperature == 1 and recipe.softcap is None and recipe.bias is None
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
