"""What the page about masks says of encoder and decoder, with the numbers of this case."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.core.layer import AttentionTrace
from attnviz.figures.labels import magnitude, number
from attnviz.lab.decoding.decoding import EncoderDecoder, fitted_sizes
from attnviz.lab.decoding.training import Fit
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import token
from attnviz.ui.lessons.masks.decoder.pictures import MOST_GROWN
from attnviz.ui.lessons.masks.story import ROUNDING, query, table

Floats = NDArray[np.floating]

# --- encoder and decoder ---------------------------------------------------------------------------------


def three_answer(three: EncoderDecoder) -> int:
    """How many rows the output of source-target attention has: 1 one a query, 2 one a key, 3 one a pair."""
    n, m = len(three.tokens.tokens), len(three.source.tokens)
    rows = len(three.cross.output)
    return 1 if rows == n else 2 if rows == m else 3


def three_table(scene: Scene, three: EncoderDecoder) -> Markup:
    """Where query, key and value come from, the mask, and the shapes."""
    words = scene.words
    heads = scene.lesson.settings.num_heads
    heading = Markup('<tr><th scope="col"></th>{}</tr>').format(
        Markup("").join(
            Markup('<th scope="col">{}</th>').format(words(f"masks.three.{name}"))
            for name in ("encoder", "decoder", "cross")
        )
    )
    traces = (three.encoder, three.decoder, three.cross)

    def line(name: str, cells: Sequence[Markup | str]) -> Markup:
        row = Markup("").join(Markup("<td>{}</td>").format(cell) for cell in cells)
        return Markup('<tr><th scope="row">{}</th>{}</tr>').format(words.html(f"masks.three.{name}"), row)

    def named(*names: str) -> list[Markup]:
        return [words.html(f"masks.three.{name}") for name in names]

    weights = [
        " × ".join(str(size) for size in _turned(scene, (heads, *t.weights.shape[1:]))) for t in traces
    ]
    outputs = [" × ".join(str(size) for size in _turned(scene, t.output.shape)) for t in traces]
    return table(
        heading,
        [
            line("query_from", named("from_source", "from_sentence", "from_decoder")),
            line("key_from", named("from_source", "from_sentence", "from_encoder")),
            line("mask", [words(f"common.mask.{name}") for name in ("none", "causal", "none")]),
            line("weights", weights),
            line("output", outputs),
        ],
    )


def _turned(scene: Scene, shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if scene.columns else shape


def three_text(scene: Scene, three: EncoderDecoder) -> Markup:
    """The shapes in words, and whom the token in focus looks at in the source."""
    n, m = len(three.tokens.tokens), len(three.source.tokens)
    row = min(scene.focus.query, n - 1)
    weights = three.cross.weights[scene.focus.head, row]
    best = int(weights.argmax())
    return scene.words.html(
        "masks.three.text",
        n=n,
        m=m,
        weights=" × ".join(str(size) for size in _turned(scene, (n, m))),
        d_model=three.cross.output.shape[1],
        query=query(scene, row),
        key=token(three.source.tokens[best], best, "key"),
        weight=number(float(weights[best])),
    )


# --- generation ------------------------------------------------------------------------------------------


def generation_answer(trace: AttentionTrace, given: int) -> int:
    """How many predictions come out: 1 one, 2 one a token that went in, 3 otherwise."""
    rows = len(trace.output)
    return 2 if rows == given else 1 if rows == 1 else 3


def prefix(scene: Scene, given: int) -> Markup:
    """The tokens that go in."""
    return Markup(" ").join(query(scene, i) for i in range(given))


def ladder(scene: Scene, given: int, fitted: Fit | None) -> Markup:
    """The tokens that go in, the row that comes out under each, and the next word where a decoder was fitted."""
    words, tokens = scene.words, scene.lesson.tokens.tokens
    lines = [
        ("goes_in", [query(scene, i) for i in range(given)]),
        ("comes_out", [_output_symbol(i) for i in range(given)]),
    ]
    if fitted is not None:
        prediction = fitted.decoder.predict(tokens[:given])  # (given, words)
        best = prediction.argmax(axis=1).tolist()
        known = fitted.decoder.words
        lines.append(("next", [_next(known[b], i == given - 1) for i, b in enumerate(best)]))
        chances = prediction.max(axis=1)
        lines.append(("probability", [Markup("{}").format(number(float(p))) for p in chances]))
    rows = [
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            words(f"masks.generation.{name}"),
            Markup("").join(Markup("<td>{}</td>").format(cell) for cell in cells),
        )
        for name, cells in lines
    ]
    return table(Markup(""), rows)


def _output_symbol(position: int) -> Markup:
    return Markup('<span class="output"><var>y</var><sub>{}</sub></span>').format(position)


def _next(word: str, last: bool) -> Markup:
    text = Markup('<span class="output">{}</span>').format(word)
    return Markup("<b>{}</b>").format(text) if last else text


def rows_text(scene: Scene, trace: AttentionTrace) -> Markup:
    """Shapes and rows, no prediction."""
    given, d_model = trace.output.shape
    return scene.words.html(
        "masks.generation.shapes", given=given, d_model=d_model, query=query(scene, given - 1)
    )


def fitted_text(scene: Scene, given: int, fitted: Fit) -> Markup:
    """The next word off the last row, and how the decoder came to it."""
    tokens, decoder = fitted.tokens, fitted.decoder
    chances = decoder.predict(tokens[:given])[-1]
    best = int(chances.argmax())
    said = scene.words.html(
        "masks.generation.says",
        query=query(scene, given - 1),
        word=decoder.words[best],
        probability=number(float(chances[best])),
    )
    right = decoder.words[best] == tokens[given]
    if not right:
        said += scene.words.html("masks.generation.instead", word=tokens[given])
    return said


def fitted_note(scene: Scene, fitted: Fit) -> Markup:
    """That it is memorised, of what size, and how the fit went."""
    sizes = fitted_sizes(scene.lesson.settings)
    learned = fitted.decoder.predict(fitted.tokens[:-1]).argmax(axis=1)
    known = np.array(fitted.decoder.words)[learned] == np.array(fitted.tokens[1:])
    name = "memorised" if known.all() else "partly"
    return scene.words.html(
        f"masks.generation.{name}",
        n=len(fitted.tokens),
        known=int(known.sum()),
        all=len(known),
        steps=len(fitted.losses) - 1,
        before=number(float(fitted.losses[0])),
        after=number(float(fitted.losses[-1])),
        **sizes,
    )


def chain(scene: Scene, fitted: Fit) -> Markup:
    """What the decoder makes of the first token alone, its own words fed back to it."""
    own = fitted.decoder.generate(fitted.tokens[:1])
    words = Markup(" ").join(Markup('<span class="output">{}</span>').format(word) for word in own[1:])
    return scene.words.html("masks.generation.chain", first=query(scene, 0), words=words)


# --- the growing sentence --------------------------------------------------------------------------------


def invariance_answer(causal: Floats) -> int:
    """What changes in earlier rows under the causal mask: 1 nothing, 2 only the row just before, 3 more."""
    changed = np.nan_to_num(causal) > ROUNDING
    if not changed.any():
        return 1
    return 2 if not (changed & ~np.eye(len(changed), dtype=np.bool_)).any() else 3


def invariance_text(scene: Scene, free: Floats, causal: Floats) -> Markup:
    """The largest changes of all, with and without the mask."""
    p = len(free) - 1
    last = token(scene.lesson.tokens.tokens[p + 1], p + 1, "key")
    return scene.words.html(
        "masks.invariance.text",
        last=last,
        first=query(scene, 0),
        change=magnitude(float(free[0, p])),
        free=magnitude(float(np.nanmax(free))),
        causal=magnitude(float(np.nanmax(causal))),
    )


def invariance_note(scene: Scene, free: Floats) -> Markup:
    """How many tokens were measured, where the picture shows fewer."""
    count = len(free) + 1
    return (
        scene.words.html("masks.invariance.cut", shown=MOST_GROWN, measured=count)
        if count > MOST_GROWN
        else Markup("")
    )
