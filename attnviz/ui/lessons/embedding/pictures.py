"""The pictures of the page "How do words become vectors?": which arrays, cut to what a screen can show."""

from dataclasses import dataclass, replace

import numpy as np

from attnviz.core.arrays import Array
from attnviz.core.embedding import POSITIONS, embed, one_hot, vocabulary
from attnviz.figures.base import Figure, scale_of
from attnviz.figures.labels import Labels, number_labels, quoted, shorten, token_labels
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.lab.words.order import Swap
from attnviz.lab.words.vocabulary import Place
from attnviz.lesson.lesson import embedded, embedding_kind
from attnviz.ui.kit.pictures.scene import FULL, Scene, cell_height

MOST_TOKENS = 12
MOST_COLUMNS = 12
CELL = 36


@dataclass(frozen=True)
class Drawn:
    """A picture, and the width in pixels below which it scrolls."""

    figure: Figure
    least: int


@dataclass(frozen=True)
class Crop:
    """The tokens and the columns of x that are drawn: those round the focus, and the first ones."""

    first: int
    end: int
    tokens: int  # in all
    columns: int  # drawn
    d_model: int  # in all

    @property
    def rows(self) -> slice:
        """The tokens drawn."""
        return slice(self.first, self.end)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self.end - self.first == self.tokens and self.columns == self.d_model


