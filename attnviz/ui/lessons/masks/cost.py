"""What the page on masks computes beyond its lesson: three attentions, the sentence as it grows, its first tokens."""

from attnviz.lab.decoding.decoding import LIMIT_FITTED, LIMIT_PAIR
from attnviz.lesson.budget import fits, heads_limit, most_that_fits
from attnviz.lesson.cost import Cost, layer_cost, score_cost, tokens_cost, trace_cost
from attnviz.lesson.settings import Settings

SHARE_THREE, SHARE_GROWTH = 0.3, 0.15  # of what a request may cost
FEWEST = 8  # tokens with which the three attentions are worth a look


def masks_cost(settings: Settings, n: int, m: int) -> Cost:
    """All that the steps compute anew, each within its share."""
    three = min(n, three_limit(settings))
    grown = min(n, growth_limit(settings))
    first = layer_cost(settings).then(trace_cost(settings, min(n, LIMIT_FITTED), min(n, LIMIT_FITTED)))
    parts = three_cost(settings, three) if three else Cost()
    return parts.then(growth_cost(settings, grown)).then(first)


def three_cost(settings: Settings, n: int) -> Cost:
    """Encoder, decoder and cross-attention of two sentences of n tokens, each with a layer of its own."""
    layers, traces = layer_cost(settings).times(3), trace_cost(settings, n, n).times(3)
    return layers.then(tokens_cost(settings, 2 * n)).then(traces)


def three_limit(settings: Settings) -> int:
    """How many tokens of each sentence the three attentions are given; 0 where they would cost too much."""
    if not fits(three_cost(settings, FEWEST), SHARE_THREE):
        return 0
    return most_that_fits(lambda n: three_cost(settings, n), LIMIT_PAIR, FEWEST, SHARE_THREE)


def three_heads(settings: Settings) -> int:
    """With how many heads the three attentions would be shown."""
    return heads_limit(settings, lambda s: three_cost(s, FEWEST), SHARE_THREE)


def growth_cost(settings: Settings, n: int) -> Cost:
    """Every beginning of n tokens, without a mask and with the causal one; only the outputs stay."""
    drawn = layer_cost(settings).then(score_cost(settings)).then(tokens_cost(settings, n))
    return drawn.then(_beginnings(settings, n)).released()


def growth_limit(settings: Settings) -> int:
    """How many tokens the growing sentence has at the end; 2 at least, or nothing would grow."""
    return most_that_fits(lambda n: _beginnings(settings, n), LIMIT_FITTED, 2, SHARE_GROWTH)


def _beginnings(settings: Settings, n: int) -> Cost:
    seconds = sum(trace_cost(settings, p, p).seconds + BEGINNING for p in range(1, n + 1))
    return Cost(8.0 * n * n * settings.d_model, trace_cost(settings, n, n).peak, 2 * seconds)


BEGINNING = 0.2e-3  # seconds of a trace, however small
