"""The pictures of the steps about encoder and decoder: which arrays, with which labels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.figures.base import Figure
from attnviz.figures.labels import Labels, number_labels, token_labels
from attnviz.figures.maps import MOST_NUMBERS, attention_map
from attnviz.figures.matrices import matrix_row
from attnviz.figures.matrix import Mark, Matrix
from attnviz.lab.decoding.decoding import EncoderDecoder
from attnviz.lab.decoding.training import Fit
from attnviz.ui.kit.pictures.scene import FULL, WIDE, Scene, cell_height
from attnviz.ui.lessons.masks.pictures import first, sides, turned

MOST_GROWN = 12  # tokens of a growing sentence that are drawn; all are measured
NOWHERE = (-9, -9)  # a focus outside the picture: the encoder's queries are not the sentence's
WIDEST_ROWS = 32  # numbers a row up to which the rows stand beside the probabilities


def trio(scene: Scene, three: EncoderDecoder) -> list[Figure]:
    """The focused head's weights in encoder, decoder and between them."""
    h = scene.focus.head
    source, tokens = three.source.tokens, three.tokens.tokens
    sides = ((source, source), (tokens, tokens), (tokens, source))
    traces = (three.encoder, three.decoder, three.cross)
    return [
        _weights(scene, trace, h, *side, tall=max(len(source), len(tokens)))
        for trace, side in zip(traces, sides, strict=True)
    ]


def _weights(
    scene: Scene, trace: AttentionTrace, h: int, looking: Sequence[str], seen: Sequence[str], tall: int
) -> Figure:
    queries = token_labels(looking, "query", scene.words("playground.looks"))
    keys = token_labels(seen, "key", scene.words("playground.looked_at"))
    weights = trace.weights[h]
    shown = weights if trace.keep is None else np.where(trace.keep, weights, np.nan)
    query, key = NOWHERE
    if looking is not seen or trace.keep is not None:
        query = min(scene.focus.query, len(looking) - 1)
        key = int(weights[query].argmax())
    rows = len(seen) if scene.columns else len(looking)
    figure = attention_map(
        *turned(scene, shown),
        **sides(scene, queries, keys, (query, key)),
        palette=scene.palette,
        limit=1.0,
        weights=True,
        height=60 + rows * cell_height(tall, 330, 40),
        name=scene.words("playground.weight"),
        masked=scene.words("playground.masked_cell"),
    )
    # Three maps share the page's width: smaller numbers and names.
    for drawn in figure["data"]:
        if drawn.get("mode") == "text":
            drawn["textfont"]["size"] = 12
    figure["layout"]["xaxis"]["tickfont"] = {"size": 13}
    return figure


def least_of_map(columns: int) -> int:
    """The width in pixels below which a map of so many columns scrolls."""
    return 74 + 31 * columns if columns <= MOST_NUMBERS else min(84 + 12 * columns, 620)


def rows_out(scene: Scene, trace: AttentionTrace) -> tuple[Figure, int]:
    """The rows that come out of the layer, the last one marked; and the least width in pixels."""
    labels = first(scene.queries, len(trace.output))
    return _plain_row(scene, [_out(scene, trace, labels)], WIDE)


def _out(scene: Scene, trace: AttentionTrace, labels: Labels) -> Matrix:
    n, d_model = trace.output.shape
    mark = Mark((n - 1, n - 1), (0, d_model - 1), "output")
    columns = number_labels(d_model, symbol="y")
    return Matrix(
        trace.output, labels, columns, scene.words("playground.stages.output"), "output", marks=(mark,)
    )


def next_words(scene: Scene, fitted: Fit, given: int) -> tuple[Figure, int]:
    """The probability of every word after each of the given tokens; and the least width in pixels."""
    prediction = fitted.decoder(fitted.tokens[:given])
    labels = first(scene.queries, given)
    vocabulary = fitted.decoder.words
    columns = Labels(token_labels(vocabulary).texts, vocabulary, "output")
    words = Labels(tuple(text.rstrip("₀₁₂₃₄₅₆₇₈₉") for text in columns.texts), vocabulary, "output")
    marks = (Mark((given - 1, given - 1), (0, len(vocabulary) - 1), "output"),)
    probability = Matrix(
        prediction.probabilities,
        labels,
        words,
        scene.words("masks.generation.probability"),
        weights=True,
        marks=marks,
        row_ticks=scene.columns,
    )
    wide = prediction.trace.output.shape[1] > WIDEST_ROWS
    matrices = [probability] if wide else [_out(scene, prediction.trace, labels), probability]
    return _plain_row(scene, matrices, WIDE)


def grown(scene: Scene, free: NDArray[np.floating], causal: NDArray[np.floating]) -> tuple[Figure, int]:
    """How far each earlier row moves when a token joins, without a mask and with the causal one."""
    count = min(len(free), MOST_GROWN - 1)
    earlier = first(token_labels(scene.lesson.tokens.tokens, "query"), count)
    joining = first(token_labels(scene.lesson.tokens.tokens, "key"), count, 1)
    matrices = [
        Matrix(
            changes[:count, :count], earlier, joining, scene.words(f"masks.invariance.{name}"), row_ticks=True
        )
        for name, changes in (("free", free), ("causal", causal))
    ]
    return _plain_row(scene, matrices)


def _plain_row(scene: Scene, matrices: list[Matrix], pixels: int = FULL) -> tuple[Figure, int]:
    """The matrices in their order, turned where tokens are columns."""
    if scene.columns:
        matrices = [matrix.transposed() for matrix in matrices]
    tall = max(matrix.values.shape[0] for matrix in matrices)
    across = sum(matrix.values.shape[1] + 2 for matrix in matrices)
    figure = matrix_row(
        matrices,
        palette=scene.palette,
        limit=scene.limit(*(matrix.values for matrix in matrices if not matrix.weights)),
        cell=cell_height(tall, 300, 40),
        pixels=pixels,
    )
    return figure, min(90 + (36 if across <= 40 else 12) * across, pixels)
