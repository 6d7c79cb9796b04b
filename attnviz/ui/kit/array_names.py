"""What the arrays of a lesson are called on screen."""

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.words import Words


def array_name(name: str, words: Words) -> str:
    """What an array that can be edited is called; the mask has a word, all others a symbol."""
    return words("edit.mask") if name == "keep" else symbol(name)


def symbol(name: str) -> str:
    """What a matrix is called; an array of a score function as its record says."""
    if name in NAMES:
        return NAMES[name]
    own = name.removeprefix("score_")
    (*_, parameter) = (score.arrays[own] for score in SCORE_FUNCTIONS.values() if own in score.arrays)
    return parameter.letter or parameter.symbol or own


NAMES = {
    "x": "x",
    "x_source": "x′",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "b_q": "b_Q",
    "b_k": "b_K",
    "b_v": "b_V",
    "b_o": "b_O",
    "query": "Q",
    "key": "K",
    "value": "V",
    "head_outputs": "O",
    "concat": "C",
    "contributions": "O W_O",
    "output": "Y",
    "scores": "S",
    "scaled": "S̃",
    "masked": "M",
    "weights": "A",
}