def crop(tokens: int, focus: int, d_model: int) -> Crop:
    """At most MOST_TOKENS tokens round `focus` and the first MOST_COLUMNS columns."""
    shown = min(tokens, MOST_TOKENS)
    first = min(max(focus - shown // 2, 0), tokens - shown)
    return Crop(first, first + shown, tokens, min(d_model, MOST_COLUMNS), d_model)


def crop_of(scene: Scene) -> Crop:
    """The crop of this scene's sentence."""
    return crop(len(scene.lesson.tokens.tokens), scene.focus.query, scene.lesson.settings.d_model)


def lookup(scene: Scene) -> Drawn:
    """One-hot vectors times the table of the sentence's own words gives x (without positions)."""
    cut, tokens, settings = crop_of(scene), scene.lesson.tokens, scene.lesson.settings
    words = vocabulary(tokens.tokens)
    ids = np.array(tokens.ids)[cut.rows]
    shown = np.unique(ids)  # no other column of these one-hot vectors has a 1
    table = embed(words, settings.d_model, settings.seed, embedding_kind(settings))  # (V, d_model)
    hot = one_hot(ids, len(words))  # (tokens, V)
    x = hot @ table  # (tokens, d_model)
    names = Labels(tuple(map(str, shown)), tuple(words[i] for i in shown), "id")
    at, row = scene.focus.query - cut.first, int(np.searchsorted(shown, tokens.ids[scene.focus.query]))
    rows, columns = _tokens(scene, cut), number_labels(cut.columns, symbol="x")
    n, d_model = cut.tokens, cut.d_model
    one_hots = Matrix(hot[:, shown], rows, names, "O", marks=_line(at, len(shown)), weights=True, digits=0)
    entries = Matrix(table[shown, : cut.columns], names, columns, "E", sign="×", row_ticks=True)
    product = Matrix(x[:, : cut.columns], rows, columns, "x", sign="=", marks=_line(at, cut.columns))
    matrices = [
        replace(one_hots, whole=(n, len(words))),
        replace(entries, whole=(len(words), d_model), marks=_line(row, cut.columns)),
        replace(product, whole=(n, d_model)),
    ]
    return _drawn(scene, matrices, scale_of([table]), at)


def neighbours(scene: Scene, place: Place) -> Drawn:
    """The token's row of the long table among its neighbours: each row times its number of the one-hot vector.

    The one-hot vector stands upright, each of its numbers beside the row that it multiplies.
    """
    d_model = place.rows.shape[1]
    columns = min(d_model, MOST_COLUMNS)
    before, after = int(place.ids[0] > 0), int(place.ids[-1] < place.size - 1)  # rows of dots
    pad = [(before, after), (0, 0)]
    hot = np.pad(place.one_hot[:, None], pad, constant_values=np.nan)  # (rows, 1)
    rows = np.pad(place.rows[:, :columns], pad, constant_values=np.nan)  # (rows, columns)
    x = place.one_hot @ place.rows[:, :columns]  # (columns,)
    ids, words = [f"{i:,}" for i in place.ids], [quoted(shorten(word)) for word in place.words]
    both = _dotted([f"{i}  {word}" for i, word in zip(ids, words, strict=True)], before, after)
    across, one, at = (
        number_labels(columns, symbol="x"),
        Labels(("",), ("",)),
        place.ids.index(place.id) + before,
    )
    upright = Matrix(hot, both, one, "o", marks=_line(at, 1), weights=True, digits=0)
    if scene.columns:  # there it is a column anyway, behind the table
        upright = replace(upright, row_ticks=True).transposed()
        upright = replace(upright, whole=(1, place.size))
    else:
        upright = replace(upright, whole=(1, place.size), raised="⊤")
    labels = _dotted(ids, before, after, "") if scene.columns else both
    matrices = [
        upright,
        Matrix(rows, labels, across, "E", "", "×", _line(at, columns), whole=(place.size, d_model)),
        Matrix(x[None], one, across, "x", "", "=", _line(0, columns), whole=(1, d_model)),
    ]
    return _drawn(scene, matrices, scale_of([place.rows]), at)


def _dotted(texts: list[str], before: int, after: int, dots: str = "⋮") -> Labels:
    """Labels of rows of the table, with dots where it goes on."""
    shown = (dots,) * before + tuple(texts) + (dots,) * after
    return Labels(shown, shown, "id")


def positions(scene: Scene, position: str) -> Drawn:
    """The tokens' vectors plus the positions' gives x."""
    cut, settings = crop_of(scene), scene.lesson.settings
    x = embedded(replace(settings, position=position), scene.lesson.tokens)[cut.rows, : cut.columns]
    added = POSITIONS[position](cut.tokens, settings.d_model)[cut.rows, : cut.columns]  # (tokens, columns)
    tokens, columns, at = (
        _tokens(scene, cut),
        number_labels(cut.columns, symbol="x"),
        scene.focus.query - cut.first,
    )
    mark, whole = _line(at, cut.columns), (cut.tokens, cut.d_model)
    matrices = [
        Matrix(x - added, tokens, columns, "E[ids]", marks=mark, whole=whole),
        Matrix(added, tokens, columns, "P", "", "+", mark, whole=whole),
        Matrix(x, tokens, columns, "x", "", "=", mark, whole=whole),
    ]
    return _drawn(scene, matrices, scale_of([x, x - added, added]), at, product=False)


def swapped(scene: Scene, swap: Swap) -> Drawn:
    """The outputs before and after the swap, each word in its old row, and the difference."""
    focus = swap.one
    cut = crop(len(swap.order), focus, swap.before.shape[1])
    words = scene.words
    tokens, columns = _tokens(scene, cut), number_labels(cut.columns, symbol="y")
    moved = [i - cut.first for i in (swap.one, swap.other) if cut.first <= i < cut.end]
    marks = tuple(Mark((i, i), (0, cut.columns - 1), "query") for i in moved)
    before, after = (array[cut.rows, : cut.columns] for array in (swap.before, swap.after))
    # Rounding is no difference: it would be drawn at full colour where all else is 0.
    difference = np.where(np.isin(np.arange(cut.first, cut.end), swap.changed)[:, None], after - before, 0.0)
    whole = (cut.tokens, cut.d_model)
    matrices = [
        Matrix(values, tokens, columns, words(f"embedding.position.{name}"), role, marks=marks, whole=whole)
        for values, name, role in (
            (before, "before", "output"),
            (after, "after", "output"),
            (difference, "difference", ""),
        )
    ]
    return _drawn(scene, matrices, scale_of([before, after]), -1, product=False)


def projections(scene: Scene) -> tuple[Drawn, ...]:
    """x times W^Q, W^K and W^V of the focused head; with a second sentence keys and values are made of x'."""
    lesson, h = scene.lesson, scene.focus.head
    layer, cross = lesson.trace.layer, lesson.cross
    weights = {"query": layer.w_q[h], "key": layer.w_k[h], "value": layer.w_v[h]}
    biases = {"query": layer.b_q, "key": layer.b_k, "value": layer.b_v}
    parts = []
    for roles in (("query",), ("key", "value")) if cross else (("query", "key", "value"),):
        source = cross and roles[0] != "query"
        x = lesson.trace.x_source if source else lesson.trace.x
        at = scene.focus.key if source else scene.focus.query
        added = {role: 0.0 if (b := biases[role]) is None else b[h] for role in roles}
        made = {role: x @ weights[role] + added[role] for role in roles}
        sign = "=" if layer.b_q is None else "+ b ="
        parts.append(_projection(scene, x, {r: weights[r] for r in roles}, made, at, source, sign))
    return tuple(parts)


def _projection(
    scene: Scene,
    x: Array,
    weights: dict[str, Array],
    made: dict[str, Array],
    at: int,
    source: bool,
    equals: str,
) -> Drawn:
    most = MOST_COLUMNS // 2 if max(w.shape[1] for w in weights.values()) > 4 else MOST_COLUMNS
    cut = crop(len(x), at, x.shape[1])
    tokens = _part(scene.keys if source else scene.queries, cut.rows)
    here = at - cut.first
    columns = number_labels(cut.columns, symbol="x")
    mark = _line(here, cut.columns, "key" if source else "query")
    first = Matrix(
        x[cut.rows, : cut.columns], tokens, columns, "x′" if source else "x", marks=mark, whole=x.shape
    )
    parts = [first]
    for kind, matrices in enumerate((weights, made)):
        for k, (role, values) in enumerate(matrices.items()):
            wide = min(values.shape[1], most)
            letter = {"query": "Q", "key": "K", "value": "V"}[role]
            parts.append(
                Matrix(
                    values[slice(0, cut.columns) if kind == 0 else cut.rows, :wide],
                    columns if kind == 0 else tokens,
                    number_labels(wide),
                    "W" if kind == 0 else letter,
                    role,
                    ("×", equals)[kind] if k == 0 else "",
                    () if kind == 0 else (Mark((here, here), (0, wide - 1), role),),
                    whole=values.shape,
                    raised=letter if kind == 0 else "",
                )
            )
    if scene.columns:  # W x = Q, each matrix turned; Q, K, V keep their order
        count = len(made)
        matrices_first = [replace(m, sign="") for m in parts[1 : 1 + count]]
        parts = [*matrices_first, replace(first, sign="×"), *parts[1 + count :]]
    return _drawn(scene, parts, scale_of([x, *weights.values(), *made.values()]), here, product=False)


def _drawn(scene: Scene, matrices: list[Matrix], limit: float, at: int, *, product: bool = True) -> Drawn:
    """The matrices in a row; in column notation each is turned, and a product is written from its end."""
    if scene.columns:
        signs = [m.sign for m in matrices]
        matrices = [m.transposed() for m in matrices]
        if product:
            reordered = ["", *reversed(signs[1:])]
            matrices = [replace(m, sign=s) for m, s in zip(reversed(matrices), reordered, strict=True)]
    tall = max(m.values.shape[0] for m in matrices)
    across = sum(m.values.shape[1] for m in matrices) + len(matrices) - 1
    figure = matrix_row(
        matrices,
        palette=scene.palette,
        limit=limit,
        cell=cell_height(tall, 300, CELL),
        pixels=FULL,
        focus={"query": at, "key": at} if at >= 0 else None,
    )
    return Drawn(figure, min(110 + 36 * across, FULL))


def _tokens(scene: Scene, cut: Crop) -> Labels:
    return _part(token_labels(scene.lesson.tokens.tokens, "query"), cut.rows)


def _part(labels: Labels, rows: slice) -> Labels:
    return replace(labels, texts=labels.texts[rows], wholes=labels.wholes[rows])


def _line(row: int, columns: int, role: str = "query") -> tuple[Mark, ...]:
    return (Mark((row, row), (0, columns - 1), role),)
