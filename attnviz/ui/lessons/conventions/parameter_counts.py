"""Where parameters are: the bars, the counts of this setting, and what the page says of them."""

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from attnviz.figures.conventions.parameter_bars import Bar, parameter_bars
from attnviz.lab.heads.parameters import (
    MODELS,
    ParameterCount,
    attention_parameters,
    embedding_parameters,
    feed_forward_parameters,
)
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.words import Words

PART_ROLES = {"query": "query", "key": "key", "value": "value", "output": "output"}
PARTS = (*PART_ROLES, "feed_forward", "embeddings", "norms", "other")
MODELS_SHOWN = ("bert_base", "gpt2_small", "gpt3")


def vocabulary_size(scene: Scene) -> int:
    """How many different tokens the sentence, or both sentences, have."""
    return len({*scene.lesson.tokens.tokens, *scene.lesson.source.tokens})


def setting_count(scene: Scene) -> ParameterCount:
    """A layer of the reader's sizes with a feed-forward network four times as wide, and this sentence's words."""
    layer = scene.lesson.trace.layer
    return (
        attention_parameters(layer.d_model, layer.num_heads, layer.d_k, layer.d_v, bias=layer.b_q is not None)
        + feed_forward_parameters(layer.d_model, 4 * layer.d_model)
        + embedding_parameters(layer.d_model, vocabulary_size(scene))
    )


def parameters(scene: Scene) -> go.Figure:
    """The bars of this setting and of the models."""
    words = scene.words
    own = setting_count(scene)
    bars = [Bar(words("conventions.parameters.own"), f"{own.total:,}", own.parts())]
    for name in MODELS_SHOWN:
        model = MODELS[name]
        count = model.count()
        text = words(
            "conventions.parameters.total",
            total=f"{count.total:,}",
            published=short_count(model.published),
            source=model.source,
        )
        bars.append(Bar(model.name, text, count.parts()))
    names = {part: words(f"conventions.parameters.{part}") for part in PARTS}
    return parameter_bars(bars, names=names, roles=PART_ROLES, palette=scene.palette)


def legend(words: Words) -> Markup:
    """The colours of the parts."""
    items = Markup("").join(
        Markup('<span class="av-part {}"><i></i>{}</span>').format(
            PART_ROLES.get(part, f"plain plain_{part}"), words(f"conventions.parameters.{part}")
        )
        for part in PARTS
    )
    return Markup('<div class="av-parts">{}</div>').format(items)


def short_count(count: int) -> str:
    """110M, 175B, as papers write it."""
    for size, letter in ((10**9, "B"), (10**6, "M")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return str(count)


def parameters_answer() -> int:
    """Where most of GPT-3 is: 1 attention, 2 feed-forward, 3 embeddings."""
    count = MODELS["gpt3"].count()
    return 1 + int(np.argmax([count.attention, count.feed_forward, count.embeddings]))


def parameters_text() -> dict[str, str]:
    """The shares that the paragraph speaks of."""
    large, small = MODELS["gpt3"].count(), MODELS["gpt2_small"].count()
    return {
        "attention": f"{large.attention / large.total:.0%}",
        "feed_forward": f"{large.feed_forward / large.total:.0%}",
        "embeddings": f"{large.embeddings / large.total:.1%}",
        "small": f"{small.embeddings / small.total:.0%}",
    }


def count_formula(scene: Scene) -> Markup:
    """The count of attention's parameters for these sizes, written out."""
    layer, words = scene.lesson.trace.layer, scene.words
    count = setting_count(scene).attention
    free = 2 * layer.num_heads * layer.d_model * (layer.d_k + layer.d_v)
    biases = (
        words.html("conventions.parameters.formula_biases", biases=f"{count - free:,}")
        if count > free
        else ""
    )
    return words.html(
        "conventions.parameters.formula",
        num_heads=layer.num_heads,
        d_model=layer.d_model,
        d_k=layer.d_k,
        d_v=layer.d_v,
        biases=biases,
        count=f"{count:,}",
    )
